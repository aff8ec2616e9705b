import {
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useRef, useState } from 'react';
import type { Draft } from '../draft.ts';
import {
  everyRate,
  FIRST_INTERVAL,
  formOf,
  type IntervalForm,
  localOfOnce,
  onceAt,
  RATE_UNITS,
  type RateUnit,
  rateOf,
} from '../interval-forms.ts';

const TABS: { value: IntervalForm; label: string }[] = [
  { value: 'once', label: 'Once' },
  { value: 'repeats', label: 'Repeats' },
  { value: 'every', label: 'Every' },
];

interface FieldProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  error: string | undefined;
}

/** The interval in one of its forms. Each tab keeps what was typed in it while another one is open. */
export function IntervalField({ draft, set, error }: FieldProps) {
  const { tab, open, type } = useTabs(draft.interval, set);
  const fields = { interval: draft.interval, error, type };
  return (
    <Stack gap={8}>
      <SegmentedControl
        aria-label="How often"
        data={TABS}
        value={tab}
        onChange={value => open(value as IntervalForm)}
        style={{ alignSelf: 'start' }}
      />
      {tab === 'once' && <Once {...fields} timezone={draft.timezone} />}
      {tab === 'repeats' && <Repeats {...fields} onLeave={() => open(formOf(draft.interval))} />}
      {tab === 'every' && <Every {...fields} />}
    </Stack>
  );
}

/** Contents that come from elsewhere, such as a conflict, open their own tab; typing stays on its tab. */
function useTabs(interval: string, set: FieldProps['set']) {
  const [tab, setTab] = useState(() => formOf(interval));
  const typed = useRef<Partial<Record<IntervalForm, string>>>({});
  const own = useRef(interval);
  const type = (next: string) => {
    own.current = next;
    set({ interval: next });
  };
  if (interval !== own.current) {
    own.current = interval;
    if (formOf(interval) !== tab) setTab(formOf(interval));
  }
  const open = (next: IntervalForm) => {
    if (next === tab) return;
    setTab(next);
    if (formOf(interval) === next) return;
    typed.current[tab] = interval;
    type(typed.current[next] ?? FIRST_INTERVAL[next]);
  };
  return { tab, open, type };
}

interface TabProps {
  interval: string;
  error: string | undefined;
  type: (interval: string) => void;
}

function Once({ interval, error, type, timezone }: TabProps & { timezone: string }) {
  const local = localOfOnce(interval);
  if (local === null) {
    return <AsText {...{ interval, error, type }} action="Choose a date" instead="at()" />;
  }
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label="Date and time"
      description={`Once, by the clock of ${timezone}.`}
      required
      value={local}
      error={error}
      onChange={event => type(onceAt(event.currentTarget.value))}
      style={{ maxWidth: 280 }}
    />
  );
}

const PRESETS: [string, string][] = [
  ['every minute', '* * * * *'],
  ['every 5 minutes', '*/5 * * * *'],
  ['hourly', '0 * * * *'],
  ['daily at 9', '0 9 * * *'],
  ['weekdays at 9', '0 9 * * MON-FRI'],
  ['monthly', '0 0 1 * *'],
];

/** @param onLeave what is typed here in another form opens the tab of that form */
function Repeats({ interval, error, type, onLeave }: TabProps & { onLeave: () => void }) {
  return (
    <Stack gap={6}>
      <TextInput
        label="Interval"
        description="Cron: minute, hour, day of month, month, day of week. A sixth field in front is seconds."
        required
        spellCheck={false}
        value={interval}
        error={error}
        onChange={event => type(event.currentTarget.value)}
        onBlur={onLeave}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Group gap={6}>
        {PRESETS.map(([name, preset]) => (
          <Button
            key={name}
            size="compact-xs"
            variant="default"
            aria-pressed={interval === preset}
            onClick={() => type(preset)}
          >
            {name}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

function Every({ interval, error, type }: TabProps) {
  const rate = rateOf(interval);
  if (rate === null) {
    return (
      <AsText
        {...{ interval, error, type }}
        action="Choose a number and a unit"
        instead={FIRST_INTERVAL.every}
      />
    );
  }
  const change = (part: Partial<typeof rate>) => type(everyRate({ ...rate, ...part }));
  return (
    <div>
      <Group gap="xs" align="start" wrap="nowrap">
        <TextInput
          label="Every"
          required
          inputMode="numeric"
          w={120}
          value={rate.count}
          aria-invalid={error !== undefined}
          onChange={event => change({ count: event.currentTarget.value.replace(/\D/g, '') })}
        />
        <NativeSelect
          label="Unit"
          w={140}
          value={rate.unit}
          data={[...RATE_UNITS]}
          onChange={event => change({ unit: event.currentTarget.value as RateUnit })}
        />
      </Group>
      {error !== undefined && (
        <Text size="xs" c="var(--bad)" mt={5} role="alert">
          {error}
        </Text>
      )}
      <Text size="xs" className="muted" mt={5}>
        Elapsed time, counted from the start or the creation. A day is 24 hours, whatever the clock
        does.
      </Text>
    </div>
  );
}

/** A form that the fields of the tab cannot express is edited as it is written. */
function AsText({
  interval,
  error,
  type,
  action,
  instead,
}: TabProps & { action: string; instead: string }) {
  return (
    <Stack gap={6}>
      <TextInput
        label="Interval"
        description="As it is written. It names its time or period itself."
        required
        spellCheck={false}
        value={interval}
        error={error}
        onChange={event => type(event.currentTarget.value)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <div>
        <Button size="compact-xs" variant="default" onClick={() => type(instead)}>
          {action}
        </Button>
      </div>
    </Stack>
  );
}
