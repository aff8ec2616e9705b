import { countTimes, lastTime } from '../../domain/calendar/times.ts';
import { PunctualError } from '../../domain/errors.ts';
import { instantOf } from '../../domain/id.ts';
import { type Recounted, recounted, rezoned } from '../../domain/run/recount.ts';
import type { RunRecord } from '../../domain/run/run.ts';
import type { ScheduleStatus } from '../../domain/schedule/schedule.ts';
import { QUEUE, type Row } from '../columns.ts';
import type { KnownRun, MovedRows } from '../contract/recount.ts';
import { attemptsFrom, json, whenFrom } from './row.ts';

type Missed = NonNullable<RunRecord['missed']>;

/** The rows to repair after the clock was set back, as both backends read and write them. */

/** The earliest time of a row in flight that is yet to be decided about: its own, where the claim has not begun. */
export const UNDECIDED_IN_FLIGHT = 'CASE attempt WHEN 0 THEN scheduled_for ELSE next_for END';

/** Claims are made up to a second ahead of their time. One that is further ahead was made before the clock was set back. */
const CLAIMED_AHEAD_MS = 1_000;

/**
 * Whether a run that is in flight, or awaits, was sent before the clock was set back: its time comes again. Its schedule may have been
 * changed since, so that its next time comes after its own, or it has none.
 *
 * @param now as an expression of the statement
 */
export function sentAhead(now: string): string {
  return `(next_for < scheduled_for OR scheduled_for > ${now} + ${CLAIMED_AHEAD_MS})`;
}

/** Whether a record is of a nominal time that was never sent. A clock that was ahead leaves such records of times to come. */
export const UNSENT = "manual_id = '' AND status IN ('missed', 'skipped') AND attempts = '[]'";

/** @param row of the queue, with its schedule's times and policy beside it */
export function recountedFrom(row: Row, now: number): Recounted | null {
  return countedAnew(recounted, row, now);
}

/** @param row as for `recountedFrom` */
export function rezonedFrom(row: Row, now: number): Recounted | null {
  return countedAnew(rezoned, row, now);
}

function countedAnew(count: typeof recounted, row: Row, now: number): Recounted | null {
  const schedule = {
    status: row.status as ScheduleStatus,
    ...whenFrom(row),
    ...(row.policy !== null && { policy: JSON.parse(row.policy as string) }),
  };
  try {
    return count(QUEUE.fromRow(row), schedule, now);
  } catch (error) {
    // A time zone that is known no more: one bad row cannot stop the others.
    if (error instanceof PunctualError) return null;
    throw error;
  }
}

/** @param dues when each of the rows that have moved is due */
export function movedRows(dues: number[]): MovedRows {
  const dueAt = dues.reduce<number | null>((a, b) => Math.min(a ?? b, b), null);
  return { count: dues.length, dueAt };
}

/** @param row of a run */
export function knownFrom(row: Row): KnownRun {
  return {
    scheduleRowId: row.schedule_key as number,
    scheduledFor: row.scheduled_for as number,
    sent: row.status === 'succeeded' || row.status === 'failed',
    attempts: attemptsFrom(row.attempts),
  };
}

/**
 * The part up to `now` of a record of missed times that reaches beyond it. Its first time is not
 * after `now`.
 *
 * @param row of a run, with the interval, time zone and timing beside it under which it was made
 */
export function cutMissed(row: Row, now: number): string | null {
  const { from } = JSON.parse(row.missed as string) as Missed;
  const when = whenFrom(row);
  const to = lastTime(when, from, now) ?? from;
  return json({ count: countTimes(when, from, to), from, to });
}

/** Earlier states of a schedule among which one is sought: a record of missed times was made under it. */
export const MOST_STATES = 100;

/**
 * The record beside the times under which it was made. Its schedule may have changed since; the clock was set back, so the
 * dates of changes do not tell which came first. But the record says how many times it stands for.
 *
 * @param row of a run, with the present times of its schedule beside it
 * @param earlier the states before, newest first
 */
export function asMade(row: Row, earlier: Row[]): Row {
  return [row, ...earlier.map(state => ({ ...row, ...state }))].find(standsFor) ?? row;
}

/** @param row of a run, with times beside it: whether it stands for these */
export function standsFor(row: Row): boolean {
  const { count, from, to } = JSON.parse(row.missed as string) as Missed;
  const when = whenFrom(row);
  try {
    return lastTime(when, from, to) === to && countTimes(when, from, to) === count;
  } catch (error) {
    // Its time zone is known no more.
    if (error instanceof PunctualError) return false;
    throw error;
  }
}

/**
 * Whether a record stands for missed times that reach beyond `now`. Up to `now` its schedule has no later record of a nominal
 * time: so only the latest of them is asked.
 *
 * @param row of a run
 */
export function isReaching({ missed }: Row, now: number): boolean {
  return missed !== null && (JSON.parse(missed as string) as Missed).to > now;
}

/** @param rows of clients: when their newest run ended, and their schedules were changed and made */
export function latestOf(rows: Row[]): number | null {
  const instants = rows.flatMap(({ ended_at, changed_at, newest }) => [
    (ended_at ?? 0) as number,
    (changed_at ?? 0) as number,
    newest === null ? 0 : instantOf(newest as string),
  ]);
  const latest = instants.reduce((a, b) => Math.max(a, b), 0);
  return latest === 0 ? null : latest;
}
