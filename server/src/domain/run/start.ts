import { nextTime } from '../calendar/times.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { QueueRow } from './queue-row.ts';

/**
 * A change counts a schedule's times from the instant at which the clock was read, and is written a
 * little later. A time that fired in between is one of the new times as well: it does not come again.
 */

/** The first two times of a schedule that is to fire; null for one that is not enabled. */
export interface Start {
  first: number;
  second: number | null;
}

/**
 * The longest time between reading the clock and writing a change, in ms. A run for a later time
 * than that fired before the clock was set back, so the change counts its times anew.
 */
export const WRITTEN_WITHIN_MS = 60_000;

/** @param now the times after it, epoch ms */
export function startOf(schedule: Schedule, now: number): Start | null {
  if (schedule.status !== 'enabled') return null;
  const first = nextTime(schedule, now);
  if (first === null) return null;
  return { first, second: nextTime(schedule, first) };
}

/**
 * The instant from which a changed schedule counts its times.
 *
 * @param start as it was counted
 * @param firedFor the latest time that it has fired for within `WRITTEN_WITHIN_MS` of that, or null
 */
export function startBeyond(
  start: Start | null,
  firedFor: number | null,
  schedule: Schedule,
): Start | null {
  if (start === null || firedFor === null || !isRepeated(start.first, firedFor)) return start;
  return startOf(schedule, firedFor);
}

/** A row that has begun, with a next time that comes after its own. */
export function beyondOwn<Row extends Pick<QueueRow, 'scheduledFor' | 'nextFor'>>(
  row: Row,
  schedule: Schedule,
): Row {
  const { scheduledFor, nextFor } = row;
  if (nextFor === null || !isRepeated(nextFor, scheduledFor)) return row;
  return { ...row, nextFor: nextTime(schedule, scheduledFor) };
}

function isRepeated(first: number, firedFor: number): boolean {
  return first <= firedFor && firedFor <= first + WRITTEN_WITHIN_MS;
}
