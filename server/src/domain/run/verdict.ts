import { iso } from '../iso.ts';
import { POLICY_DEFAULTS, type Policy, type Success } from '../schedule/schedule.ts';
import { faultCause } from './cause.ts';
import type { QueueRow } from './queue-row.ts';
import type { Attempt } from './run.ts';
import { is2xx, isListed } from './success.ts';

/** The decision about a run, made from an attempt's outcome. */
export type Verdict =
  | { kind: 'succeeded' }
  | { kind: 'retry'; at: number }
  | { kind: 'failed'; reason?: string };

const SECOND = 1_000;
const FIRST_DELAYS_MS = [5 * SECOND, 30 * SECOND, 120 * SECOND];
const MAX_RETRY_AFTER_MS = 24 * 3_600 * SECOND;
/** Of all 3xx it alone points nowhere. */
const NOT_MODIFIED = 304;
const RETRYABLE_STATUSES = new Set([408, 425, 429]);

/** The instants that bound a run's retries, epoch ms. */
export interface RetryBounds {
  /** Null for a callback, which has no nominal time. */
  scheduledFor: number | null;
  /** The schedule's next nominal time: a retry that would come at or after it gives way. */
  nextFor: number | null;
}

/**
 * Decides what follows from the last of `attempts`.
 *
 * Retried are network errors, timeouts, 408, 425, 429 and 5xx, after 5 s, 30 s, 2 min, then
 * doubling, each lengthened by up to 20 %, never shortened. The policy may name other statuses and delays. A 2xx that is no
 * success is retried as a 500 is, and a 401 that dropped a token once. An answer that broke off behind another status is
 * retried if that status is. An attempt that was `lost` is Punctual's own fault and does not count against the retries.
 *
 * @param endedAt when the attempt ended (epoch ms)
 * @param random 0 to below 1, for the jitter
 */
export function judge(
  attempts: Attempt[],
  policy: Policy | undefined,
  { scheduledFor, nextFor }: RetryBounds,
  endedAt: number,
  random: number,
): Verdict {
  const last = attempts[attempts.length - 1]!;
  if (isSuccess(last)) return { kind: 'succeeded' };
  const isRetried = isRetryable(last, policy?.retryStatuses) || hasDroppedToken(attempts);
  if (!isRetried) return { kind: 'failed', ...whyFinal(last) };
  const retries = retriesIn(attempts);
  if (retries >= mostRetries(policy)) return { kind: 'failed' };
  const at = retryAt(last, retries, policy, endedAt, random);
  if (nextFor !== null && at >= nextFor) {
    return {
      kind: 'failed',
      reason: `It was not tried again: the next attempt would have been at ${iso(at)}, and the schedule's next time is ${iso(nextFor)}.`,
    };
  }
  // A request that was cut off is sent again, which is no retry.
  const until = last.outcome === 'lost' ? null : retriesUntil(policy, scheduledFor);
  if (until === null || at <= until) return { kind: 'retry', at };
  return {
    kind: 'failed',
    reason: `It was not tried again: the next attempt would have been at ${iso(at)}, and retries end at ${iso(until)}.`,
  };
}

/**
 * The earliest instant at which a retry may start, epoch ms. After an attempt of a clock that was ahead nobody knows it: then it may
 * start now.
 */
export function retriesFrom(attempts: Attempt[], policy: Policy | undefined, now: number): number {
  const last = attempts[attempts.length - 1]!;
  const endedAt = endOf(last);
  if (endedAt > now) return now;
  return retryAt(last, retriesIn(attempts), policy, endedAt, 0);
}

function endOf({ startedAt, durationMs = 0, completion }: Attempt): number {
  if (completion === undefined) return startedAt + durationMs;
  return completion.endedAt ?? completion.timedOutAt ?? completion.until;
}

/** A request that was cut off is sent again, which is no retry. */
function retriesIn(attempts: Attempt[]): number {
  return attempts.filter(({ outcome }) => outcome !== 'lost').length - 1;
}

/** @param retries before it */
function retryAt(
  last: Attempt,
  retries: number,
  policy: Policy | undefined,
  endedAt: number,
  random: number,
): number {
  const delayMs = retryDelayMs(retries, random, policy?.retryDelaysSeconds);
  return endedAt + Math.max(delayMs, retryAfterMs(last, endedAt));
}

/** The last instant at which a retry may start; null where there is none. */
export function retriesUntil(
  policy: Policy | undefined,
  scheduledFor: number | null,
): number | null {
  const seconds = policy?.retryForSeconds;
  return seconds === undefined || scheduledFor === null ? null : scheduledFor + seconds * SECOND;
}

/**
 * Why the next attempt of a run does not start any more; null where it may. An attempt that was put off, by down time or a
 * full host, may come later than the policy allows. The first attempt, and one that was cut off, start however late it is.
 */
export function whyTooLate(
  { attempts, scheduledFor }: Pick<QueueRow, 'attempts' | 'scheduledFor'>,
  policy: Policy | undefined,
  now: number,
): string | null {
  const last = attempts.at(-1);
  // One that awaits its completion has answered: nothing is sent again.
  if (last === undefined || last.outcome === 'lost' || isSuccess(last)) return null;
  const until = retriesUntil(policy, scheduledFor);
  if (until === null || now <= until) return null;
  return `It was not tried again: its retries ended at ${iso(until)}.`;
}

export function mostRetries(policy: Policy = {}): number {
  return policy.maxRetries ?? policy.retryDelaysSeconds?.length ?? POLICY_DEFAULTS.maxRetries;
}

/** The error of an answer that is no success was written when it came (`responseFault`). */
export function isSuccess({ outcome, error }: Attempt): boolean {
  return outcome === 'response' && error === undefined;
}

function isRetryable(attempt: Attempt, statuses?: string[]): boolean {
  const { outcome, responseStatus } = attempt;
  if (outcome === 'blocked') return false;
  if (responseStatus === undefined) return true;
  if (is2xx(responseStatus) && outcome !== 'response') return !hasAnswered(attempt);
  const status = is2xx(responseStatus) ? 500 : responseStatus;
  if (statuses !== undefined) return isListed(status, statuses);
  const isServerError = status >= 500 && status < 600;
  return isServerError || RETRYABLE_STATUSES.has(status);
}

/** Whether the status came with more than Punctual takes. Then no second request would bring another answer. */
function hasAnswered({ outcome, error = '' }: Attempt): boolean {
  return outcome === 'connectionError' && faultCause(error) === 'protocol';
}

/** Of an attempt that is not retried: the status was read, although no complete answer came. */
function whyFinal({ outcome, responseStatus }: Attempt): { reason?: string } {
  if (responseStatus === undefined || outcome === 'response') return {};
  return { reason: `It was not tried again: the target had answered ${responseStatus}.` };
}

/** Whether the target refused the token of its destination, the first time in this run: the next attempt has another one. */
function hasDroppedToken(attempts: Attempt[]): boolean {
  const isLast = attempts[attempts.length - 1]!.tokenDropped === true;
  return isLast && attempts.filter(({ tokenDropped }) => tokenDropped).length === 1;
}

/**
 * @param retry 0 for the first retry
 * @param seconds the delays of the policy: beyond their end the last one repeats
 */
export function retryDelayMs(retry: number, random: number, seconds?: readonly number[]): number {
  const base = seconds === undefined ? ordinaryDelayMs(retry) : givenDelayMs(retry, seconds);
  return Math.ceil(base * (1 + 0.2 * random));
}

function ordinaryDelayMs(retry: number): number {
  const last = FIRST_DELAYS_MS.length - 1;
  return FIRST_DELAYS_MS[retry] ?? FIRST_DELAYS_MS[last]! * 2 ** (retry - last);
}

function givenDelayMs(retry: number, seconds: readonly number[]): number {
  return (seconds[retry] ?? seconds.at(-1)!) * SECOND;
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

/**
 * Why an answer is not a success by its status, in one sentence.
 *
 * @param statuses those that count as a success; 2xx where they are left out
 */
export function responseFault(
  status: number,
  headers: Record<string, string> | undefined,
  statuses?: Success['statuses'],
): string | undefined {
  const isFine = statuses === undefined ? is2xx(status) : isListed(status, statuses);
  if (isFine) return undefined;
  if (is2xx(status)) {
    return `The target answered ${status}, which is none of the statuses that count as a success.`;
  }
  if (status === NOT_MODIFIED) return 'The target answered 304: nothing has changed there.';
  if (status >= 300 && status < 400) {
    const location = headers?.location;
    const where = location ? ` to ${location.slice(0, 500)}` : '';
    return `The target answered ${status}, a redirect${where}, and redirects are not followed.`;
  }
  const meaning = status < 600 ? '' : ', a status that HTTP does not have';
  return `The target answered ${status}${meaning}.`;
}
