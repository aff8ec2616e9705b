import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 50;
const LONGEST_MS = 30_000;

/**
 * Waits until a condition holds.
 *
 * @param what is waited for, for the error
 * @throws Error after 30 s
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = Date.now() + LONGEST_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`);
    await pause(EVERY_MS);
  }
}
