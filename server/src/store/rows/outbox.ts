import { MOST_AGAIN_SECONDS } from '../../domain/run/control.ts';
import { awaitedAnew, dueAnew } from '../../domain/run/recount.ts';
import type { Attempt } from '../../domain/run/run.ts';
import { PUT_OFF_MS } from '../../domain/run/suspension.ts';
import { attemptsCell, type Cell, type Row } from '../columns.ts';
import type { OutboxClaim, OutboxPosition, OutboxSettlement } from '../contract/queue.ts';
import {
  attemptsFrom,
  fireableScheduleFrom,
  lostAttempt,
  oldSecretFrom,
  wasClaimedTooLate,
} from './row.ts';
import { manualTriggerOf } from './runs.ts';

/** Those of suspended clients are put off. */
const IS_NOT_PUT_OFF = `due_at < ${PUT_OFF_MS}`;

/**
 * How many entries wait to be sent, in one of the states in which they do. Runs that targets have asked for are no backlog:
 * most of them are due later.
 *
 * @param ofTarget the state in which the latter wait
 */
export function outboxDepthSql(states: WaitingState[], ofTarget: WaitingState): string {
  const waiting = states.map(
    state => `(SELECT count(*) FROM outbox WHERE state = '${state}' AND ${IS_NOT_PUT_OFF})`,
  );
  return `
    SELECT ${waiting.join(' + ')} - (
      SELECT count(*) FROM outbox
      WHERE trigger = 'target' AND state = '${ofTarget}' AND ${IS_NOT_PUT_OFF}) AS depth`;
}

/** The least level that manual runs are reserved for: engines of a lower one know no level of the outbox. */
export const LEAST_RESERVED_LEVEL = 2;

/** `reserved`: it waits for an engine of its level. Only stores that nodes share know that. */
type WaitingState = 'waiting' | 'reserved';

/**
 * A row of the outbox that was taken, as both backends read it.
 *
 * @param row with the attempt that is to be made now; a callback's with its client's secrets
 * @param schedule of a manual run, with its `fence`
 */
export function outboxClaimFrom(row: Row, now: number, schedule: Row | undefined): OutboxClaim {
  const base = {
    id: row.id as string,
    clientRowId: row.client_key as number,
    scheduleRowId: row.schedule_key as number,
    claimedAt: now,
    attempt: row.attempt as number,
    attempts: attemptsFrom(row.attempts),
  };
  if (row.kind === 'manual') {
    return {
      ...base,
      kind: 'manual',
      scheduledFor: row.scheduled_for as number,
      fence: schedule!.fence as number,
      trigger: manualTriggerOf(row),
      isDropped: isDropped(row),
      version: schedule!.version as number,
      schedule: fireableScheduleFrom(schedule!),
      ...(isDecided(base) && { awaits: true }),
    };
  }
  return {
    ...base,
    kind: 'callback',
    clientId: row.client_id as string,
    runId: row.run_id as string,
    integrationId: row.integration_id as string,
    url: row.url as string,
    body: row.body as string,
    signingSecret: row.signing_secret as string,
    ...(row.old_secret != null && { oldSecret: oldSecretFrom(row) }),
  };
}

/** Whether no attempt is under way: only an entry that awaits its completion is claimed so. */
function isDecided({ attempt, attempts }: { attempt: number; attempts: Attempt[] }): boolean {
  return attempts.length === attempt;
}

/** A further run that is dropped is claimed to be ended: no request of it leaves. */
export function isDropped({ trigger }: Row): boolean {
  return trigger === 'dropped';
}

/**
 * The cells of an entry in flight when the process that claimed it is gone.
 *
 * @param row with `policy`, `status` and `updated_at` of its schedule
 * @returns `attempt`, `attempts`, 1 where it awaits its completion and 0 elsewhere, `id`
 */
export function restoredCells(row: Row, now: number): Cell[] {
  const { attempts, isAwaiting } = cutOff(row, now);
  return [attempts.length, attemptsCell(attempts), isAwaiting ? 1 : 0, row.id!];
}

function cutOff(row: Row, now: number): { attempts: Attempt[]; isAwaiting: boolean } {
  const attempt = row.attempt as number;
  const attempts = attemptsFrom(row.attempts);
  if (isDecided({ attempt, attempts })) return { attempts, isAwaiting: true };
  if (isDropped(row) || endedUnsent(row, now)) return { attempts, isAwaiting: false };
  const lost = lostAttempt(attempt, row.claimed_at as number);
  return { attempts: [...attempts, lost], isAwaiting: false };
}

/**
 * Whether a manual run was claimed to be ended: its schedule was deleted, or its retries had ended. Then nobody sent it, and the
 * next claim ends it. If its schedule was changed since, or the clock set back, nobody knows what it was claimed with.
 */
function endedUnsent(row: Row, now: number): boolean {
  const claimedAt = row.claimed_at as number;
  const changedAt = row.updated_at as number | null;
  if (row.kind !== 'manual' || claimedAt > now || (changedAt ?? 0) >= claimedAt) return false;
  return row.status === 'deleted' || wasClaimedTooLate(row);
}

export function isAwaitingNext(
  next: OutboxSettlement['next'],
): next is { dueAt: number; awaits: true } {
  return typeof next === 'object' && next.awaits === true;
}

/**
 * When an entry that awaits is due, by what its target has said. More time counts only where the answer has come.
 *
 * @param dueAt as it was settled: the deadline of its answer, or the instant of its claim where none came
 */
export function dueOfAwaiting(dueAt: string): string {
  return `CASE WHEN completions.status IS NOT NULL THEN said_at
      WHEN ${dueAt} > said_at THEN deadline_at ELSE ${dueAt} END`;
}

/** @param row that waits or awaits, with the policy of a manual run's schedule */
export function outboxDueAnew(row: Row, now: number): number {
  const attempts = attemptsFrom(row.attempts);
  const dueAt = row.due_at as number;
  if (row.state === 'awaiting' && attempts.length > 0) return awaitedAnew({ dueAt, attempts }, now);
  // A target asked for it, and no target asks for a later one.
  if (row.trigger === 'target' && attempts.length === 0) {
    return Math.min(dueAt, now + MOST_AGAIN_SECONDS * 1_000);
  }
  const policy = row.policy == null ? undefined : JSON.parse(row.policy as string);
  return dueAnew(dueAt, attempts, policy, now);
}

export function outboxPlaceOf(row: Row | undefined): OutboxPosition | null {
  return row === undefined ? null : { dueAt: row.due_at as number, id: row.id as string };
}
