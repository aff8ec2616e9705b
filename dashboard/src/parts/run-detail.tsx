import { Alert, Button, Code, Divider, Group, Stack, Text, Title } from '@mantine/core';
import type { Attempt, Callback, Run } from '@punctual/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../queries.ts';
import { fullTime, inReadersTime, READER_ZONE, span } from '../times.ts';
import { useSendAgain } from './actions.ts';
import { SideDialog } from './dialog.tsx';
import { Asked } from './page.tsx';
import { Status } from './status.tsx';

/** One run with all that is known of it. */
export function RunDrawer({ id, onClose }: { id: string | null; onClose: () => void }) {
  return (
    <SideDialog opened={id !== null} onClose={onClose} title="Run">
      {id !== null && <RunDetail id={id} />}
    </SideDialog>
  );
}

function RunDetail({ id }: { id: string }) {
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: () => api.getRun(id),
    refetchInterval: ({ state }) => (state.data?.finishedAt === undefined ? 1_000 : false),
  });
  return <Asked query={run}>{data => <Told run={data} />}</Asked>;
}

function Told({ run }: { run: Run }) {
  const sendAgain = useSendAgain();
  const late =
    run.startedAt === undefined || run.trigger === 'manual'
      ? null
      : Date.parse(run.startedAt) - Date.parse(run.scheduledFor);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text fw={650} size="lg">
          <Status of={run.status} />
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={sendAgain.isPending}
            onClick={() => sendAgain.mutate([run.scheduleId])}
          >
            Send again
          </Button>
          <Button
            size="xs"
            variant="default"
            component={Link}
            href={`/schedules/${run.scheduleId}`}
          >
            Its schedule
          </Button>
        </Group>
      </Group>
      <Text size="sm" className="muted" ta="right" mt={-8}>
        It is sent as its schedule is today.
      </Text>
      {run.reason && (
        <Alert variant="outline" color="gray">
          {inReadersTime(run.reason)}
        </Alert>
      )}
      <Facts
        facts={[
          ['Times in', `${READER_ZONE}, yours`],
          ['Due', fullTime(run.scheduledFor)],
          [
            'Started',
            run.startedAt &&
              `${fullTime(run.startedAt)}${late === null ? '' : ` (${span(Math.max(0, late))} late)`}`,
          ],
          ['Ended', run.finishedAt && fullTime(run.finishedAt)],
          ['Caused by', run.trigger === 'manual' ? 'a person' : 'its interval'],
          [
            'Stands for',
            run.missedCount &&
              `${run.missedCount.toLocaleString('en-GB')} times, until ${fullTime(run.to!)}`,
          ],
          ['Id', <Code key="id">{run.id}</Code>],
        ]}
      />
      {run.attempts.map(attempt => (
        <AttemptDetail key={attempt.number} attempt={attempt} name={`Attempt ${attempt.number}`} />
      ))}
      {run.callbacks?.map(callback => (
        <CallbackDetail key={callback.id} callback={callback} />
      ))}
    </Stack>
  );
}

export function Facts({ facts }: { facts: [string, React.ReactNode][] }) {
  return (
    <dl
      style={{
        display: 'grid',
        gridTemplateColumns: 'max-content 1fr',
        gap: '4px 16px',
        margin: 0,
      }}
    >
      {facts
        .filter(([, value]) => value !== undefined && value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <Text component="dt" size="sm" className="muted">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} className="wrap numbers">
              {value}
            </Text>
          </div>
        ))}
    </dl>
  );
}

function outcomeText({ outcome, refused, responseStatus }: Attempt): string {
  if (refused) return 'not sent';
  return responseStatus === undefined ? OUTCOMES[outcome] : `status ${responseStatus}`;
}

export function AttemptDetail({ attempt, name }: { attempt: Attempt; name: string }) {
  const { durationMs, error, refused, responseHeaders, responseBody } = attempt;
  const headers = Object.entries(responseHeaders ?? {});
  return (
    <Stack gap="xs" component="section" aria-label={name}>
      <Divider />
      <Group justify="space-between" gap="xs">
        <Title order={3} size="h5">
          {name}
        </Title>
        <Text size="sm" className="numbers">
          {outcomeText(attempt)}
          {durationMs !== undefined && !refused && ` · ${span(durationMs)}`}
        </Text>
      </Group>
      {error && (
        <Text size="sm" c="var(--bad)" className="wrap">
          {inReadersTime(error)}
        </Text>
      )}
      <Phases attempt={attempt} />
      {headers.length > 0 && (
        <details>
          <summary style={{ fontSize: 14, cursor: 'pointer', marginBottom: 4 }}>
            {headers.length} answer headers
          </summary>
          <Facts facts={headers} />
        </details>
      )}
      {responseBody !== undefined && responseBody !== '' && (
        <div>
          <Text size="xs" className="muted" mb={2}>
            Answer body, the first 4 KiB
          </Text>
          <Code block mah={260} tabIndex={0} role="region" aria-label={`Answer body of ${name}`}>
            {pretty(responseBody)}
          </Code>
        </div>
      )}
    </Stack>
  );
}

const OUTCOMES: Record<Attempt['outcome'], string> = {
  response: 'answered',
  timeout: 'timed out',
  connectionError: 'no connection',
  blocked: 'refused by the guard',
  lost: 'cut off',
};

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

/** The phases of a request, as a bar and in numbers. */
function Phases({ attempt: { phases = {}, durationMs } }: { attempt: Attempt }) {
  if (durationMs === undefined) return null;
  const { dnsMs = 0, connectMs = 0, tlsMs = 0, firstByteMs = 0 } = phases;
  const known = dnsMs + connectMs + tlsMs + firstByteMs;
  const parts: [string, number, string][] = (
    [
      ['DNS', phases.dnsMs ?? -1, 'odd'],
      ['connect', phases.connectMs ?? -1, 'busy'],
      ['TLS', phases.tlsMs ?? -1, 'warn'],
      ['first byte', phases.firstByteMs ?? -1, 'ok'],
      ['rest', Math.max(0, durationMs - known), 'quiet'],
    ] as [string, number, string][]
  ).filter(([, ms]) => ms >= 0);
  const total = Math.max(
    1,
    parts.reduce((sum, [, ms]) => sum + ms, 0),
  );
  return (
    <div>
      <div
        aria-hidden
        style={{ display: 'flex', gap: 1, height: 8, borderRadius: 4, overflow: 'hidden' }}
      >
        {parts.map(([name, ms, tone]) => (
          <div
            key={name}
            style={{ width: `${(ms / total) * 100}%`, background: `var(--${tone})` }}
          />
        ))}
      </div>
      <Group gap="sm" mt={4}>
        {parts.map(([name, ms, tone]) => (
          <Text key={name} size="xs" className={`status numbers tone-${tone}`}>
            {name} {span(ms)}
          </Text>
        ))}
      </Group>
    </div>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
