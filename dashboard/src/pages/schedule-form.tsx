import {
  Alert,
  Anchor,
  Button,
  Collapse,
  Grid,
  Group,
  NativeSelect,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { CheckResult, Schedule, ScheduleInput, Verb } from '@punctual/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import {
  type Draft,
  draftOf,
  inputOf,
  keepDraft,
  keptDraft,
  newDraft,
  withCurl,
} from '../draft.ts';
import { inWords } from '../interval-words.ts';
import { ClockNotes } from '../parts/clock-notes.tsx';
import { CurlBox } from '../parts/curl-box.tsx';
import { NextTimes } from '../parts/next-times.tsx';
import { Asked, Card, Empty, Failed, Page } from '../parts/page.tsx';
import { Pairs } from '../parts/pairs.tsx';
import { TryBox } from '../parts/try-box.tsx';
import { Webhooks } from '../parts/webhooks.tsx';
import { api } from '../queries.ts';
import { READER_ZONE } from '../times.ts';
import { nameOf } from './overview.tsx';

const VERBS: Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
const PRESETS: [string, string][] = [
  ['every minute', '* * * * *'],
  ['every 5 minutes', '*/5 * * * *'],
  ['hourly', '0 * * * *'],
  ['daily at 9', '0 9 * * *'],
  ['weekdays at 9', '0 9 * * MON-FRI'],
  ['monthly', '0 0 1 * *'],
];

/** @param id the schedule that is edited; null makes a new one, of the one that `from` names */
export function ScheduleForm({ id }: { id: string | null }) {
  const [search] = useSearchParams();
  const source = id ?? search.get('from');
  const found = useQuery({
    queryKey: ['schedule', source],
    queryFn: () => api.getSchedule(source!),
    enabled: source !== null,
  });
  const name = id === null ? 'New schedule' : 'Edit schedule';
  if (source === null)
    return <Form key="new" id={null} name={name} start={newDraft(READER_ZONE)} />;
  return found.data === undefined ? (
    <Page name={name}>
      <Asked query={found}>{() => null}</Asked>
    </Page>
  ) : (
    <Form
      key={source}
      id={id}
      name={name}
      start={id === null ? cloned(found.data) : draftOf(found.data)}
      {...(id !== null && { stored: found.data })}
    />
  );
}

function cloned(schedule: Schedule): Draft {
  const draft = draftOf(schedule);
  const integrations = draft.integrations.map(({ id: _, ...same }) => same);
  return { ...draft, integrations, label: `Copy of ${nameOf(schedule)}`.slice(0, 500) };
}

function Form({
  id,
  name,
  start,
  stored,
}: {
  id: string | null;
  name: string;
  start: Draft;
  stored?: Schedule;
}) {
  const [kept] = useState(() => keptDraft(id));
  const [draft, setDraft] = useState(kept ?? start);
  const [isKept, setIsKept] = useState(kept !== null);
  const set = (change: Partial<Draft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    keepDraft(id, next);
  };
  const input = inputOf(draft);
  const check = useCheck(input);
  const save = useSave(id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(input);
  };
  return (
    <Page name={name}>
      {isKept && (
        <Alert
          variant="outline"
          color="gray"
          withCloseButton
          closeButtonLabel="Close this note"
          onClose={() => setIsKept(false)}
        >
          <Group gap="xs">
            <Text size="sm">What you typed before is here again.</Text>
            <Anchor
              component="button"
              type="button"
              size="sm"
              underline="always"
              onClick={() => {
                keepDraft(id, null);
                setDraft(start);
                setIsKept(false);
              }}
            >
              Begin anew
            </Anchor>
          </Group>
        </Alert>
      )}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <form onSubmit={submit} noValidate>
            <Stack gap="md">
              {id === null && (
                <Card>
                  <CurlBox onRead={fields => set(withCurl(draft, fields))} />
                </Card>
              )}
              <Card>
                <Fields draft={draft} set={set} problems={problemsIn(input, check.data)} />
              </Card>
              {check.error && <Failed error={check.error} />}
              {save.error && <Failed error={save.error} />}
              <Group justify="flex-end">
                <Button
                  variant="default"
                  component={Link}
                  href={id === null ? '/schedules' : `/schedules/${id}`}
                  onClick={() => keepDraft(id, null)}
                >
                  Cancel
                </Button>
                <Button type="submit" loading={save.isPending}>
                  {id === null ? 'Create schedule' : 'Save changes'}
                </Button>
              </Group>
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <WhenItFires draft={draft} check={check.data} {...(stored && { stored })} />
            <TryBox input={input} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** The server's own rules, asked when the typing rests. */
function useCheck(input: ScheduleInput) {
  const [text] = useDebouncedValue(JSON.stringify(input), 200);
  return useQuery({
    queryKey: ['check', text],
    queryFn: async () => {
      const checked = JSON.parse(text) as ScheduleInput;
      return { ...(await api.checkSchedule(checked)), checked };
    },
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
}

/** What is wrong with what stands there now: a verdict on what was typed before is none. */
function problemsIn(
  input: ScheduleInput,
  result: (CheckResult & { checked: ScheduleInput }) | undefined,
): CheckResult['problems'] {
  if (result === undefined) return [];
  const { problems, checked } = result;
  return problems.filter(({ where }) => {
    const name = /^\w+/.exec(where)![0] as keyof ScheduleInput;
    return JSON.stringify(checked[name]) === JSON.stringify(input[name]);
  });
}

function useSave(id: string | null) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: (input: ScheduleInput) =>
      id === null ? api.createSchedule(input) : api.replaceSchedule(id, input),
    onSuccess: schedule => {
      keepDraft(id, null);
      queries.setQueryData(['schedule', schedule.id], schedule);
      for (const name of ['schedules', 'stats', 'next', 'forecast']) {
        void queries.invalidateQueries({ queryKey: [name] });
      }
      notifications.show({
        message: id === null ? 'The schedule was created.' : 'The changes were saved.',
        color: 'green',
      });
      go(`/schedules/${schedule.id}`);
    },
  });
}

function Fields({
  draft,
  set,
  problems,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  problems: CheckResult['problems'];
}) {
  const sentence = (where: string) => problems.find(each => each.where === where)?.sentence;
  // An empty field is no mistake yet: it is asked for when it is sent.
  const urlError = draft.url === '' ? undefined : sentence('url');
  return (
    <Stack gap="md">
      <TextInput
        label="Label"
        description="What you call it. Optional."
        maxLength={500}
        value={draft.label}
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
          error={urlError}
          onChange={event => set({ url: event.currentTarget.value })}
          style={{ flex: 1 }}
        />
      </Group>
      <IntervalField draft={draft} set={set} error={sentence('interval')} />
      <ZoneField draft={draft} set={set} error={sentence('timezone')} />
      <More title="Headers" count={draft.headers.length} error={sentence('headers')}>
        <Pairs
          name="header"
          about="Sent with each request."
          pairs={draft.headers}
          error={sentence('headers')}
          onChange={headers => set({ headers })}
        />
      </More>
      <More title="Payload" count={draft.data.length} error={sentence('data')}>
        <Pairs
          name="payload field"
          about="A JSON object in the body, or query parameters for GET, HEAD and DELETE."
          pairs={draft.data}
          error={sentence('data')}
          onChange={data => set({ data })}
        />
      </More>
      <More
        title="Webhooks"
        count={draft.integrations.length}
        error={problems.find(({ where }) => where.startsWith('integrations'))?.sentence}
      >
        <Webhooks
          items={draft.integrations}
          errorOf={index => sentence(`integrations[${index}].url`)}
          onChange={integrations => set({ integrations })}
        />
      </More>
      <More
        title="Retries and limits"
        count={
          [draft.timeoutSeconds, draft.maxRetries, draft.catchUpSeconds].filter(Boolean).length
        }
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput
            label="Time limit"
            description="Seconds, 30"
            inputMode="numeric"
            value={draft.timeoutSeconds}
            onChange={event => set({ timeoutSeconds: event.currentTarget.value })}
          />
          <TextInput
            label="Retries"
            description="At most, 3"
            inputMode="numeric"
            value={draft.maxRetries}
            onChange={event => set({ maxRetries: event.currentTarget.value })}
          />
          <TextInput
            label="Catch up"
            description="Seconds, 86400"
            inputMode="numeric"
            value={draft.catchUpSeconds}
            onChange={event => set({ catchUpSeconds: event.currentTarget.value })}
          />
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
  const known = zones.data ?? [draft.timezone];
  return (
    <Select
      label="Time zone"
      description={draft.timezone === READER_ZONE ? 'Yours.' : `Yours is ${READER_ZONE}.`}
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

/** What most schedules do without: closed until something is in it. */
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

function WhenItFires({
  draft,
  check,
  stored,
}: {
  draft: Draft;
  check: CheckResult | undefined;
  stored?: Schedule;
}) {
  const words = inWords(draft.interval);
  const isChanged =
    stored !== undefined &&
    (stored.interval !== draft.interval.trim() || stored.timezone !== draft.timezone);
  return (
    <Card title={isChanged ? 'When it will fire' : 'When it fires'} padded={false}>
      {check === undefined || check.times.length === 0 ? (
        <Empty title="No times yet">A valid interval and time zone show the next ten times.</Empty>
      ) : (
        <Stack gap="sm" pb="xs">
          {words && (
            <Text px="md" fw={550}>
              {words}.
            </Text>
          )}
          {check.clockNotes.length > 0 && (
            <div style={{ padding: '0 16px' }}>
              <ClockNotes notes={check.clockNotes} timezone={draft.timezone} />
            </div>
          )}
          <NextTimes times={check.times} timezone={draft.timezone} name="The next ten times" />
        </Stack>
      )}
      {isChanged && <AsItIs schedule={stored} />}
    </Card>
  );
}

/** Before the change: what stands in the service now. */
function AsItIs({ schedule }: { schedule: Schedule }) {
  const { interval, timezone } = schedule;
  const before = useQuery({
    queryKey: ['preview', interval, timezone],
    queryFn: () => api.previewTimes({ interval, timezone, count: 5 }),
  });
  return (
    <div style={{ borderTop: '1px solid var(--line)', paddingTop: 12 }}>
      <Text px="md" fw={550}>
        As it is now: <code>{interval}</code>
      </Text>
      <Asked query={before}>
        {({ times }) => (
          <NextTimes times={times} timezone={timezone} name="The times as it is now" />
        )}
      </Asked>
    </div>
  );
}
