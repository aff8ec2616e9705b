import { PunctualError } from '../../domain/errors.ts';
import { notBegun } from '../../domain/run/queue.ts';
import { neverEarly, type QueueRow } from '../../domain/run/queue-row.ts';
import { skippedBehind } from '../../domain/run/row-times.ts';
import type { RunRecord } from '../../domain/run/run.ts';
import { decidedFrom, type Start, startBeyond, startOf } from '../../domain/run/start.ts';
import { PUT_OFF_MS } from '../../domain/run/suspension.ts';
import type { Schedule, ScheduleStatus } from '../../domain/schedule/schedule.ts';
import { QUEUE, type Row } from '../columns.ts';
import type { AwaitedManual, Claim, ClaimedRow } from '../contract/queue.ts';
import type { Requeue } from '../contract/schedules.ts';
import {
  attemptsFrom,
  fireableScheduleFrom,
  lostAttempt,
  wasClaimedTooLate,
  whenFrom,
} from './row.ts';

/** Rows of the queue, as both backends read them. */

/** Clocks of nodes differ by less, and no clock is set by less on purpose. */
const STEP_MS = 1_000;

/**
 * The level of a row after a change, as both dialects say it. A run that awaits its completion needs an engine that knows
 * completions, whatever the schedule needs from now on. It stays so until the next change.
 *
 * @param largest the dialect's function for the largest of its arguments
 * @param needs the level of the changed schedule, as an expression of the statement
 */
export function changedLevel(largest: 'max' | 'greatest', needs: string): string {
  return `CASE WHEN queue.state IN ('waiting', 'retrying') THEN ${needs}
      ELSE ${largest}(queue.needs, ${needs}) END`;
}

/**
 * When a row is due that a manual run blocks no longer, as both dialects say it. One that was looked at meanwhile waited
 * for the end of that run: it is due as it was. A row in flight is being decided about.
 *
 * @param least the dialect's function for the least of its arguments
 * @param largest for the largest
 * @param wasLookedAt whether the row was taken while it was blocked: it was due then
 */
export function dueUnblocked(
  least: 'min' | 'least',
  largest: 'max' | 'greatest',
  wasLookedAt: string,
): string {
  return `CASE
      WHEN queue.due_at >= ${PUT_OFF_MS} THEN queue.due_at
      WHEN queue.state = 'waiting' THEN ${least}(queue.due_at, queue.scheduled_for)
      WHEN queue.state IN ('retrying', 'lost') AND ${wasLookedAt}
        THEN ${least}(queue.due_at, ${largest}(queue.claimed_at, queue.scheduled_for))
      ELSE queue.due_at END`;
}

/** Whether a row was taken after a manual run began to block it (`takenBefore`, `takenAt`). */
export const LOOKED_AT_BLOCKED = 'queue.claimed_at > queue.blocked_since';

/**
 * The cell `claimed_at` of a row that a manual run begins to block at `now`. The claim of the manual run may be written late,
 * after one of the row for which the clock was read later. The cell `fence` keeps the number of that one (`nextFence`).
 */
export function takenBefore(now: string): string {
  return `CASE WHEN queue.claimed_at > ${now} THEN ${now} ELSE queue.claimed_at END`;
}

/**
 * The cell `claimed_at` of a row that is taken at `now`. A manual run may have begun to block it in that millisecond: the
 * cell says that the row was taken after that.
 */
export function takenAt(largest: 'max' | 'greatest', now: string): string {
  return `${largest}(${now}, coalesce(queue.blocked_since + 1, 0))`;
}

/**
 * The records of the times that came before a change while the run of a row was going: the change counts times anew, and
 * nobody else would speak of them.
 *
 * @param row of the queue that has begun, with the id, the zone and the times of its schedule before the change
 */
export function skippedBefore(row: Row, changedAt: number): RunRecord[] {
  const schedule = { id: row.schedule_id as string, ...whenFrom(row) };
  try {
    const records = skippedBehind(QUEUE.fromRow(row), schedule, changedAt);
    return records.map(record => ({ ...record, decidedAt: changedAt }));
  } catch (error) {
    // Its time zone is known no more: its times cannot be counted, and the change is made.
    if (!(error instanceof PunctualError)) throw error;
    return [];
  }
}

/**
 * The start of a changed schedule beyond what was decided about.
 *
 * @param row of the queue, with the zone and the times of its schedule before the change
 * @param now when the change is written, epoch ms
 */
export function startBehind(row: Row, start: Start, schedule: Schedule, now: number): Start | null {
  try {
    const before = { status: row.status as ScheduleStatus, ...whenFrom(row) };
    const decided = decidedFrom(start.first, QUEUE.fromRow(row), before, now);
    return startBeyond(start, decided, schedule);
  } catch (error) {
    // As above.
    if (!(error instanceof PunctualError)) throw error;
    return start;
  }
}

/**
 * A change of times as it is written. The clock may have been set back since it was dated: what was counted by the clock that was ahead
 * leaves out times that come again. It is counted from now on, then.
 *
 * @param now by the clock of the store, epoch ms
 */
export function asWritten(requeue: Requeue, schedule: Schedule, now: number): Requeue {
  if (requeue === 'keep' || requeue.changedAt <= now + STEP_MS) return requeue;
  return { ...requeue, changedAt: now, start: startOf(schedule, now) };
}

/** A change is written so soon after its date. A clock that says otherwise was set since, or is another one. */
const WRITTEN_WITHIN_MS = 60_000;

/**
 * The mark of a change on a row that has begun: when it is written. A request that has left since its date was not taken back.
 *
 * @param now by the clock of the store, epoch ms
 */
export function markedAt(changedAt: number, now: number): number {
  const isLater = now > changedAt && now - changedAt <= WRITTEN_WITHIN_MS;
  return isLater ? now : changedAt;
}

/**
 * The cell `changed_at` of a row that has begun, after a change. It is part of the fence: two changes within one millisecond are two.
 * A change that came before the time of a claim took it back, and its date says so: another one leaves that as it is.
 *
 * @param largest the dialect's function for the largest of its arguments
 * @param at the mark of the change, as an expression of the statement
 */
export function markCell(largest: 'max' | 'greatest', at: string): string {
  const isTakenBack = `queue.state = 'inFlight' AND queue.claimed_at < queue.due_at
        AND queue.changed_at < queue.due_at - 1`;
  return `CASE WHEN ${isTakenBack} THEN queue.changed_at + 1
      ELSE ${largest}(${at}, coalesce(queue.changed_at + 1, 0)) END`;
}

/** Due rows among which those of newer engines are looked for. */
const LOOKED_AT = 5_000;

/**
 * How many rows are due, as both dialects say it. The index tells that without the rows: to read a million of them takes
 * seconds. So only the earliest are looked at for those that need a newer engine.
 *
 * @param now when, as a parameter of the statement
 * @param level of this engine
 */
export function depthSql(now: string, level: string): string {
  const due = `state <> 'inFlight' AND due_at <= ${now}`;
  return `
    SELECT count(*) - (
      SELECT count(*) FROM (
        SELECT needs FROM queue WHERE ${due} ORDER BY due_at LIMIT ${LOOKED_AT}) AS earliest
      WHERE needs > ${level}) AS depth
    FROM queue WHERE ${due}`;
}

/** @param row of the queue as it was before the claim, with `begins` (`ClaimRule`), `next_fence`, its schedule and its client */
export function claimFrom(row: Row, now: number): Claim {
  const begun = row.begins === 1;
  return {
    was: row.state as Claim['was'],
    state: 'inFlight',
    dueAt: row.due_at as number,
    scheduledFor: row.scheduled_for as number,
    nextFor: row.next_for as number | null,
    attempt: (row.attempt as number) + (begun ? 1 : 0),
    attempts: attemptsFrom(row.attempts),
    begun,
    scheduleRowId: row.schedule_key as number,
    clientRowId: row.client_key as number,
    claimedAt: now,
    fence: row.next_fence as number,
    version: row.version as number,
    changedAt: row.changed_at as number | null,
    blockedSince: row.blocked_since as number | null,
    schedule: fireableScheduleFrom(row),
  };
}

/** @param row of the outbox */
export function awaitedManualFrom(row: Row): AwaitedManual {
  return { scheduleRowId: row.schedule_key as number, dueAt: row.due_at as number };
}

export function standingFrom(row: Row): ClaimedRow {
  return {
    scheduleRowId: row.schedule_key as number,
    scheduledFor: row.scheduled_for as number,
    attempt: row.attempt as number,
    fence: row.next_fence as number,
    nextFor: row.next_for as number | null,
    changedAt: row.changed_at as number | null,
    schedule: fireableScheduleFrom(row),
  };
}

/**
 * Whether a row in flight was claimed ahead and its request does not leave: its time has not come, or
 * the schedule was changed before it.
 *
 * @param now by the clock of whoever sends
 */
export function isAheadOfTime(row: Row, now: number): boolean {
  if (row.state !== 'inFlight') return false;
  const [dueAt, claimedAt] = [row.due_at as number, row.claimed_at as number];
  return claimedAt < dueAt && Math.min(now, (row.changed_at as number | null) ?? now) < dueAt;
}

/** Whether the clock was set back since the claim. A change comes after it, so one that is dated before it says so. */
function isOfClockAhead(row: Row, now: number): boolean {
  const [claimedAt, changedAt] = [row.claimed_at as number, row.changed_at as number | null];
  return claimedAt > now || (changedAt !== null && changedAt < claimedAt - STEP_MS);
}

/** The facts about the process that claimed a row in flight, as far as its successor knows them. */
export interface KnownOfSender {
  /** Rows claimed ahead for a later time than this were never sent; undefined: not known. */
  sentUntil?: number | undefined;
  /** The latest instant on record, which a clock that was set back since had shown; null: nothing is on record. */
  shownUntil?: number | null;
  /** How old a claim may be that it sends without a look at what others have changed since, ms; 0 where there are no others. */
  sureMs?: number;
}

/**
 * Whether the request of a row in flight may have been sent. If `sentUntil` is known, a change
 * proves nothing: it is written a little after its date, and requests are sent in between.
 */
function mayHaveLeft(row: Row, now: number, known: KnownOfSender): boolean {
  if (wasTooLate(row, now)) return false;
  const { sentUntil, shownUntil, sureMs = 0 } = known;
  const [dueAt, claimedAt] = [row.due_at as number, row.claimed_at as number];
  if (sentUntil !== undefined) return dueAt <= Math.max(sentUntil, claimedAt);
  // If the clock was set back since, its time may have come before.
  const latest = Math.max(now, shownUntil ?? now);
  // The node may not have heard of the change that took the claim back.
  if (dueAt <= latest && dueAt - claimedAt <= sureMs) return true;
  return isOfClockAhead(row, now) || !isAheadOfTime(row, latest);
}

/**
 * Whether the retries of its run had ended when it was claimed: then nobody sent it, and the next claim ends its run. Once it was
 * changed, the policy that it was claimed with is not known.
 */
function wasTooLate(row: Row, now: number): boolean {
  return row.changed_at === null && !isOfClockAhead(row, now) && wasClaimedTooLate(row);
}

/**
 * The next state of a row in flight when the process that claimed it is gone.
 *
 * @param row with the policy of its schedule
 */
export function recovered(
  row: Row,
  now: number,
  known: KnownOfSender,
): Pick<QueueRow, 'state' | 'dueAt' | 'attempt' | 'attempts'> {
  const was = QUEUE.fromRow(row);
  const { attempt, attempts, nextFor } = was;
  const changedAt = row.changed_at as number | null;
  if (attempt > attempts.length && mayHaveLeft(row, now, known)) {
    const lost = lostAttempt(attempt, Math.max(row.claimed_at as number, was.dueAt));
    // Not now: it would wait behind all that is late already, until the schedule's next time has come.
    const dueAt = neverEarly(was, was.dueAt);
    return { state: 'lost', dueAt, attempt, attempts: [...attempts, lost] };
  }
  // Taken and not begun: it is again what it was, and brought forward where the schedule was changed.
  const dueAt = changedAt === null ? was.dueAt : Math.min(was.dueAt, nextFor ?? changedAt);
  return { state: notBegun(attempts), dueAt, attempt: attempts.length, attempts };
}
