import { nextTime } from '../calendar/times.ts';
import type { When } from '../calendar/timing.ts';
import type { Policy, Schedule } from '../schedule/schedule.ts';
import { isSetAhead } from './completion.ts';
import type { QueueRow } from './queue-row.ts';
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
  /**
   * It has begun: the engine is to look at it again, as after a change of the schedule. A row that waits for another time than
   * before loses its mark: what it was to be looked at for is counted in.
   */
  marked: boolean;
}

type Counted = Pick<QueueRow, 'state' | 'dueAt' | 'scheduledFor' | 'nextFor' | 'attempts'>;
type Counts = Pick<Schedule, 'status' | 'policy'> & When;

/**
 * @param now by the clock that was set back
 * @returns null where the row is right as it is
 */
export function recounted(row: Counted, schedule: Counts, now: number): Recounted | null {
  const first = schedule.status === 'enabled' ? nextTime(schedule, now) : null;
  const isOwnFirst = row.scheduledFor <= now || (first !== null && first >= row.scheduledFor);
  if (isOwnFirst) {
    // Times after it may have been decided about already: these come again.
    const next = row.scheduledFor <= now ? first : nextTime(schedule, row.scheduledFor);
    return soonerNext(row, schedule, next, now);
  }
  const nextFor = firstOf(row.nextFor, first, now);
  if (row.state === 'waiting') return nextFor === null ? null : waitingFor(nextFor, schedule);
  const dueAt = dueAgain(row, nextFor ?? now, now);
  if (row.nextFor === nextFor && row.dueAt === dueAt) return null;
  return { dueAt, scheduledFor: row.scheduledFor, nextFor, marked: true };
}

/**
 * A row after the rules of its time zone have changed. A time that is due, or has begun, stays: only times to come are counted
 * anew. A time that the new rules put into the past is not made up for.
 *
 * @returns null where the row is right as it is, or has no other time
 */
export function rezoned(row: Counted, schedule: Counts, now: number): Recounted | null {
  const { state, scheduledFor, nextFor, dueAt } = row;
  if (schedule.status !== 'enabled') return null;
  // One that has passed is decided about when its row is.
  if (nextFor !== null && nextFor <= now) return null;
  if (state === 'waiting' && scheduledFor > now) {
    const first = nextTime(schedule, now);
    const moved = first === null ? null : waitingFor(first, schedule);
    const isSame = moved?.scheduledFor === scheduledFor && moved.nextFor === nextFor;
    return isSame ? null : moved;
  }
  const next = nextTime(schedule, Math.max(scheduledFor, now));
  if (next === nextFor) return null;
  const isBegun = state !== 'waiting';
  const due = isBegun && next !== null ? dueAgain(row, next, now) : dueAt;
  return { dueAt: due, scheduledFor, nextFor: next, marked: isBegun };
}

/**
 * A next time that has passed stays the next one until it is decided about: the clock may have gone ahead again since
 * the row was counted anew. So has a row that waits, where the claim of it was given up in between.
 */
function firstOf(nextFor: number | null, first: number | null, now: number): number | null {
  return nextFor !== null && nextFor <= now ? nextFor : first;
}

function waitingFor(first: number, schedule: Counts): Recounted {
  const nextFor = nextTime(schedule, first);
  return { dueAt: first, scheduledFor: first, nextFor, marked: false };
}

/**
 * A run in flight is looked at when it ends. A retry gives way to the next time when that comes.
 */
function dueAgain({ state, dueAt, attempts }: Counted, first: number, now: number): number {
  if (state === 'inFlight') return dueAt;
  if (state === 'awaiting') return awaitedAnew({ dueAt, attempts }, now);
  return Math.min(dueAt, state === 'lost' ? now : first);
}

/** Its own time has passed. Under the clock that was ahead others had as well, and these come again. */
function soonerNext(
  row: Counted,
  schedule: Counts,
  first: number | null,
  now: number,
): Recounted | null {
  const { state, scheduledFor, nextFor, attempts } = row;
  const retry = soonerRetry(row, schedule, now);
  if (first === null || (nextFor !== null && nextFor <= first)) return retry;
  const due = retry?.dueAt ?? row.dueAt;
  const dueAt = state === 'retrying' ? Math.min(due, first) : due;
  // Nobody knows here whether its request has left. If it has not, the mark has the claim given back, and its own time comes again.
  const isClaimed = state === 'inFlight' && attempts.length === 0;
  return {
    dueAt,
    scheduledFor,
    nextFor: isClaimed ? scheduledFor : first,
    marked: state !== 'waiting',
  };
}

/** The delay of a retry was counted from an instant that the clock no longer shows. */
function soonerRetry(row: Counted, schedule: Counts, now: number): Recounted | null {
  const { state, scheduledFor, nextFor, attempts } = row;
  if (state === 'inFlight' || state === 'waiting') return null;
  const ended = state === 'lost' ? [] : attempts;
  const dueAt =
    state === 'awaiting'
      ? awaitedAnew(row, now)
      : soonest(row, schedule, dueAnew(row.dueAt, ended, schedule.policy, now));
  return dueAt === row.dueAt ? null : { dueAt, scheduledFor, nextFor, marked: false };
}

/**
 * When a run that awaits is looked at: at once, where a clock that was ahead has set its deadline, or has looked at it and was cut off.
 * The look sets it anew.
 */
export function awaitedAnew(
  { dueAt, attempts }: Pick<QueueRow, 'dueAt' | 'attempts'>,
  now: number,
): number {
  const last = attempts.at(-1);
  if (last === undefined) return dueAt;
  const isLater = dueAt > (last.completion?.until ?? Number.POSITIVE_INFINITY);
  return isLater || isSetAhead(last, now) ? Math.min(dueAt, now) : dueAt;
}

/** No later than it is due, and no earlier than its nominal time or the end of a pause. */
function soonest({ dueAt, scheduledFor }: Counted, { timing }: Counts, anew: number): number {
  return Math.min(dueAt, Math.max(anew, scheduledFor, timing?.pausedUntil ?? 0));
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
  const verdict = judge(attempts, policy, UNBOUNDED, now, MOST_JITTER);
  return Math.min(dueAt, verdict.kind === 'retry' ? verdict.at : now);
}

const MOST_JITTER = 1;
const UNBOUNDED = { scheduledFor: null, nextFor: null };
