import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../queries.ts';
import { READER_ZONE } from '../../time/times.ts';
import { clockQuery } from '../../time/zone-clock.ts';
import type { Draft } from '../draft.ts';

/** The time zone of a schedule, with the release of its rules. */
export function ZoneField({
  draft,
  set,
  error,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  error: string | undefined;
}) {
  const zones = useQuery({
    queryKey: ['timezones'],
    queryFn: () => api.listTimezones(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const clock = useQuery(clockQuery(draft.timezone));
  const yours = draft.timezone === READER_ZONE ? 'Yours.' : `Yours is ${READER_ZONE}.`;
  const rules = clock.data ? ` Rules: IANA ${clock.data.tzdata}.` : '';
  const known = zones.data ?? [draft.timezone];
  return (
    <Select
      label="Time zone"
      description={yours + rules}
      required
      searchable
      limit={80}
      data={known.includes(draft.timezone) ? known : [draft.timezone, ...known]}
      value={draft.timezone}
      error={error}
      allowDeselect={false}
      nothingFoundMessage="No time zone of this name"
      onChange={timezone => timezone !== null && set({ timezone })}
    />
  );
}
