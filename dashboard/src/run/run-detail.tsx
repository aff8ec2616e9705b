import { Alert, Button, Code, Divider, Group, Stack, Text, Title } from '@mantine/core';
import type { Callback, Run, RunRequest } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useSendAgain } from '../change/actions.ts';
import { SideDialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Asked } from '../parts/page.tsx';
import { api } from '../queries.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { Status } from '../schedule/status.tsx';
import { fullTime, inReadersTime, READER_ZONE, span } from '../time/times.ts';
import { useRunRequest } from '../version/version-queries.ts';
import { AttemptDetail } from './attempt-detail.tsx';
import { RunDifference } from './difference-table.tsx';
import { neighboursOf } from './run-neighbours.ts';
import { AttemptRequest } from './run-request.tsx';
import { RunTry } from './run-try.tsx';
import { causeOf, lateOf } from './run-words.ts';
import { resultOf } from './runs-table.tsx';
import { RunTrace } from './trace-axis.tsx';
import './run.css';

/** One run with all that is known of it. */
export function RunDrawer({ id, onClose }: { id: string | null; onClose: () => void }) {
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: () => api.getRun(id!),
    enabled: id !== null,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.finishedAt === undefined ? 1_000 : false),
  });
  const name = useScheduleName(run.data?.scheduleId);
  return (
    <SideDialog
      opened={id !== null}
      onClose={onClose}
      title={name === undefined ? 'Run' : `Run of ${name}`}
    >
      {id !== null && (
        <div className="run">
          <Asked query={run}>{data => <Told key={data.id} run={data} />}</Asked>
        </div>
      )}
    </SideDialog>
  );
}

function useScheduleName(id: string | undefined): string | undefined {
  const schedule = useQuery({
    queryKey: ['schedule', id],
    queryFn: () => api.getSchedule(id!),
    enabled: id !== undefined,
  });
  return schedule.data && nameOf(schedule.data);
}

function Told({ run }: { run: Run }) {
  const request = useRunRequest(run.id, undefined);
  const [isEditing, setEditing] = useState(false);
  const isCompared = run.status === 'failed' || run.status === 'retrying';
  const last = run.attempts.at(-1)?.number;
  return (
    <Stack gap="md">
      <Actions run={run} told={request.data} onEdit={() => setEditing(true)} />
      {isEditing && request.data?.request && (
        <RunTry told={request.data} onClose={() => setEditing(false)} />
      )}
      {run.reason && (
        <Alert variant="outline" color="gray">
          {inReadersTime(run.reason)}
        </Alert>
      )}
      <RunTrace run={run} />
      <RunFacts run={run} />
      {isCompared && <RunDifference run={run} />}
      {run.attempts.map(attempt => (
        <AttemptDetail
          key={attempt.number}
          attempt={attempt}
          name={`Attempt ${attempt.number}`}
          request={
            <AttemptRequest
              runId={run.id}
              attempt={attempt.number}
              isLast={attempt.number === last}
            />
          }
        />
      ))}
      {run.callbacks?.map(callback => (
        <CallbackDetail key={callback.id} callback={callback} />
      ))}
    </Stack>
  );
}

function Actions({
  run,
  told,
  onEdit,
}: {
  run: Run;
  told: RunRequest | undefined;
  onEdit: () => void;
}) {
  const sendAgain = useSendAgain();
  const [place] = useLocation();
  const page = `/schedules/${run.scheduleId}`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text fw={650} size="lg">
          <Status of={run.status} />
        </Text>
        <Neighbours run={run} />
      </Group>
      {run.status === 'failed' && resultOf(run) !== '' && (
        <Text size="sm" className="wrap">
          {resultOf(run)}
        </Text>
      )}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={sendAgain.isPending}
          onClick={() => sendAgain.mutate([run.scheduleId])}
        >
          Send again
        </Button>
        <Button size="xs" variant="default" disabled={!told?.request} onClick={onEdit}>
          Edit and send
        </Button>
        {place !== page && (
          <Button size="xs" variant="default" component={Link} href={page}>
            Its schedule
          </Button>
        )}
      </Group>
      <Text size="sm" className="muted">
        {sentAsText(told)}
      </Text>
    </Stack>
  );
}

/** Another run may send another request than this one did. */
function sentAsText(told: RunRequest | undefined): string {
  const today = 'Send again: it is sent as its schedule is today';
  if (told === undefined) return `${today}.`;
  const { version, presentVersion } = told;
  if (version === undefined) return `${today}, version ${presentVersion}.`;
  if (version === presentVersion) return `${today}, version ${version}, as this run was.`;
  return `${today}, version ${presentVersion}. This run was sent as version ${version}.`;
}

/** The runs of the schedule before and behind it. */
function Neighbours({ run }: { run: Run }) {
  const [, setSearch] = useSearchParams();
  const found = useQuery({
    queryKey: ['run', run.id, 'neighbours'],
    queryFn: () => neighboursOf(query => api.listRuns(query), run, Date.now()),
  });
  const open = (id: string) =>
    setSearch(
      before => {
        const after = new URLSearchParams(before);
        after.set('run', id);
        return after;
      },
      { replace: true },
    );
  const button = (name: string, id: string | undefined) => (
    <Button size="xs" variant="default" disabled={id === undefined} onClick={() => open(id!)}>
      {name}
    </Button>
  );
  return (
    <Group gap="xs" role="group" aria-label="Runs of the same schedule">
      {button('Previous run', found.data?.before)}
      {button('Next run', found.data?.after)}
    </Group>
  );
}

function RunFacts({ run }: { run: Run }) {
  const late = lateOf(run);
  return (
    <Facts
      facts={[
        ['Times in', `${READER_ZONE}, yours`],
        ['Due', fullTime(run.scheduledFor)],
        [
          'Started',
          run.startedAt &&
            `${fullTime(run.startedAt)}${late === null ? '' : ` (${span(late)} late)`}`,
        ],
        ['Ended', run.finishedAt && fullTime(run.finishedAt)],
        [
          'Waits',
          run.completionUntil && `for its completion until ${fullTime(run.completionUntil)}`,
        ],
        ['Caused by', causeOf(run)],
        [
          'Stands for',
          run.missedCount &&
            `${run.missedCount.toLocaleString('en-GB')} times, until ${fullTime(run.to!)}`,
        ],
        ['Id', <Code key="id">{run.id}</Code>],
      ]}
    />
  );
}

function CallbackDetail({ callback }: { callback: Callback }) {
  const { status, url, attempts } = callback;
  return (
    <Stack gap="xs" component="section" aria-label="Callback">
      <Divider />
      <Group justify="space-between" gap="xs">
        <Title order={3} size="h5">
          Callback
        </Title>
        <Text size="sm">
          <Status of={status} />
        </Text>
      </Group>
      <Text size="sm" className="wrap muted">
        {url}
      </Text>
      {attempts.map(attempt => (
        <AttemptDetail
          key={attempt.number}
          attempt={attempt}
          name={`Callback attempt ${attempt.number}`}
        />
      ))}
    </Stack>
  );
}
