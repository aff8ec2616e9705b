import { nextTime } from '../../domain/calendar/calendar.ts';
import type { Attempt, RunRecord } from '../../domain/run/run.ts';
import type { Verdict } from '../../domain/run/verdict.ts';
import { POLICY_DEFAULTS } from '../../domain/schedule/schedule.ts';
import { buildCallbackRequest } from '../../outbound/request.ts';
import type { OutboundRequest } from '../../outbound/send.ts';
import type { ManualClaim, OutboxClaim, OutboxSettlement } from '../../store/contract/queue.ts';
import { runRequest } from './run-request.ts';
import { newCallbacks } from './settlement.ts';

/** An entry of the outbox: the request that it asks for, and what is written when it has ended. */

/** What is told where it cannot be decided about; a callback knows no schedule, only its run. */
export function scheduleOf(claim: OutboxClaim): string {
  return claim.kind === 'manual' ? claim.schedule.id : claim.runId;
}

export function baseOf({ id, clientRowId, scheduleRowId, kind, attempt }: OutboxClaim) {
  return { id, clientRowId, scheduleRowId, kind, attempt, callbacks: [] };
}

export function requestOf(claim: OutboxClaim): OutboundRequest {
  const { id, attempt, claimedAt: nowMs } = claim;
  if (claim.kind === 'callback') {
    const { url, body } = claim;
    const timeoutMs = POLICY_DEFAULTS.timeoutSeconds * 1_000;
    return buildCallbackRequest({ id, url, body, attempt, nowMs, secrets: claim, timeoutMs });
  }
  const { schedule, scheduledFor } = claim;
  return runRequest(schedule, { runId: id, scheduledFor, attempt, nowMs });
}

/** A manual run's retries give way to the schedule's next time, like those of any run. */
export function nextOf({ schedule }: ManualClaim, now: number): number | null {
  if (schedule.status !== 'enabled') return null;
  return nextTime(schedule.interval, schedule.timezone, now);
}

export function recordOf(
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

/** A manual run of a schedule that was deleted before the request could start. */
export function endUnsent(
  claim: ManualClaim,
  now: number,
): OutboxSettlement & { record: RunRecord } {
  const { attempts } = claim;
  const hasBegun = attempts.length > 0;
  const reason = hasBegun
    ? 'It was not tried again: the schedule was deleted.'
    : 'The schedule was deleted before this run could be sent.';
  const record: RunRecord = {
    id: claim.id,
    scheduledFor: claim.scheduledFor,
    trigger: 'manual',
    status: hasBegun ? 'failed' : 'skipped',
    attempts,
    reason,
  };
  if (hasBegun) {
    record.startedAt = attempts[0]!.startedAt;
    record.finishedAt = now;
  } else record.decidedAt = now;
  const callbacks = newCallbacks(claim.schedule, record, now);
  return { ...baseOf(claim), attempts, next: 'failed', record, callbacks };
}
