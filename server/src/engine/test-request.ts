import type { Clock } from '../clock.ts';
import { newId, runId } from '../domain/id.ts';
import type { Attempt } from '../domain/run.ts';
import { POLICY_DEFAULTS, type Schedule } from '../domain/schedule.ts';
import { buildFiring } from '../outbound/request.ts';
import type { Send } from '../outbound/send.ts';
import { attemptOf } from './attempt.ts';

/** Somebody waits for the answer. */
const MOST_MS = 30_000;

/**
 * Sends the request of a schedule once, as a firing now would, and tells what happened. Nothing of it
 * is kept.
 */
export async function sendTestRequest(
  { send, clock }: { send: Send; clock: Clock },
  schedule: Schedule,
  signingSecret: string,
): Promise<Attempt> {
  const nowMs = clock.now();
  const { timeoutSeconds } = { ...POLICY_DEFAULTS, ...schedule.policy };
  const request = buildFiring(schedule, {
    runId: runId(newId(nowMs), nowMs),
    scheduleId: schedule.id,
    scheduledFor: nowMs,
    attempt: 1,
    nowMs,
    signingSecret,
    timeoutMs: Math.min(timeoutSeconds * 1_000, MOST_MS),
  });
  return attemptOf(1, await send(request));
}
