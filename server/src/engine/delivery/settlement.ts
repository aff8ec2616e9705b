import { nextTime } from '../../domain/calendar/calendar.ts';
import { newId } from '../../domain/id.ts';
import { callbacksOf } from '../../domain/run/callback.ts';
import type { Move } from '../../domain/run/queue.ts';
import type { Attempt, RunRecord } from '../../domain/run/run.ts';
import { judge, type Verdict } from '../../domain/run/verdict.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type {
  Claim,
  ManualClaim,
  NewCallback,
  OutboxClaim,
  OutboxSettlement,
  Settlement,
} from '../../store/contract/queue.ts';

/** Settlements: what the store writes when a job has ended. All functions here are pure. */

// Of the queue -----------------------------------------------------------------------------------

/** A move of a claimed row as the store writes it: history, callbacks and the row, or nothing. */
export function settlementOf(claim: Claim, move: Move, now: number): Settlement {
  const { scheduleRowId, clientRowId, scheduledFor, attempt, changedAt, schedule } = claim;
  return {
    scheduleRowId,
    clientRowId,
    fence: { scheduledFor, attempt, changedAt },
    records: recordsOf(move, now),
    callbacks: move.ended ? newCallbacks(schedule, move.ended, now) : [],
    row: move.row,
  };
}

function recordsOf({ passed, ended }: Move, now: number): RunRecord[] {
  if (passed.length === 0) return ended ? [ended] : passed;
  const records = passed.map(record => ({ ...record, decidedAt: now }));
  return ended ? [...records, ended] : records;
}

export function newCallbacks(schedule: Schedule, run: RunRecord, now: number): NewCallback[] {
  return callbacksOf(schedule, run).map(draft => ({
    ...draft,
    id: newId(now),
    runId: run.id,
    dueAt: now,
  }));
}

// Of the outbox ----------------------------------------------------------------------------------

/** A manual run or a callback after an attempt: it is sent again, or it has ended. @param random 0 to below 1 */
export function afterOutboxAttempt(
  claim: OutboxClaim,
  attempt: Attempt,
  now: number,
  random: number,
): OutboxSettlement {
  const attempts = [...claim.attempts, attempt];
  const policy = claim.kind === 'manual' ? claim.schedule.policy : undefined;
  const nextFor = claim.kind === 'manual' ? nextOf(claim, now) : null;
  const verdict = judge(attempts, policy, now, nextFor, random);
  if (verdict.kind === 'retry') {
    return { ...baseOf(claim), attempts, next: { dueAt: verdict.at } };
  }
  const ended = { ...baseOf(claim), attempts, next: verdict.kind };
  if (claim.kind === 'callback') return ended;
  const record = recordOf(claim, attempts, verdict, now);
  return { ...ended, record, callbacks: newCallbacks(claim.schedule, record, now) };
}

/**
 * The request was not started.
 *
 * @param dueAt when the row is due again. Left out: at once, and the next claim ends the run of a deleted schedule
 */
export function backToOutbox(claim: OutboxClaim, dueAt = claim.claimedAt): OutboxSettlement {
  return { ...baseOf(claim), attempts: claim.attempts, next: { dueAt } };
}

/** The schedule of a manual run, or the client of a callback, was deleted before the request could start. */
export function endUnsent(claim: OutboxClaim, now: number): OutboxSettlement {
  const ended = { ...baseOf(claim), attempts: claim.attempts, next: 'failed' as const };
  if (claim.kind === 'callback') return ended;
  const record = unsentRecord(claim, now);
  return { ...ended, record, callbacks: newCallbacks(claim.schedule, record, now) };
}

function baseOf({ id, clientRowId, scheduleRowId, kind, attempt }: OutboxClaim) {
  return { id, clientRowId, scheduleRowId, kind, attempt, callbacks: [] };
}

/** A manual run's retries give way to the schedule's next time, like those of any run. */
function nextOf({ schedule }: ManualClaim, now: number): number | null {
  if (schedule.status !== 'enabled') return null;
  return nextTime(schedule.interval, schedule.timezone, now);
}

function recordOf(
  claim: ManualClaim,
  attempts: Attempt[],
  verdict: Exclude<Verdict, { kind: 'retry' }>,
  now: number,
): RunRecord {
  const record: RunRecord = {
    id: claim.id,
    scheduledFor: claim.scheduledFor,
    trigger: 'manual',
    status: verdict.kind,
    startedAt: attempts[0]!.startedAt,
    finishedAt: now,
    attempts,
  };
  if (verdict.kind === 'failed' && verdict.reason !== undefined) record.reason = verdict.reason;
  return record;
}

function unsentRecord({ id, scheduledFor, attempts }: ManualClaim, now: number): RunRecord {
  const hasBegun = attempts.length > 0;
  const reason = hasBegun
    ? 'It was not tried again: the schedule was deleted.'
    : 'The schedule was deleted before this run could be sent.';
  const record: RunRecord = {
    id,
    scheduledFor,
    trigger: 'manual',
    status: hasBegun ? 'failed' : 'skipped',
    attempts,
    reason,
  };
  if (hasBegun) {
    record.startedAt = attempts[0]!.startedAt;
    record.finishedAt = now;
  } else record.decidedAt = now;
  return record;
}
