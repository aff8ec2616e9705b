import { LRUCache } from 'lru-cache';
import { type Interval, parseInterval } from './interval.ts';
import { countOccurrences, firstOccurrence, lastOccurrence } from './occurrence.ts';
import { setZoneData, type Zone, zoneOf } from './zones/zone.ts';
import type { ZoneData } from './zones/zone-data.ts';

/**
 * The calendar: at which instants an interval occurs in a time zone. Instants are epoch ms; the
 * years are 1 to 9999.
 *
 * Many schedules share few intervals. So the calendar caches each compiled pair of interval and
 * time zone with its last answer: a full minute of 100,000 schedules asks the same question 100,000
 * times.
 */
interface Pair {
  readonly interval: Interval;
  readonly zone: Zone;
  /** Nothing occurs strictly between these two; `next` is Infinity when nothing comes. */
  after: number;
  next: number;
}

/** About 1 KB each. */
const MOST_PAIRS = 10_000;
const pairs = new LRUCache<string, Pair>({ max: MOST_PAIRS });

/**
 * From now on, all times of this process are counted with these rules. To be called before the first
 * is: answers that were given stay as they are.
 */
export function countTimesWith(data: ZoneData): void {
  setZoneData(data);
  pairs.clear();
}

/** No name of a time zone has a line break, so no two pairs have one key. */
function pairOf(interval: string, timezone: string): Pair {
  const key = `${timezone}\n${interval}`;
  const kept = pairs.get(key);
  if (kept !== undefined) return kept;
  const pair = {
    interval: parseInterval(interval),
    zone: zoneOf(timezone),
    after: Number.NaN,
    next: Number.NaN,
  };
  pairs.set(key, pair);
  return pair;
}

/**
 * Returns if the interval can be parsed and the time zone is known. It refuses an interval that
 * occurs on no day of any year. It accepts an interval whose only local times are skipped by its
 * time zone, such as 02:30 on the one night a year without it: its next time is null.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function checkInterval(interval: string, timezone: string): void {
  pairOf(interval, timezone);
}

/**
 * The first instant strictly after `after` at which `interval` occurs in `timezone`.
 *
 * Day of month and day of week both restricted: either may match (crontab(5)). In a spring gap a
 * fixed time moves to the end of the gap; in an autumn overlap it occurs once (Debian cron).
 *
 * @returns null when nothing comes before the year 10000
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function nextTime(interval: string, timezone: string, after: number): number | null {
  const pair = pairOf(interval, timezone);
  if (!(pair.after <= after && after < pair.next)) {
    const next = firstOccurrence(pair.interval, pair.zone, Math.floor(after) + 1);
    pair.after = after;
    pair.next = next ?? Number.POSITIVE_INFINITY;
  }
  return pair.next === Number.POSITIVE_INFINITY ? null : pair.next;
}

/**
 * The latest instant with notBefore <= instant <= until at which `interval` occurs.
 *
 * @returns null when there is none
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function lastTime(
  interval: string,
  timezone: string,
  notBefore: number,
  until: number,
): number | null {
  const pair = pairOf(interval, timezone);
  return lastOccurrence(pair.interval, pair.zone, notBefore, Math.floor(until));
}

/**
 * How many instants with from <= instant <= until there are at which `interval` occurs. Ten years
 * of every second take well under a millisecond.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function countTimes(
  interval: string,
  timezone: string,
  from: number,
  until: number,
): number {
  const pair = pairOf(interval, timezone);
  return countOccurrences(pair.interval, pair.zone, Math.ceil(from), Math.floor(until));
}

/**
 * The first `limit` instants with from <= instant <= until at which `interval` occurs, in order.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function timesBetween(
  interval: string,
  timezone: string,
  from: number,
  until: number,
  limit: number,
): number[] {
  const pair = pairOf(interval, timezone);
  const times: number[] = [];
  let at = Math.ceil(from);
  while (times.length < limit) {
    const found = firstOccurrence(pair.interval, pair.zone, at);
    if (found === null || found > until) break;
    times.push(found);
    at = found + 1;
  }
  return times;
}
