import { Anchor, Select, Text } from '@mantine/core';
import type { Destination } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { byFit, isAmong } from '../../destination/destination-hosts.ts';
import { destinationsQuery } from '../../destination/destination-queries.ts';
import { authText } from '../../destination/destination-words.ts';
import type { Draft } from '../draft.ts';

/** The destination through which the url is called: those whose hosts have the url come first. */
export function DestinationField({
  draft: { destination, url },
  set,
  error,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  error: string | undefined;
}) {
  const { data: all } = useQuery(destinationsQuery);
  if (all !== undefined && all.length === 0 && destination === '') {
    return (
      <Text size="sm" className="muted">
        There are no destinations yet.{' '}
        <Anchor component={Link} href="/destinations/new" underline="always">
          Make the first one
        </Anchor>
        ; what stands here is kept.
      </Text>
    );
  }
  const known = all ?? [];
  const { fitting, others } = byFit(known, url);
  const chosen = known.find(({ name }) => name === destination);
  const isUnknown = destination !== '' && chosen === undefined;
  const options = (items: typeof known) =>
    items.map(({ name, hosts }) => ({ value: name, label: `${name} (${hostsText(hosts)})` }));
  const own = isUnknown ? [{ value: destination, label: destination }] : [];
  return (
    <Select
      label="Destination"
      description={aboutText(chosen, url)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'No destination' }}
      limit={80}
      placeholder="None"
      data={[
        { group: 'For this url', items: options(fitting) },
        { group: 'For other hosts', items: [...own, ...options(others)] },
      ].filter(({ items }) => items.length > 0)}
      value={destination === '' ? null : destination}
      error={error}
      nothingFoundMessage="No destination of this name"
      onChange={next => set({ destination: next ?? '' })}
    />
  );
}

function aboutText(chosen: Destination | undefined, url: string): string {
  if (chosen === undefined) return 'Signs in at the host, and holds its certificates and limits.';
  const signsIn = chosen.auth && `Sign-in: ${authText(chosen.auth)}.`;
  const isOutside = url.trim() !== '' && !isAmong(chosen.hosts, url);
  const outside = isOutside && `The url is not among its hosts: ${hostsText(chosen.hosts)}.`;
  return [outside, signsIn].filter(Boolean).join(' ');
}

const MOST_NAMED = 3;

function hostsText(hosts: string[]): string {
  const more = hosts.length - MOST_NAMED;
  const named = hosts.slice(0, MOST_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}
