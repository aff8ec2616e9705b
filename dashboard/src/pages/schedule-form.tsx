import { Alert, Anchor, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { CheckResult, Schedule, ScheduleInput } from '@punctual/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { type Draft, draftOf, inputOf, newDraft, withCurl } from '../draft.ts';
import { inWords } from '../interval-words.ts';
import { keepDraft, keptDraft } from '../kept-drafts.ts';
import { ClockNotes } from '../parts/clock-notes.tsx';
import { CurlBox } from '../parts/curl-box.tsx';
import { NextTimes } from '../parts/next-times.tsx';
import { Asked, Card, Empty, Failed, Page } from '../parts/page.tsx';
import { Fields } from '../parts/schedule-fields.tsx';
import { TryBox } from '../parts/try-box.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule-name.ts';
import { useClientId } from '../session.ts';
import { READER_ZONE } from '../times.ts';

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
  const clientId = useClientId();
  const [kept] = useState(() => keptDraft(clientId, id));
  const [draft, setDraft] = useState(kept?.draft ?? start);
  const [isKept, setIsKept] = useState(kept !== null);
  const set = (change: Partial<Draft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    keepDraft(clientId, id, { draft: next });
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
                keepDraft(clientId, id, null);
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
                  onClick={() => keepDraft(clientId, id, null)}
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
  const clientId = useClientId();
  const queries = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: (input: ScheduleInput) =>
      id === null ? api.createSchedule(input) : api.replaceSchedule(id, input),
    onSuccess: schedule => {
      keepDraft(clientId, id, null);
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
