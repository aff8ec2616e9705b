import { Anchor, MultiSelect, NativeSelect, Stack, Text } from '@mantine/core';
import type { OnExcluded } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { calendarNamesQuery } from '../../calendar/calendar-queries.ts';
import { MOST_EXCLUDED, ON_EXCLUDED } from '../../schedule/timing-choices.ts';
import type { Draft } from '../draft.ts';

/** The calendars on whose days a schedule does not fire, and what it does instead. */
export function ExcludeFields({
  draft,
  set,
  errorOf,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  errorOf: (field: string) => string | undefined;
}) {
  const { data: names } = useQuery(calendarNamesQuery);
  const { exclude, onExcluded } = draft;
  if (names !== undefined && names.length === 0 && exclude.length === 0) {
    return (
      <Text size="sm" className="muted">
        There are no calendars yet.{' '}
        <Anchor component={Link} href="/calendars/new" underline="always">
          Make the first one
        </Anchor>
        ; what stands here is kept.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <MultiSelect
        label="Calendars"
        description={`On their days and times it does not fire. ${MOST_EXCLUDED} at most.`}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'No calendars' }}
        limit={80}
        maxValues={MOST_EXCLUDED}
        data={[...new Set([...exclude, ...(names ?? [])])].sort()}
        value={exclude}
        error={errorOf('exclude')}
        nothingFoundMessage="No calendar of this name"
        onChange={next => set({ exclude: next })}
      />
      {exclude.length > 0 && (
        <NativeSelect
          label="On excluded days"
          value={onExcluded}
          data={ON_EXCLUDED}
          error={errorOf('onExcluded')}
          onChange={event => set({ onExcluded: event.currentTarget.value as OnExcluded })}
        />
      )}
    </Stack>
  );
}
