import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { InstantField } from '../inputs/instant-field.tsx';
import { READER_ZONE } from '../time/times.ts';
import { NEW_PERIOD, type PeriodDraft } from './calendar-draft.ts';

/** Rows of periods without firings: whole days, or from one instant to another. */
export function Periods({
  periods,
  errorOf,
  onChange,
}: {
  periods: PeriodDraft[];
  errorOf: (index: number) => string | undefined;
  onChange: (periods: PeriodDraft[]) => void;
}) {
  const set = (index: number, change: Partial<PeriodDraft>) =>
    onChange(periods.with(index, { ...periods[index]!, ...change }));
  return (
    <Stack gap="sm">
      <Text size="sm" className="muted">
        Days are counted by the clock of each schedule. Times are in your zone, {READER_ZONE}.
      </Text>
      {periods.map((period, index) => (
        <Period
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
          key={index}
          name={`Period ${index + 1}`}
          period={period}
          error={errorOf(index)}
          set={change => set(index, change)}
          onRemove={() => onChange(periods.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button size="xs" variant="default" onClick={() => onChange([...periods, NEW_PERIOD])}>
          Add period
        </Button>
      </div>
    </Stack>
  );
}

function Period({
  name,
  period,
  error,
  set,
  onRemove,
}: {
  name: string;
  period: PeriodDraft;
  error: string | undefined;
  set: (change: Partial<PeriodDraft>) => void;
  onRemove: () => void;
}) {
  const { isDays, from, to, summary } = period;
  return (
    <Stack
      component="fieldset"
      aria-label={name}
      gap="xs"
      m={0}
      p="sm"
      style={{ border: '1px solid var(--line)', borderRadius: 8, minWidth: 0 }}
    >
      <Group gap="xs" align="end">
        <TextInput
          label="Name"
          placeholder="Freeze"
          maxLength={500}
          value={summary}
          error={error}
          onChange={event => set({ summary: event.currentTarget.value })}
          style={{ flex: '1 1 150px' }}
        />
        <NativeSelect
          aria-label="Kind"
          data={[
            { value: 'days', label: 'Whole days' },
            { value: 'times', label: 'Times' },
          ]}
          value={isDays ? 'days' : 'times'}
          w={136}
          onChange={event =>
            set({ isDays: event.currentTarget.value === 'days', from: '', to: '' })
          }
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          ml="auto"
          aria-label={`Remove ${name.toLowerCase()}`}
          onClick={onRemove}
        >
          <IconTrash size={17} />
        </ActionIcon>
      </Group>
      <Group gap="xs" grow>
        {isDays ? (
          <>
            <DayField label="First day" value={from} onChange={day => set({ from: day })} />
            <DayField label="Last day" value={to} onChange={day => set({ to: day })} />
          </>
        ) : (
          <>
            <InstantField
              label="From"
              timezone={READER_ZONE}
              value={from}
              onChange={at => set({ from: at })}
            />
            <InstantField
              label="Until"
              timezone={READER_ZONE}
              value={to}
              onChange={at => set({ to: at })}
            />
          </>
        )}
      </Group>
    </Stack>
  );
}

function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (day: string) => void;
}) {
  return (
    <TextInput
      type="date"
      label={label}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}
