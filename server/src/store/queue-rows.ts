import { mayBegin, neverEarly, type QueueRow } from '../domain/queue-row.ts';
import { attemptsFrom, firingFrom, lostAttempt, type Row } from './rows.ts';
import type { Claim, Standing } from './work.ts';

/** Rows of the queue, as both keepers read them. */

export function queueRowFrom(row: Row): QueueRow {
  return {
    state: row.state as QueueRow['state'],
    dueAt: row.due_at as number,
    scheduledFor: row.scheduled_for as number,
    nextFor: row.next_for as number | null,
    attempt: row.attempt as number,
    attempts: attemptsFrom(row.attempts),
  };
}

export function isBegun(row: Row, now: number, unseenUntil: number): boolean {
  if (row.changed_at !== null || row.blocked_since !== null) return false;
  const state = row.state as QueueRow['state'];
  const scheduledFor = row.scheduled_for as number;
  const nextFor = row.next_for as number | null;
  return mayBegin({ state, scheduledFor, nextFor }, now, unseenUntil);
}

/** @param row of the queue, with its schedule and its client beside it */
export function claimFrom(row: Row, now: number, unseenUntil: number): Claim {
  const begun = isBegun(row, now, unseenUntil);
  return {
    was: row.state as Claim['was'],
    state: 'inFlight',
    dueAt: row.due_at as number,
    scheduledFor: row.scheduled_for as number,
    nextFor: row.next_for as number | null,
    attempt: (row.attempt as number) + (begun ? 1 : 0),
    attempts: attemptsFrom(row.attempts),
    begun,
    scheduleKey: row.schedule_key as number,
    clientKey: row.client_key as number,
    claimedAt: now,
    changedAt: row.changed_at as number | null,
    blockedSince: row.blocked_since as number | null,
    firing: firingFrom(row),
  };
}

export function standingFrom(row: Row): Standing {
  return {
    scheduleKey: row.schedule_key as number,
    scheduledFor: row.scheduled_for as number,
    attempt: row.attempt as number,
    nextFor: row.next_for as number | null,
    changedAt: row.changed_at as number | null,
    firing: firingFrom(row),
  };
}

/** What a row that was in flight becomes when the process that claimed it is gone. */
export function recovered(row: Row, now: number): Pick<QueueRow, 'state' | 'dueAt' | 'attempts'> {
  const was = queueRowFrom(row);
  const { attempt, attempts, dueAt } = was;
  if (attempt > attempts.length) {
    const lost = lostAttempt(attempt, row.claimed_at as number);
    return { state: 'lost', dueAt: neverEarly(was, now), attempts: [...attempts, lost] };
  }
  // Taken and not begun: it is again what it was.
  if (attempt === 0) return { state: 'waiting', dueAt, attempts };
  return { state: attempts.at(-1)!.outcome === 'lost' ? 'lost' : 'retrying', dueAt, attempts };
}
