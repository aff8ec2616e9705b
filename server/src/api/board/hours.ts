/** Hours that are counted once, and again as long as runs of them may still end. */

export const HOUR_MS = 3_600_000;
/** The hours of a day, and the one that has begun. */
const HOURS = 25;

/** The starts of the latest hours, newest first: the first is the hour of `now`. */
export function latestHours(now: number): number[] {
  const newest = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: HOURS }, (_, back) => newest - back * HOUR_MS);
}

/**
 * Whether an hour is to be counted again: it goes on, or its age has doubled, because long runs end late.
 *
 * @param countedAt when it was counted; undefined: never
 * @param everyMs how often an hour is counted that goes on
 */
export function isToCount(
  hour: number,
  countedAt: number | undefined,
  now: number,
  everyMs: number,
): boolean {
  if (countedAt === undefined || countedAt > now) return true;
  const end = hour + HOUR_MS;
  const age = Math.max(0, countedAt - end);
  return now - countedAt >= Math.max(everyMs, age);
}
