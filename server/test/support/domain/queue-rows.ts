import { iso } from '../../../src/domain/iso.ts';
import type { Move } from '../../../src/domain/run/queue.ts';
import type { QueueRow, TakenRow } from '../../../src/domain/run/queue-row.ts';
import type { Attempt, RunRecord } from '../../../src/domain/run/run.ts';
import type { Unseen } from '../../../src/domain/run/unseen.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';

/** Queue rows and moves as the tables write them: times are those of 1 June 2026, in UTC. */

export const at = (time: string): number => Date.parse(`2026-06-01T${time.padEnd(8, ':00')}Z`);

/** Every ten minutes, unless the table says otherwise. */
export const schedule = (fields: Partial<Schedule> = {}): Schedule => ({
  id: '019cb000-0000-7000-8000-000000000001',
  status: 'enabled',
  url: 'https://target.example/',
  verb: 'POST',
  interval: '*/10 * * * *',
  timezone: 'UTC',
  createdAt: at('00:00'),
  label: '',
  ...fields,
});

export const attempt = (number: number, fields: Partial<Attempt> = {}): Attempt => ({
  number,
  startedAt: at('12:00:01'),
  outcome: 'response',
  responseStatus: 500,
  error: 'The target answered 500.',
  ...fields,
});
export const lost = attempt(1, { outcome: 'lost' });

/** The waiting row of 12:00, taken. */
export const taken = (fields: Partial<TakenRow> = {}): TakenRow => ({
  state: 'inFlight',
  was: 'waiting',
  dueAt: at('12:00'),
  scheduledFor: at('12:00'),
  nextFor: at('12:10'),
  attempt: 0,
  attempts: [],
  changedAt: null,
  blockedSince: null,
  ...fields,
});

/** The same run after one attempt: between two, or cut off. */
export const begun = (fields: Partial<TakenRow> = {}): TakenRow =>
  taken({
    was: 'retrying',
    dueAt: at('12:00:06'),
    attempt: 1,
    attempts: [attempt(1)],
    ...fields,
  });

/** A move in one line each: the row, and every record. */
export function told({ row, passed, ended }: Move): { row: string; records: string[] } {
  const records = ended ? [...passed, ended] : passed;
  return { row: rowTold(row), records: records.map(recordTold) };
}

function rowTold(row: QueueRow | null): string {
  if (row === null) return 'none';
  const { state, scheduledFor, dueAt, nextFor, attempt } = row;
  const due = dueAt === scheduledFor ? '' : ` due ${time(dueAt)}`;
  const begun = attempt === 0 ? '' : ` attempt ${attempt}`;
  return `${state} ${time(scheduledFor)}${due}${begun}, then ${nextFor === null ? 'never' : time(nextFor)}`;
}

function recordTold({ status, scheduledFor, missed }: RunRecord): string {
  if (missed) return `${status} ${missed.count} from ${time(missed.from)} to ${time(missed.to)}`;
  return `${status} ${time(scheduledFor)}`;
}

const time = (instant: number) =>
  iso(instant)
    .slice(11, 23)
    .replace(/\.000$/, '')
    .replace(/^(\d\d:\d\d):00$/, '$1');

/** Why is not known. */
export function unseenUntil(until: number): Unseen {
  return { until, spans: [] };
}
