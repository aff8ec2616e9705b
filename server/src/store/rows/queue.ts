import { neverEarly, type QueueRow } from '../../domain/run/queue-row.ts';
import { QUEUE, type Row } from '../columns.ts';
import type { Claim, ClaimedRow } from '../contract/queue.ts';
import { attemptsFrom, fireableScheduleFrom, lostAttempt } from './row.ts';

/** Rows of the queue, as both backends read them. */

/** @param row of the queue as it was before the claim, with `begins` (`ClaimRule`), its schedule and its client */
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
    version: row.version as number,
    changedAt: row.changed_at as number | null,
    blockedSince: row.blocked_since as number | null,
    schedule: fireableScheduleFrom(row),
  };
}

export function standingFrom(row: Row): ClaimedRow {
  return {
    scheduleRowId: row.schedule_key as number,
    scheduledFor: row.scheduled_for as number,
    attempt: row.attempt as number,
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

/**
 * Whether the request of a row in flight may have been sent. If `sentUntil` is known, a change
 * proves nothing: it is written a little after its date, and requests are sent in between.
 */
function mayHaveLeft(row: Row, now: number, sentUntil: number | undefined): boolean {
  // If the clock was set back since, its time may have come before.
  if (sentUntil === undefined) return (row.claimed_at as number) > now || !isAheadOfTime(row, now);
  return (row.due_at as number) <= Math.max(sentUntil, row.claimed_at as number);
}

/**
 * The next state of a row in flight when the process that claimed it is gone.
 *
 * @param sentUntil rows claimed ahead for a later time than this were never sent; undefined: not
 * known
 */
export function recovered(
  row: Row,
  now: number,
  sentUntil?: number,
): Pick<QueueRow, 'state' | 'dueAt' | 'attempt' | 'attempts'> {
  const was = QUEUE.fromRow(row);
  const { attempt, attempts, nextFor } = was;
  const changedAt = row.changed_at as number | null;
  if (attempt > attempts.length && mayHaveLeft(row, now, sentUntil)) {
    const lost = lostAttempt(attempt, Math.max(row.claimed_at as number, was.dueAt));
    // Not now: it would wait behind all that is late already, until the schedule's next time has come.
    const dueAt = neverEarly(was, was.dueAt);
    return { state: 'lost', dueAt, attempt, attempts: [...attempts, lost] };
  }
  // Taken and not begun: it is again what it was, and brought forward where the schedule was changed.
  const dueAt = changedAt === null ? was.dueAt : Math.min(was.dueAt, nextFor ?? changedAt);
  const back = { dueAt, attempt: attempts.length, attempts };
  if (attempts.length === 0) return { state: 'waiting', ...back };
  return { state: attempts.at(-1)!.outcome === 'lost' ? 'lost' : 'retrying', ...back };
}
