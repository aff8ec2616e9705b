import { civilFromDay, monthLength, weekdayOf } from '../../civil.ts';
import { hasBit, inWordAtOrAfter, inWordAtOrBefore, inWordBelow, NONE } from './bits.ts';
import type { Interval } from './interval.ts';
import { shapeOf } from './month-days.ts';
import { DAY_SECONDS, nextTimeOfDay, previousTimeOfDay, timesBefore } from './time-of-day.ts';

/**
 * Finds the times of an interval on the local time line: an endless calendar without time zone, gap
 * or overlap, in whole seconds from 1970-01-01T00:00:00.
 *
 * A search goes by months, then by days, then by the fields of the time of day, so a rare interval
 * costs about as much as a frequent one. It ends because `parseInterval` refuses an interval that
 * never occurs.
 */

/** The first match at or after `second`. */
export function nextLocal(interval: Interval, second: number): number {
  const day = dayOf(second);
  const found = nextDay(interval, day);
  if (found > day) return found * DAY_SECONDS + nextTimeOfDay(interval, 0);
  const time = nextTimeOfDay(interval, second - day * DAY_SECONDS);
  if (time !== NONE) return day * DAY_SECONDS + time;
  return nextDay(interval, day + 1) * DAY_SECONDS + nextTimeOfDay(interval, 0);
}

/** The last match at or before `second`. */
export function previousLocal(interval: Interval, second: number): number {
  const day = dayOf(second);
  const found = previousDay(interval, day);
  const lastTime = previousTimeOfDay(interval, DAY_SECONDS - 1);
  if (found < day) return found * DAY_SECONDS + lastTime;
  const time = previousTimeOfDay(interval, second - day * DAY_SECONDS);
  if (time !== NONE) return day * DAY_SECONDS + time;
  return previousDay(interval, day - 1) * DAY_SECONDS + lastTime;
}

/** How many matches there are with first <= match <= last. Costs months, not matches. */
export function countLocal(interval: Interval, first: number, last: number): number {
  if (first > last) return 0;
  const end = last + 1;
  const days = countDays(interval, dayOf(first), dayOf(end));
  const perDay = timesBefore(interval, DAY_SECONDS);
  return days * perDay - earlierThatDay(interval, first) + earlierThatDay(interval, end);
}

function earlierThatDay(interval: Interval, second: number): number {
  const day = dayOf(second);
  return nextDay(interval, day) === day ? timesBefore(interval, second - day * DAY_SECONDS) : 0;
}

function dayOf(second: number): number {
  return Math.floor(second / DAY_SECONDS);
}

function nextDay(interval: Interval, day: number): number {
  let { year, month, day: from } = civilFromDay(day);
  let monthStart = day - from + 1;
  for (;;) {
    const length = monthLength(year, month);
    const found = inWordAtOrAfter(daysOf(interval, month, length, monthStart), from);
    if (found !== NONE) return monthStart + found - 1;
    monthStart += length;
    from = 1;
    month += 1;
    if (month > 12) {
      month = 1;
      year += 1;
    }
  }
}

function previousDay(interval: Interval, day: number): number {
  let { year, month, day: to } = civilFromDay(day);
  let monthStart = day - to + 1;
  for (;;) {
    const length = monthLength(year, month);
    const found = inWordAtOrBefore(daysOf(interval, month, length, monthStart), to);
    if (found !== NONE) return monthStart + found - 1;
    month -= 1;
    if (month < 1) {
      month = 12;
      year -= 1;
    }
    monthStart -= monthLength(year, month);
    to = 31;
  }
}

/** Matching days with from <= day < to. */
function countDays(interval: Interval, from: number, to: number): number {
  let { year, month, day } = civilFromDay(from);
  let monthStart = from - day + 1;
  let count = 0;
  while (monthStart < to) {
    const length = monthLength(year, month);
    const days = daysOf(interval, month, length, monthStart);
    count += inWordBelow(days, to - monthStart + 1) - inWordBelow(days, day);
    monthStart += length;
    day = 1;
    month += 1;
    if (month > 12) {
      month = 1;
      year += 1;
    }
  }
  return count;
}

function daysOf(interval: Interval, month: number, length: number, monthStart: number): number {
  if (!hasBit(interval.months, month)) return 0;
  return interval.daysByShape[shapeOf(length, weekdayOf(monthStart))]!;
}
