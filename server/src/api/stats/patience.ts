import { setTimeout } from 'node:timers/promises';

/**
 * Waits for what is being worked out, and no longer than that; what fails later fails for who asks next.
 *
 * @returns undefined where it is not there yet
 */
export async function withPatience<Value>(
  work: Promise<Value>,
  ms: number,
): Promise<Value | undefined> {
  work.catch(() => {});
  const abort = new AbortController();
  const timer = setTimeout(ms, undefined, { signal: abort.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, timer]);
  } finally {
    abort.abort();
  }
}
