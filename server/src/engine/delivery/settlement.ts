import { isKnownCalendar } from '../../domain/calendar/known-calendars.ts';
import { nextTime } from '../../domain/calendar/times.ts';
import { newId, runId } from '../../domain/id.ts';
import { iso } from '../../domain/iso.ts';
import { callbacksOf } from '../../domain/run/callback.ts';
import {
  type AwaitedAttempt,
  awaitedOf,
  type Completion,
  isUnanswered,
} from '../../domain/run/completion.ts';
import {
  afterFailures,
  type Consequence,
  consequenceOf,
  finalBy,
  underChange,
  withCompletion,
} from '../../domain/run/consequence.ts';
import { keptAttempts } from '../../domain/run/kept-response.ts';
import type { Move } from '../../domain/run/queue.ts';
import type { QueueRow } from '../../domain/run/queue-row.ts';
import type { Attempt, RunRecord } from '../../domain/run/run.ts';
import { beyondOwn, startOf } from '../../domain/run/start.ts';
import { judge, type RetryBounds, type Verdict, whyTooLate } from '../../domain/run/verdict.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { serviceChanged } from '../../domain/schedule/service-change.ts';
import type {
  Claim,
  ManualClaim,
  NewCallback,
  OutboxClaim,
  OutboxSettlement,
  Settlement,
  TargetRun,
} from '../../store/contract/queue.ts';
import { isAwaited } from './awaited.ts';
import type { CheckedClaim } from './known-times.ts';

/** Settlements: what the store writes when a job has ended. All functions here are pure. */

// Of the queue -----------------------------------------------------------------------------------

/**
 * A move of a claimed row as the store writes it: history, callbacks and the row, or nothing.
 *
 * @param decidedAt the instant that the move was decided for
 * @param now what the clock shows as it is written; a schedule completes then
 */
export function settlementOf(
  claim: Claim,
  move: Move,
  decidedAt: number,
  now = decidedAt,
): Settlement {
  const { scheduleRowId, clientRowId, schedule } = claim;
  return {
    scheduleRowId,
    clientRowId,
    fence: fenceOf(claim),
    records: recordsOf(move, decidedAt),
    callbacks: move.ended ? newCallbacks(schedule, move.ended, decidedAt) : [],
    row: move.row,
    ...((move.row === null || move.change !== undefined || move.againAt !== undefined) &&
      ofSchedule(schedule, move, now)),
  };
}

/** A row whose attempt has ended. */
export type EndedRow = QueueRow & Pick<CheckedClaim, 'known'>;

/** @param wasSetBack as for `beyondOwn` */
export function endedRow(claim: CheckedClaim, attempts: Attempt[], wasSetBack: boolean): EndedRow {
  const { nextFor } = beyondOwn(claim, claim.schedule, wasSetBack);
  return {
    state: claim.state,
    dueAt: claim.dueAt,
    scheduledFor: claim.scheduledFor,
    nextFor,
    attempt: claim.attempt,
    attempts,
    ...(claim.known && { known: claim.known }),
  };
}

/** The fence of what a claim becomes. */
export function fenceOf({ scheduledFor, attempt, fence, changedAt }: Claim): Settlement['fence'] {
  return { scheduledFor, attempt, number: fence, changedAt };
}

/** The part of a settlement that concerns the schedule itself. */
function ofSchedule(
  schedule: Schedule,
  { row, change, againAt }: Move,
  now: number,
): Pick<Settlement, 'change' | 'again'> {
  const isLast = row === null && againAt === undefined;
  return {
    change: withCompletion(schedule, change, isLast, now),
    again: againAt === undefined ? undefined : furtherRun(againAt, now),
  };
}

/** @param dueAt epoch ms, which its id carries, as that of every run carries its nominal time */
function furtherRun(dueAt: number, now: number): TargetRun {
  return { id: runId(newId(now), dueAt), dueAt, at: now };
}

function recordsOf({ passed, ended }: Move, decidedAt: number): RunRecord[] {
  if (passed.length === 0) return ended ? [ended] : passed;
  const records = passed.map(record => ({ ...record, decidedAt }));
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

/** The consequences of an answer to a manual run; null where it asks for nothing. */
export function askedBy(claim: OutboxClaim, attempt: Attempt, now: number): Consequence | null {
  return claim.kind === 'callback' ? null : consequenceOf(attempt, claim.schedule, now);
}

/**
 * A manual run or a callback after an attempt: it is sent again, or it has ended.
 *
 * @param asked by the answer
 * @param random 0 to below 1
 */
export function afterOutboxAttempt(
  claim: OutboxClaim,
  attempt: Attempt,
  asked: Consequence | null,
  now: number,
  random: number,
): OutboxSettlement {
  const made = [...claim.attempts, attempt];
  const policy = claim.kind === 'manual' ? claim.schedule.policy : undefined;
  const awaited = claim.kind === 'manual' ? awaitedOf(attempt, policy, null, now) : null;
  // The store looks whether the target was faster with its completion than with its answer.
  if (awaited?.kind === 'awaiting') return awaitsOutbox(claim, made, awaited);
  // The target may have said how it ended: that is looked up at once, and not when the time is up that it asked for.
  if (policy?.completion !== undefined && isUnanswered(attempt)) {
    const attempts = keptAttempts(made, policy);
    return { ...baseOf(claim), attempts, next: { dueAt: claim.claimedAt, awaits: true } };
  }
  return judged(claim, made, asked, { endedAt: now, now }, random);
}

/** After an attempt that awaits nothing. @param endedAt of it; the next time is that after `now` */
function judged(
  claim: OutboxClaim,
  made: Attempt[],
  asked: Consequence | null,
  { endedAt, now }: { endedAt: number; now: number },
  random: number,
): OutboxSettlement {
  const policy = claim.kind === 'manual' ? claim.schedule.policy : undefined;
  const judgement = judge(made, policy, boundsOf(claim, now), endedAt, random);
  const verdict = underChange(finalBy(made.at(-1)!, judgement), asked?.change ?? null);
  const attempts = keptAttempts(made, policy);
  if (verdict.kind === 'retry') return { ...baseOf(claim), attempts, next: { dueAt: verdict.at } };
  if (claim.kind === 'callback') return { ...baseOf(claim), attempts, next: verdict.kind };
  return endedManual(claim, attempts, verdict, endedAt);
}

/**
 * The settlement of a manual run with the change of its schedule.
 *
 * @param claim with the present schedule, whose calendars are known
 * @param failures of runs in a row, this one included; null where they do not count
 */
export function withScheduleChange(
  claim: ManualClaim,
  settlement: OutboxSettlement,
  asked: Consequence | null,
  failures: number | null,
  now: number,
): OutboxSettlement {
  const { schedule, version, trigger } = claim;
  const plain = { ...settlement, change: undefined, again: undefined };
  if (schedule.status !== 'enabled') return plain;
  const failing = failures === null ? null : afterFailures(schedule, failures, now);
  const wanted = failing ?? asked?.change ?? undefined;
  const againAt = failing === null ? (asked?.againAt ?? null) : null;
  const hasEnded = typeof settlement.next === 'string';
  const mayBeLast = (trigger === 'target' && hasEnded) || wanted?.pausedUntil !== undefined;
  const after = wanted === undefined ? schedule : serviceChanged(schedule, wanted);
  const isLast = mayBeLast && againAt === null && startOf(after, now) === null;
  const change = withCompletion(schedule, wanted, isLast, now);
  const again = againAt === null ? undefined : furtherRun(againAt, now);
  if (change === undefined) return { ...plain, again };
  const changed = serviceChanged(schedule, change);
  return {
    ...plain,
    again,
    change: { ...change, version, schedule: changed, start: startOf(changed, change.at) },
  };
}

function endedManual(
  claim: ManualClaim,
  attempts: Attempt[],
  verdict: Exclude<Verdict, { kind: 'retry' }>,
  now: number,
): OutboxSettlement {
  const record = recordOf(claim, attempts, verdict, now);
  const callbacks = newCallbacks(claim.schedule, record, now);
  return { ...baseOf(claim), attempts, next: verdict.kind, record, callbacks };
}

function awaitsOutbox(
  claim: OutboxClaim,
  made: Attempt[],
  { attempt, until }: AwaitedAttempt & { kind: 'awaiting' },
): OutboxSettlement {
  const policy = claim.kind === 'manual' ? claim.schedule.policy : undefined;
  const attempts = keptAttempts([...made.slice(0, -1), attempt], policy);
  return { ...baseOf(claim), attempts, next: { dueAt: until, awaits: true } };
}

/** A manual run that awaits its completion. @param said what its target has said about its last attempt */
export function afterManualAwaited(
  claim: ManualClaim,
  said: Completion | null,
  now: number,
  random: number,
): OutboxSettlement {
  const { policy } = claim.schedule;
  const last = claim.attempts.at(-1)!;
  const awaited = awaitedOf(last, policy, said, now);
  if (awaited === null && isUnanswered(last)) {
    const endedAt = Math.min(now, last.startedAt + (last.durationMs ?? 0));
    return judged(claim, claim.attempts, null, { endedAt, now }, random);
  }
  // It was cut off, and the policy that it began with has changed since: it is sent again.
  if (awaited === null) return { ...baseOf(claim), attempts: claim.attempts, next: { dueAt: now } };
  if (awaited.kind === 'awaiting') return awaitsOutbox(claim, claim.attempts, awaited);
  const { kind, endedAt } = awaited;
  const made = [...claim.attempts.slice(0, -1), awaited.attempt];
  if (kind === 'timeout') return judged(claim, made, null, { endedAt, now }, random);
  return endedManual(claim, keptAttempts(made, policy), { kind }, endedAt);
}

/**
 * The request was not started. A retry that would come too late by now ends its run.
 *
 * @param dueAt when the row is due again. Left out: at once, and the next claim ends the run of a deleted schedule
 */
export function backToOutbox(
  claim: OutboxClaim,
  now: number,
  dueAt = claim.claimedAt,
): OutboxSettlement {
  const { attempts } = claim;
  if (isAwaited(claim)) return { ...baseOf(claim), attempts, next: { dueAt, awaits: true } };
  if (claim.kind === 'manual') {
    const reason = whyTooLate(claim, claim.schedule.policy, now);
    if (reason !== null) return endedManual(claim, attempts, { kind: 'failed', reason }, now);
  }
  return { ...baseOf(claim), attempts, next: { dueAt } };
}

/** The schedule of a manual run, or the client of a callback, was deleted before the request could start. */
export function endUnsent(claim: OutboxClaim, now: number): OutboxSettlement {
  const ended = { ...baseOf(claim), attempts: claim.attempts, next: 'failed' as const };
  if (claim.kind === 'callback') return ended;
  const record = unsentRecord(claim, now);
  return { ...ended, record, callbacks: newCallbacks(claim.schedule, record, now) };
}

function baseOf({ id, clientRowId, scheduleRowId, kind, attempt, claimedAt }: OutboxClaim) {
  return { id, clientRowId, scheduleRowId, kind, attempt, claimedAt, callbacks: [] };
}

function boundsOf(claim: OutboxClaim, now: number): RetryBounds {
  if (claim.kind === 'callback') return { scheduledFor: null, nextFor: null };
  return { scheduledFor: claim.scheduledFor, nextFor: nextOf(claim, now) };
}

/** A manual run's retries give way to the schedule's next time, like those of any run. */
function nextOf({ schedule }: ManualClaim, now: number): number | null {
  if (schedule.status !== 'enabled') return null;
  // Its calendars were read at the claim. If this thread has forgotten one of them since, the retries go on.
  if (schedule.timing?.calendars?.every(isKnownCalendar) === false) return null;
  return nextTime(schedule, now);
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
    trigger: claim.trigger,
    status: verdict.kind,
    startedAt: attempts[0]!.startedAt,
    finishedAt: now,
    attempts,
  };
  if (verdict.kind === 'failed' && verdict.reason !== undefined) record.reason = verdict.reason;
  return record;
}

function unsentRecord(claim: ManualClaim, now: number): RunRecord {
  const { id, scheduledFor, trigger, attempts } = claim;
  const hasBegun = attempts.length > 0;
  const why = whyUnsent(claim, now);
  const reason = hasBegun
    ? `It was not tried again: ${why}.`
    : `${why[0]!.toUpperCase()}${why.slice(1)} before this run could be sent.`;
  const record: RunRecord = {
    id,
    scheduledFor,
    trigger,
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

/** @returns a part of a sentence */
function whyUnsent({ schedule }: ManualClaim, now: number): string {
  const { status, timing } = schedule;
  if (status !== 'enabled') return `the schedule was ${status}`;
  const { pausedUntil } = timing ?? {};
  if (pausedUntil !== undefined && pausedUntil > now) {
    return `the schedule was paused until ${iso(pausedUntil)}`;
  }
  return 'its target asked for another run, or the schedule was paused or disabled,';
}
