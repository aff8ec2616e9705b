import { NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { AfterCompletion } from '@punctual/client';
import { InstantField } from '../../inputs/instant-field.tsx';
import { AFTER_COMPLETION } from '../../schedule/timing-choices.ts';
import { useWindowOffset } from '../../time/window-offset.ts';
import type { Draft } from '../draft.ts';

interface FieldsProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  errorOf: (field: string) => string | undefined;
}

/** From when to when a schedule fires, how many times, and what becomes of it then. */
export function BoundsFields({ draft, set, errorOf }: FieldsProps) {
  const { timezone } = draft;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <InstantField
        label="Starts"
        description={`In ${timezone}.`}
        timezone={timezone}
        value={draft.startsAt}
        error={errorOf('startsAt')}
        onChange={startsAt => set({ startsAt })}
      />
      <InstantField
        label="Ends"
        description={`Before this time, in ${timezone}.`}
        timezone={timezone}
        value={draft.endsAt}
        error={errorOf('endsAt')}
        onChange={endsAt => set({ endsAt })}
      />
      <TextInput
        label="Number of runs"
        description="Times count, whether they fire or not."
        inputMode="numeric"
        value={draft.maxRuns}
        error={errorOf('maxRuns')}
        onChange={event => set({ maxRuns: event.currentTarget.value })}
      />
      <NativeSelect
        label="When no time is left"
        description="After the last run has ended."
        value={draft.afterCompletion}
        data={AFTER_COMPLETION}
        error={errorOf('afterCompletion')}
        onChange={event => set({ afterCompletion: event.currentTarget.value as AfterCompletion })}
      />
    </SimpleGrid>
  );
}

/** @param id of the stored schedule; null: of a new one, which has none yet */
export function WindowField({ draft, set, errorOf, id }: FieldsProps & { id: string | null }) {
  const error = errorOf('windowSeconds');
  const { externalId, windowSeconds } = draft;
  const isValid = windowSeconds.trim() !== '' && error === undefined;
  const hashed = externalId.trim() || id;
  const offset = useWindowOffset(hashed, isValid ? Number(windowSeconds) : null);
  const told =
    offset !== null
      ? `It fires ${offset} s later than the interval says, each time.`
      : isValid && hashed === null
        ? 'It has its own offset in the window as soon as it is made.'
        : 'Seconds. Each schedule has its own place in the window, and keeps it.';
  return (
    <Stack gap={6}>
      <TextInput
        label="Window"
        description={told}
        inputMode="numeric"
        value={windowSeconds}
        error={error}
        onChange={event => set({ windowSeconds: event.currentTarget.value })}
        style={{ maxWidth: 340 }}
      />
    </Stack>
  );
}
