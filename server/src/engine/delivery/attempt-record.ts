import type { Attempt } from '../../domain/run/run.ts';
import { responseFault } from '../../domain/run/verdict.ts';
import type { SendResult } from '../../outbound/send.ts';

/** An attempt that failed before it began. @param error why */
export function refusedAttempt(number: number, error: string, now: number): Attempt {
  return {
    number,
    startedAt: now,
    durationMs: 0,
    outcome: 'connectionError',
    error,
    refused: true,
  };
}

/** A request that was sent, as history keeps it. */
export function attemptOf(number: number, result: SendResult): Attempt {
  const { outcome, startedAt, durationMs, phases } = result;
  if (outcome === 'cancelled') throw new Error('a cancelled request is no attempt');
  const attempt: Attempt = { number, startedAt, durationMs, outcome, phases };
  const { responseStatus, responseHeaders, responseBody } = result;
  if (responseStatus !== undefined) attempt.responseStatus = responseStatus;
  if (responseHeaders !== undefined) attempt.responseHeaders = responseHeaders;
  if (responseBody !== undefined) attempt.responseBody = responseBody;
  const error =
    result.error ??
    (outcome === 'response' ? responseFault(responseStatus!, responseHeaders) : undefined);
  if (error !== undefined) attempt.error = error;
  return attempt;
}
