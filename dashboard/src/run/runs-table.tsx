import { Checkbox, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Run } from '@punctual/client';
import { Link } from 'wouter';
import { nameOf } from '../schedule/schedule-name.ts';
import { Status } from '../schedule/status.tsx';
import {
  fullTime,
  inReadersTime,
  READER_ZONE,
  relative,
  shortTime,
  span,
  useNow,
} from '../time/times.ts';
import { callerText, lateOf } from './run-words.ts';

/** Runs, newest first. Those that can be sent again can be picked where `picked` is given. */
export function RunsTable({
  runs,
  isOfMany = false,
  onOpen,
  picked,
  onPick,
}: {
  runs: Run[];
  /** Of several schedules: each run has the name of its own. */
  isOfMany?: boolean;
  onOpen: (id: string) => void;
  picked?: ReadonlyMap<string, Run>;
  onPick?: (id: string, isPicked: boolean) => void;
}) {
  const now = useNow(5_000);
  return (
    <table className="rows">
      <thead>
        <tr>
          {picked && (
            <th>
              <VisuallyHidden>Pick</VisuallyHidden>
            </th>
          )}
          <th title={READER_ZONE}>Due, your time</th>
          <th>Status</th>
          {isOfMany && <th>Schedule</th>}
          <th>Late</th>
          <th>Took</th>
          <th className="run-attempts">Attempts</th>
          <th>What came back</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(run => (
          <tr key={run.id} data-selected={picked?.has(run.id) || undefined}>
            {picked && (
              <td className="pick">
                <Checkbox
                  aria-label={`Pick the run of ${fullTime(run.scheduledFor)}`}
                  checked={picked.has(run.id)}
                  onChange={event => onPick?.(run.id, event.currentTarget.checked)}
                />
              </td>
            )}
            <td>
              <UnstyledButton
                className="link numbers"
                fz="sm"
                onClick={() => onOpen(run.id)}
                title={relative(run.scheduledFor, now)}
                style={{ whiteSpace: 'nowrap' }}
              >
                {shortTime(run.scheduledFor)}
              </UnstyledButton>
            </td>
            <td>
              <Text size="sm">
                <Status of={run.status} />
              </Text>
            </td>
            {isOfMany && (
              <td className="line run-schedule">
                <div className="clip">
                  <Link href={`/schedules/${run.scheduleId}`} className="link">
                    {nameOf({ label: run.label ?? '', url: run.url ?? run.scheduleId })}
                  </Link>
                </div>
              </td>
            )}
            <Span name="Late" ms={lateOf(run)} />
            <Span name="Took" ms={tookOf(run)} />
            <td className="numbers run-attempts" data-label="Attempts">
              <Text size="sm" span>
                {run.attempts.length || '–'}
              </Text>
            </td>
            <td className="grow">
              <Text size="sm" className="clip muted" title={resultOf(run)}>
                {resultOf(run)}
              </Text>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Span({ name, ms }: { name: string; ms: number | null }) {
  return (
    <td className="numbers" data-label={name} style={{ whiteSpace: 'nowrap' }}>
      <Text size="sm" span>
        {ms === null ? '–' : span(ms)}
      </Text>
    </td>
  );
}

function tookOf({ startedAt, finishedAt }: Run): number | null {
  if (startedAt === undefined || finishedAt === undefined) return null;
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

export function resultOf(run: Run): string {
  const { attempts, reason } = run;
  const last = attempts.at(-1);
  const status = last?.responseStatus && `status ${last.responseStatus}`;
  const { completionUntil } = run;
  const waits = completionUntil && `waits for its completion until ${shortTime(completionUntil)}`;
  const text = inReadersTime(waits ?? last?.error ?? reason ?? (status || ''));
  return `${callerText(run)}${text}`;
}
