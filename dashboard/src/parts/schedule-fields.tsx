import {
  Button,
  Collapse,
  Group,
  NativeSelect,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import type { Problem, Verb } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Draft } from '../draft.ts';
import { POLICY_FIELDS, POLICY_NAMES, POLICY_WORDS } from '../policy-fields.ts';
import { api } from '../queries.ts';
import { READER_ZONE } from '../times.ts';
import { clockQuery } from '../zone-clock.ts';
import { Pairs } from './pairs.tsx';
import { Webhooks } from './webhooks.tsx';

const VERBS: Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
const PRESETS: [string, string][] = [
  ['every minute', '* * * * *'],
  ['every 5 minutes', '*/5 * * * *'],
  ['hourly', '0 * * * *'],
  ['daily at 9', '0 9 * * *'],
  ['weekdays at 9', '0 9 * * MON-FRI'],
  ['monthly', '0 0 1 * *'],
];

/** All that one writes into a schedule, each with what is wrong about it. */
export function Fields({
  draft,
  set,
  problems,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  problems: Problem[];
}) {
  const sentence = (where: string) => problems.find(each => each.where === where)?.sentence;
  const within = (field: string) => problems.find(({ where }) => where.startsWith(field))?.sentence;
  return (
    <Stack gap="md">
      <TextInput
        label="Label"
        description="A name of your choice. Optional."
        value={draft.label}
        error={sentence('label')}
        onChange={event => set({ label: event.currentTarget.value })}
      />
      <Group gap="xs" align="start" wrap="nowrap">
        <NativeSelect
          label="Verb"
          value={draft.verb}
          data={VERBS}
          w={116}
          onChange={event => set({ verb: event.currentTarget.value as Verb })}
        />
        <TextInput
          label="Url"
          type="url"
          required
          placeholder="https://example.com/hook"
          spellCheck={false}
          value={draft.url}
          error={sentence('url')}
          onChange={event => set({ url: event.currentTarget.value })}
          style={{ flex: 1 }}
        />
      </Group>
      <IntervalField draft={draft} set={set} error={sentence('interval')} />
      <ZoneField draft={draft} set={set} error={sentence('timezone')} />
      <More title="Headers" count={draft.headers.length} error={within('headers')}>
        <Pairs
          name="header"
          about="Sent with each request."
          pairs={draft.headers}
          errorOf={index => sentence(`headers[${index}]`)}
          error={sentence('headers')}
          onChange={headers => set({ headers })}
        />
      </More>
      <More title="Payload" count={draft.data.length} error={within('data')}>
        <Pairs
          name="payload field"
          about="A JSON object in the body, or query parameters for GET, HEAD and DELETE."
          pairs={draft.data}
          errorOf={index => sentence(`data[${index}]`)}
          error={sentence('data')}
          onChange={data => set({ data })}
        />
      </More>
      <More title="Webhooks" count={draft.integrations.length} error={within('integrations')}>
        <Webhooks
          items={draft.integrations}
          errorOf={(index, field) => sentence(`integrations[${index}].${field}`)}
          onChange={integrations => set({ integrations })}
        />
      </More>
      <More
        title="Retries and limits"
        count={POLICY_NAMES.filter(field => draft[field] !== '').length}
        error={POLICY_NAMES.map(sentence).find(each => each !== undefined)}
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {POLICY_NAMES.map(field => (
            <TextInput
              key={field}
              label={POLICY_WORDS[field].label}
              description={`${POLICY_WORDS[field].unit}, ${POLICY_FIELDS[field].byDefault}`}
              inputMode="numeric"
              value={draft[field]}
              error={sentence(field)}
              onChange={event => set({ [field]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
      </More>
    </Stack>
  );
}

interface FieldProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  error: string | undefined;
}

function IntervalField({ draft, set, error }: FieldProps) {
  return (
    <Stack gap={6}>
      <TextInput
        label="Interval"
        description="Cron: minute, hour, day of month, month, day of week. A sixth field in front is seconds."
        required
        spellCheck={false}
        value={draft.interval}
        error={error}
        onChange={event => set({ interval: event.currentTarget.value })}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Group gap={6}>
        {PRESETS.map(([name, interval]) => (
          <Button
            key={name}
            size="compact-xs"
            variant="default"
            aria-pressed={draft.interval === interval}
            onClick={() => set({ interval })}
          >
            {name}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

function ZoneField({ draft, set, error }: FieldProps) {
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

/** Options that most schedules do not use: closed until one is set. */
function More({
  title,
  count,
  error,
  children,
}: {
  title: string;
  count: number;
  error?: string | undefined;
  children: React.ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (count > 0 || error !== undefined) setOpen(true);
  }, [count, error]);
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        px={4}
        ml={-4}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? '−' : '+'} {title}
        {count > 0 && ` (${count})`}
      </Button>
      <Collapse expanded={isOpen} pt="xs">
        {children}
      </Collapse>
    </div>
  );
}
