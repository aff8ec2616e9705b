import { iso } from '../iso.ts';
import { POLICY_DEFAULTS, type Policy } from '../schedule/schedule.ts';
import type { Attempt } from './run.ts';

/** The decision about a run, made from an attempt's outcome. */
export type Verdict =
  | { kind: 'succeeded' }
  | { kind: 'retry'; at: number }
  | { kind: 'failed'; reason?: string };

const SECOND = 1_000;
const FIRST_DELAYS_MS = [5 * SECOND, 30 * SECOND, 120 * SECOND];
const MAX_RETRY_AFTER_MS = 24 * 3_600 * SECOND;
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/**
 * Decides what follows from the last of `attempts`.
 *
 * Retried are network errors, timeouts, 408, 425, 429 and 5xx, after 5 s, 30 s, 2 min, then
 * doubling, each lengthened by up to 20 %, never shortened. An attempt that was `lost` is Punctual's
 * own fault and does not count against the retries.
 *
 * @param endedAt when the attempt ended (epoch ms)
 * @param nextFor the schedule's next nominal time: a retry that would come at or after it gives way
 * @param random 0 to below 1, for the jitter
 */
export function judge(
  attempts: Attempt[],
  policy: Policy | undefined,
  endedAt: number,
  nextFor: number | null,
  random: number,
): Verdict {
  const last = attempts[attempts.length - 1]!;
  if (isSuccess(last)) return { kind: 'succeeded' };
  if (!isRetryable(last)) return { kind: 'failed' };
  const retries = attempts.filter(attempt => attempt.outcome !== 'lost').length - 1;
  if (retries >= (policy?.maxRetries ?? POLICY_DEFAULTS.maxRetries)) return { kind: 'failed' };
  const at = endedAt + Math.max(retryDelayMs(retries, random), retryAfterMs(last, endedAt));
  if (nextFor === null || at < nextFor) return { kind: 'retry', at };
  return {
    kind: 'failed',
    reason: `It was not tried again: the next attempt would have been at ${iso(at)}, and the schedule's next time is ${iso(nextFor)}.`,
  };
}

export function isSuccess({ outcome, responseStatus }: Attempt): boolean {
  return outcome === 'response' && responseStatus! >= 200 && responseStatus! < 300;
}

function isRetryable({ outcome, responseStatus }: Attempt): boolean {
  if (outcome === 'blocked') return false;
  if (outcome !== 'response') return true;
  const isServerError = responseStatus! >= 500 && responseStatus! < 600;
  return isServerError || RETRYABLE_STATUSES.has(responseStatus!);
}

/** @param retry 0 for the first retry */
export function retryDelayMs(retry: number, random: number): number {
  const last = FIRST_DELAYS_MS.length - 1;
  const base = FIRST_DELAYS_MS[retry] ?? FIRST_DELAYS_MS[last]! * 2 ** (retry - last);
  return Math.ceil(base * (1 + 0.2 * random));
}

/** Retry-After of RFC 9110 10.2.3, seconds or a date, 24 h at most; 0 where there is none. */
function retryAfterMs({ responseHeaders }: Attempt, endedAt: number): number {
  const value = responseHeaders?.['retry-after']?.trim();
  if (!value) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * SECOND : httpDate(value) - endedAt;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** RFC 9110 5.6.7, or NaN. `Date.parse` alone takes "try 2099" for a date. */
function httpDate(value: string): number {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(value)) return Number.NaN;
  // The form of asctime names no zone: it is GMT, not the zone of this machine.
  return Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
}

/** Why a response is not a success, in one sentence. */
export function responseFault(
  status: number,
  headers: Record<string, string> | undefined,
): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) {
    const location = headers?.location;
    const where = location ? ` to ${location.slice(0, 500)}` : '';
    return `The target answered ${status}, a redirect${where}, and redirects are not followed.`;
  }
  const meaning = status < 600 ? '' : ', a status that HTTP does not have';
  return `The target answered ${status}${meaning}.`;
}
