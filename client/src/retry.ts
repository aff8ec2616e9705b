import { PunctualApiError, PunctualConnectionError } from './errors.ts';

/** Decides when a call is repeated, without a clock or randomness of its own. */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
const LONGEST_RECONNECT_MS = 30_000;
/** Jitter only lengthens: by a fifth at most. */
const JITTER = 0.2;

/** Whether another attempt can succeed: a lost connection, a time limit, 429 and 5xx. */
export function isPassing(error: unknown): boolean {
  if (error instanceof PunctualApiError) return error.status === 429 || error.status >= 500;
  return error instanceof PunctualConnectionError;
}

/** With the same key a 409 says that the first attempt is still under way. */
export function isPassingWithKey(error: unknown): boolean {
  const isUnderWay = error instanceof PunctualApiError && error.code === 'idempotency_conflict';
  return isUnderWay || isPassing(error);
}

/**
 * How long to wait before the next attempt: half a second, doubling, or as long as `Retry-After` asks for.
 *
 * @param failures attempts that failed so far: 1 or more
 * @param random from 0 to 1
 */
export function retryWaitMs(error: unknown, failures: number, random: number): number {
  const askedMs = error instanceof PunctualApiError ? error.retryAfterMs : undefined;
  return askedMs ?? backoffMs(FIRST_WAIT_MS, LONGEST_WAIT_MS, failures, random);
}

/**
 * How long to wait before a stream of events is opened again.
 *
 * @param firstMs as the service asked for
 */
export function reconnectWaitMs(firstMs: number, failures: number, random: number): number {
  return backoffMs(firstMs, LONGEST_RECONNECT_MS, failures, random);
}

function backoffMs(firstMs: number, longestMs: number, failures: number, random: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs) * (1 + JITTER * random);
}

/** `Retry-After` in milliseconds from now: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
