import type { Segment } from '../zones/segment.ts';
import type { Zone } from '../zones/zone.ts';
import type { Interval } from './interval.ts';
import { countLocal, nextLocal, previousLocal } from './local-time.ts';
import { DAY_SECONDS } from './time-of-day.ts';

/**
 * Occurrences: the instants at which an interval occurs in a zone, also through changes of daylight saving.
 *
 * Within a segment the local time line is simply shifted. Between segments Debian's cron decides
 * (cron(8), and the main loop of cron.c where the page is silent):
 *
 * - an interval that follows the clock occurs whenever the wall clock shows it: twice in an
 *   overlap, not at all in a gap;
 * - a fixed one occurs once at the end of a gap if any of its times fell into it, and in an overlap
 *   only in the first pass;
 * - a jump of more than 3 hours is a correction of the calendar, not daylight saving: nothing is
 *   caught up, and nothing held back.
 *
 * The day fields of a time in a gap are judged by the local time that did not exist: in
 * America/Nuuk 23:30 on Saturday is caught up at 00:00 on Sunday.
 */
export const LONGEST_CHANGE_MS = 3 * 3_600_000;

/** Years 1 to 9999: what ISO 8601 writes with four digits. */
export const FIRST_AT = Date.parse('0001-01-01T00:00:00Z');
export const LAST_AT = Date.parse('9999-12-31T23:59:59.999Z');

/** The first occurrence at or after `at`, or null when none comes before the year 10000. */
export function firstOccurrence(interval: Interval, zone: Zone, at: number): number | null {
  let from = Math.max(at, FIRST_AT);
  while (from <= LAST_AT) {
    const segment = zone.segmentAt(from);
    if (from === segment.startAt && catchesUp(interval, segment)) return from;
    const match = nextLocal(interval, firstSecond(interval, segment, from));
    const found = match * 1_000 - segment.offsetMs;
    if (found < segment.endAt) return found <= LAST_AT ? found : null;
    from = whereToGoOn(interval, segment, match);
  }
  return null;
}

/** The last occurrence with notBefore <= occurrence <= until, or null. */
export function lastOccurrence(
  interval: Interval,
  zone: Zone,
  notBefore: number,
  until: number,
): number | null {
  const from = Math.max(notBefore, FIRST_AT);
  let to = Math.min(until, LAST_AT);
  while (to >= from) {
    const segment = zone.segmentAt(to);
    const found = lastInSegment(interval, segment, to);
    if (found !== null) return found >= from ? found : null;
    to = segment.startAt - 1;
  }
  return null;
}

function lastInSegment(interval: Interval, segment: Segment, to: number): number | null {
  const match = previousLocal(interval, Math.floor((to + segment.offsetMs) / 1_000));
  if (match * 1_000 >= localStart(interval, segment)) return match * 1_000 - segment.offsetMs;
  return catchesUp(interval, segment) ? segment.startAt : null;
}

/** How many occurrences there are with from <= occurrence <= until. Costs months, not occurrences. */
export function countOccurrences(
  interval: Interval,
  zone: Zone,
  from: number,
  until: number,
): number {
  const last = Math.min(until, LAST_AT);
  let count = 0;
  let at = Math.max(from, FIRST_AT);
  while (at <= last) {
    const segment = zone.segmentAt(at);
    count += countInSegment(interval, segment, at, Math.min(last, segment.endAt - 1));
    at = segment.endAt;
  }
  return count;
}

function countInSegment(interval: Interval, segment: Segment, from: number, to: number): number {
  const first = firstSecond(interval, segment, from);
  const regular = countLocal(interval, first, Math.floor((to + segment.offsetMs) / 1_000));
  if (from !== segment.startAt || !catchesUp(interval, segment)) return regular;
  const isRegularToo = nextLocal(interval, first) * 1_000 === from + segment.offsetMs;
  return isRegularToo ? regular : regular + 1;
}

/** The first local second of a segment, at or after `from`, at which the interval may occur. */
function firstSecond(interval: Interval, segment: Segment, from: number): number {
  return Math.ceil(Math.max(from + segment.offsetMs, localStart(interval, segment)) / 1_000);
}

/** In the second pass of an overlap, fixed times begin only after it. */
function localStart(interval: Interval, segment: Segment): number {
  const start = segment.startAt + segment.offsetMs;
  const isRepeated = segment.shiftMs < 0 && segment.shiftMs >= -LONGEST_CHANGE_MS;
  return isRepeated && !interval.followsClock ? start - segment.shiftMs : start;
}

/** Whether a time of the interval fell into the gap before the segment, and is due at its start. */
function catchesUp(interval: Interval, segment: Segment): boolean {
  if (interval.followsClock) return false;
  if (segment.shiftMs <= 0 || segment.shiftMs > LONGEST_CHANGE_MS) return false;
  const gapEnd = segment.startAt + segment.offsetMs;
  const gapStart = gapEnd - segment.shiftMs;
  return nextLocal(interval, Math.ceil(gapStart / 1_000)) * 1_000 < gapEnd;
}

/**
 * Returns the instant to search from when the next local match lies beyond the segment. It is the
 * start of the next segment, or two days before a match that is far off.
 *
 * No wall clock is more than a day from UTC and no change longer than a day (Alaska 1867). So if
 * nothing matches from two days before the segment's end, nothing occurs on the way, and 29
 * February costs two segments instead of eight.
 */
function whereToGoOn(interval: Interval, segment: Segment, match: number): number {
  const localEnd = Math.ceil((segment.endAt + segment.offsetMs) / 1_000);
  const isFar = match - localEnd > 3 * DAY_SECONDS;
  if (!isFar || nextLocal(interval, localEnd - 2 * DAY_SECONDS) !== match) return segment.endAt;
  return (match - 2 * DAY_SECONDS) * 1_000;
}
