import { Code, Divider, Group, Stack, Text, Title } from '@mantine/core';
import type { Attempt, AttemptCompletion } from '@punctual/client';
import type { ReactNode } from 'react';
import { HeaderFacts } from '../schedule/secret-value.tsx';
import { fullTime, inReadersTime, span } from '../time/times.ts';
import { controlText } from './run-words.ts';

/** One attempt: how it ended, its phases, and its answer. @param request is shown beside the answer */
export function AttemptDetail({
  attempt,
  name,
  request,
}: {
  attempt: Attempt;
  name: string;
  request?: ReactNode;
}) {
  const { durationMs, error, note, refused } = attempt;
  const { control, controlFault, completion } = attempt;
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
      {note && (
        <Text size="sm" className="wrap muted">
          {note}
        </Text>
      )}
      {control && <Text size="sm">{controlText(control)}</Text>}
      {controlFault && (
        <Text size="sm" className="wrap muted">
          {controlFault}
        </Text>
      )}
      {completion && <Completed completion={completion} />}
      {request === undefined ? (
        <Answer attempt={attempt} name={name} />
      ) : (
        <div className="beside">
          <section aria-label={`Request of ${name}`}>{request}</section>
          <section aria-label={`Answer to ${name}`}>
            <Text fw={600} size="sm" mb={4}>
              Answer
            </Text>
            <Answer attempt={attempt} name={name} />
          </section>
        </div>
      )}
    </Stack>
  );
}

function Answer({ attempt, name }: { attempt: Attempt; name: string }) {
  const { responseHeaders = {}, responseBody } = attempt;
  const count = Object.keys(responseHeaders).length;
  return (
    <Stack gap="xs">
      <Phases attempt={attempt} />
      {count > 0 && (
        <details>
          <summary className="summary">{count} answer headers</summary>
          <HeaderFacts headers={responseHeaders} />
        </details>
      )}
      {responseBody !== undefined && responseBody !== '' && (
        <div>
          <Text size="xs" className="muted" mb={2}>
            Answer body, the first 4 KiB
          </Text>
          <BodyText body={responseBody} name={`Answer body of ${name}`} />
        </div>
      )}
    </Stack>
  );
}

/** A body, as JSON with its indents where it is JSON. */
export function BodyText({ body, name }: { body: string; name: string }) {
  return (
    <Code block mah={260} tabIndex={0} role="region" aria-label={name}>
      {pretty(body)}
    </Code>
  );
}

function outcomeText({ outcome, refused, responseStatus }: Attempt): string {
  if (refused) return 'not sent';
  return responseStatus === undefined ? OUTCOMES[outcome] : `status ${responseStatus}`;
}

const OUTCOMES: Record<Attempt['outcome'], string> = {
  response: 'answered',
  timeout: 'timed out',
  connectionError: 'no connection',
  blocked: 'refused by the guard',
  lost: 'cut off',
};

/** The end that the target told after its 202. */
function Completed({ completion: { until, endedAt, message } }: { completion: AttemptCompletion }) {
  return (
    <Stack gap={2}>
      <Text size="sm">
        {endedAt === undefined
          ? `Its completion has time until ${fullTime(until)}.`
          : `Its target told the end at ${fullTime(endedAt)}.`}
      </Text>
      {message && (
        <Text size="sm" className="wrap muted">
          {message}
        </Text>
      )}
    </Stack>
  );
}

/** The phases of a request in numbers; the trace draws them. */
function Phases({ attempt: { phases = {}, durationMs } }: { attempt: Attempt }) {
  if (durationMs === undefined) return null;
  const { dnsMs = 0, connectMs = 0, tlsMs = 0, firstByteMs = 0 } = phases;
  const known = dnsMs + connectMs + tlsMs + firstByteMs;
  const parts: [string, number | undefined, string][] = [
    ['DNS', phases.dnsMs, 'dns'],
    ['connect', phases.connectMs, 'connect'],
    ['TLS', phases.tlsMs, 'tls'],
    ['first byte', phases.firstByteMs, 'firstByte'],
    ['rest', Math.max(0, durationMs - known), 'rest'],
  ];
  return (
    <Group gap="sm">
      {parts.map(
        ([name, ms, kind]) =>
          ms !== undefined && (
            <Text key={name} size="xs" className="numbers span-key" data-kind={kind}>
              {name} {span(ms)}
            </Text>
          ),
      )}
    </Group>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
