import { lastTime, nextTime } from '../calendar/times.ts';
import type { When } from '../calendar/timing.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { QueueRow } from './queue-row.ts';

/**
 * A change counts a schedule's times from the instant at which the clock was read, and is written a
 * little later. A time that fired in between is one of the new times as well: it does not come again.
 */

/** A clock that is set back by less than that was only steered, or is that of another machine. */
const STEERED_MS = 1_000;

/** The first two times of a schedule that is to fire; null for one that is not enabled. */
export interface Start {
  first: number;
  second: number | null;
}

/** @param now the times after it, epoch ms */
export function startOf(schedule: Schedule, now: number): Start | null {
  if (schedule.status !== 'enabled') return null;
  const first = nextTime(schedule, now);
  if (first === null) return null;
  return { first, second: nextTime(schedule, first) };
}

/**
 * The latest time from `first` on that was decided about before a change was written, by the clock as it is; null where there is
 * none. The row of the queue says so: it waits for the first time that is open. Times beyond it were sent by a clock that was
 * ahead, and are looked up when they come again. So is the time of a run that was sent, and is yet to come.
 * While a schedule is disabled, nobody decides about its times.
 *
 * @param row of the queue when the change is written
 * @param before the schedule's times until then
 * @param now when it is written, epoch ms
 */
export function decidedFrom(
  first: number,
  { scheduledFor, nextFor, attempts }: Pick<QueueRow, 'scheduledFor' | 'nextFor' | 'attempts'>,
  before: When & Pick<Schedule, 'status'>,
  now: number,
): number | null {
  const wasAhead = nextFor !== null && nextFor < scheduledFor;
  if (attempts.length > 0 && !wasAhead)
    return scheduledFor <= now + STEERED_MS ? scheduledFor : null;
  if (before.status !== 'enabled') return null;
  const open = wasAhead ? nextFor : scheduledFor;
  return open > first ? lastTime(before, first, open - 1) : null;
}

/**
 * A start that leaves out what was decided about.
 *
 * @param start as it was counted
 * @param decided as `decidedFrom` its first time
 */
export function startBeyond(
  start: Start | null,
  decided: number | null,
  schedule: Schedule,
): Start | null {
  if (start === null || decided === null || decided < start.first) return start;
  return startOf(schedule, decided);
}

/**
 * A row whose request has left, with a next time that comes after its own. Of a change that was written late the next time may be
 * its own, or lie before that.
 *
 * @param wasSetBack whether the clock was set back since: times before its own come again. Its own does not
 */
export function beyondOwn<Row extends Pick<QueueRow, 'scheduledFor' | 'nextFor'>>(
  row: Row,
  schedule: Schedule,
  wasSetBack: boolean,
): Row {
  const { scheduledFor, nextFor } = row;
  if (nextFor === null || nextFor > scheduledFor) return row;
  if (nextFor < scheduledFor && wasSetBack) return row;
  return { ...row, nextFor: nextTime(schedule, scheduledFor) };
}
