import { nextTime } from '../calendar/calendar.ts';
import type { Policy, Schedule } from '../schedule/schedule.ts';
import type { QueueRow, QueueState } from './queue-row.ts';
import type { Attempt } from './run.ts';
import { judge } from './verdict.ts';

/**
 * Rows that a clock which was ahead has left behind: they wait for instants that come much later than the
 * schedule's next time. When the clock is right again they are counted anew.
 */

/** A row as it is counted anew. */
export interface Recounted {
  dueAt: number;
  scheduledFor: number;
  nextFor: number | null;
  /** It has begun: the engine is to look at it again, as after a change of the schedule. */
  marked: boolean;
}

type Counted = Pick<QueueRow, 'state' | 'dueAt' | 'scheduledFor' | 'nextFor' | 'attempts'>;
type Counts = Pick<Schedule, 'status' | 'interval' | 'timezone' | 'policy'>;

/**
 * @param now by the clock that was set back
 * @returns null where the row is right as it is
 */
export function recounted(row: Counted, schedule: Counts, now: number): Recounted | null {
  if (row.scheduledFor <= now) return soonerRetry(row, schedule, now);
  const { interval, timezone, status } = schedule;
  const first = status === 'enabled' ? nextTime(interval, timezone, now) : null;
  if (first !== null && first >= row.scheduledFor) return null;
  if (row.state === 'waiting') return first === null ? null : waitingFor(first, schedule);
  const nextFor = earlierOf(row.nextFor, first);
  const dueAt = dueAgain(row.state, row.dueAt, nextFor ?? now, now);
  if (row.nextFor === nextFor && row.dueAt === dueAt) return null;
  return { dueAt, scheduledFor: row.scheduledFor, nextFor, marked: true };
}

/**
 * A next time that has passed stays the next one until it is decided about: the clock may have gone ahead again since
 * the row was counted anew.
 */
function earlierOf(nextFor: number | null, first: number | null): number | null {
  return first === null || nextFor === null ? first : Math.min(nextFor, first);
}

function waitingFor(first: number, { interval, timezone }: Counts): Recounted {
  const nextFor = nextTime(interval, timezone, first);
  return { dueAt: first, scheduledFor: first, nextFor, marked: false };
}

/**
 * A run in flight is looked at when it ends. A retry gives way to the next time when that comes.
 */
function dueAgain(state: QueueState, dueAt: number, first: number, now: number): number {
  if (state === 'inFlight') return dueAt;
  return Math.min(dueAt, state === 'lost' ? now : first);
}

/** The delay of a retry was counted from an instant that the clock no longer shows. */
function soonerRetry(row: Counted, { policy }: Counts, now: number): Recounted | null {
  const { state, scheduledFor, nextFor, attempts } = row;
  if (state === 'inFlight' || state === 'waiting') return null;
  const dueAt = dueAnew(row.dueAt, state === 'lost' ? [] : attempts, policy, now);
  return dueAt === row.dueAt ? null : { dueAt, scheduledFor, nextFor, marked: false };
}

/**
 * When something is due that waits to be sent, or to be tried again: no later than if its last attempt had
 * ended now.
 *
 * @param attempts none where it was not sent yet
 */
export function dueAnew(
  dueAt: number,
  attempts: Attempt[],
  policy: Policy | undefined,
  now: number,
): number {
  if (dueAt <= now) return dueAt;
  if (attempts.length === 0) return now;
  const verdict = judge(attempts, policy, now, null, MOST_JITTER);
  return Math.min(dueAt, verdict.kind === 'retry' ? verdict.at : now);
}

const MOST_JITTER = 1;
