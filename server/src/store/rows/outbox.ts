import { dueAnew } from '../../domain/run/recount.ts';
import { PUT_OFF_MS } from '../../domain/run/suspension.ts';
import type { Row } from '../columns.ts';
import type { OutboxClaim, OutboxPosition } from '../contract/queue.ts';
import { attemptsFrom, fireableScheduleFrom, oldSecretFrom } from './row.ts';

/** Those of suspended clients are put off. */
export const IS_NOT_PUT_OFF = `due_at < ${PUT_OFF_MS}`;

/**
 * A row of the outbox that was taken, as both backends read it.
 *
 * @param row with the attempt that is to be made now; a callback's with its client's secrets
 * @param firing of a manual run
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
    const scheduledFor = row.scheduled_for as number;
    return { ...base, kind: 'manual', scheduledFor, schedule: fireableScheduleFrom(schedule!) };
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

/** @param row that waits, with the policy of a manual run's schedule */
export function outboxDueAnew(row: Row, now: number): number {
  const policy = row.policy == null ? undefined : JSON.parse(row.policy as string);
  return dueAnew(row.due_at as number, attemptsFrom(row.attempts), policy, now);
}

export function outboxPlaceOf(row: Row | undefined): OutboxPosition | null {
  return row === undefined ? null : { dueAt: row.due_at as number, id: row.id as string };
}
