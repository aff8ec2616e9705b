import type { Clock } from '../clock.ts';
import { newId, runId } from '../domain/id.ts';
import type { SigningSecrets } from '../domain/rotation.ts';
import type { Attempt } from '../domain/run.ts';
import type { Schedule } from '../domain/schedule.ts';
import type { Send } from '../outbound/send.ts';
import { attemptOf } from './attempt.ts';
import { firingRequest } from './firing-request.ts';

/** Somebody waits for the answer. */
const MOST_MS = 30_000;

/**
 * Sends the request of a schedule once, as a firing now would, and tells what happened. Nothing of it
 * is kept.
 */
export async function sendTestRequest(
  { send, clock }: { send: Send; clock: Clock },
  schedule: Schedule,
  secrets: SigningSecrets,
): Promise<Attempt> {
  const nowMs = clock.now();
  const request = firingRequest(
    { ...schedule, ...secrets },
    { runId: runId(newId(nowMs), nowMs), scheduledFor: nowMs, attempt: 1, nowMs },
  );
  request.timeoutMs = Math.min(request.timeoutMs, MOST_MS);
  return attemptOf(1, await send(request));
}
