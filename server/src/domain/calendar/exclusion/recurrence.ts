import { civilFromDay, isLeap, monthLength, weekdayOf } from '../../civil.ts';
import type { Effort } from './effort.ts';
import type { DayOfRule, Frequency, RecurrenceRule } from './recurrence-rule.ts';

/**
 * Expands a recurrence rule (RFC 5545, 3.3.10) on the local time line: ms of a wall clock read as if it were UTC.
 *
 * The rule may leave out what its start says. A start that the rule does not name is the caller's to add; it counts as the
 * first of COUNT all the same. The rule's times are found from `from` on without those before, but for COUNT.
 */

interface Bounds {
  /** The first time of the series; only later ones are yielded. */
  start: number;
  /** Whole days: the rule's times of day do not count. */
  isDate: boolean;
  /** Only times with from <= time < to are yielded. */
  from: number;
  to: number;
}

/** @throws PunctualError `calendar_invalid` where the effort is spent */
export function* expand(
  rule: RecurrenceRule,
  { start, isDate, from, to }: Bounds,
  effort: Effort,
): Generator<number> {
  const full = completed(rule, start);
  const end = Math.min(to - 1, full.until ?? Number.POSITIVE_INFINITY);
  // COUNT counts from the start on. Else all that was before may be left out.
  const searchFrom = full.count === null ? Math.max(start, from) : start;
  let count = 1;
  for (const times of sets(full, start, isDate, searchFrom, end, effort)) {
    effort.spend(full.positions?.length ?? 0);
    for (const time of atPositions(times, full.positions)) {
      if (time <= start) continue;
      if (time > end || (full.count !== null && count >= full.count)) return;
      count += 1;
      if (time >= from) yield time;
    }
  }
}

/** The start says what the rule leaves out. */
function completed(rule: RecurrenceRule, start: number): RecurrenceRule {
  const startDay = Math.floor(start / DAY_MS);
  const { month, day } = civilFromDay(startDay);
  const { frequency, monthDays, yearDays, weeks, days } = rule;
  const weekday: DayOfRule[] = [{ weekday: weekdayOf(startDay), nth: 0 }];
  if ([monthDays, yearDays, days].some(each => each !== null)) return rule;
  if (frequency === 'WEEKLY' || weeks !== null) return { ...rule, days: weekday };
  if (frequency === 'MONTHLY') return { ...rule, monthDays: [day] };
  if (frequency !== 'YEARLY') return rule;
  return { ...rule, months: rule.months ?? [month], monthDays: [day] };
}

function* atPositions(times: number[], positions: number[] | null): Generator<number> {
  if (positions === null) {
    yield* times;
    return;
  }
  const places = positions.map(each => (each > 0 ? each - 1 : times.length + each));
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    const time = times[place];
    if (time !== undefined) yield time;
  }
}

/** The times of each interval of the rule, ascending; those before `from` are left out as far as is easy. */
function sets(
  rule: RecurrenceRule,
  start: number,
  isDate: boolean,
  from: number,
  end: number,
  effort: Effort,
): Generator<number[]> {
  const unitMs = SHORT_UNIT_MS[rule.frequency];
  if (unitMs !== undefined) return shortSets(rule, unitMs, start, from, end, effort);
  const times = isDate ? [0] : timesOfDay(rule, start);
  return longSets(rule, times, start, from, end, effort);
}

/** The times of a day. */
function timesOfDay({ hours, minutes, seconds }: RecurrenceRule, start: number): number[] {
  const startSecond = mod(Math.floor(start / 1_000), DAY_MS / 1_000);
  const found: number[] = [];
  for (const hour of hours ?? [Math.floor(startSecond / 3_600)]) {
    for (const minute of minutes ?? [Math.floor(startSecond / 60) % 60]) {
      for (const second of seconds ?? [startSecond % 60]) {
        found.push(((hour * 60 + minute) * 60 + second) * 1_000);
      }
    }
  }
  return found;
}

/** Of rules by years, months, weeks and days. */
function* longSets(
  rule: RecurrenceRule,
  times: number[],
  start: number,
  from: number,
  end: number,
  effort: Effort,
): Generator<number[]> {
  const lastDay = Math.floor(end / DAY_MS);
  const [startDay, fromDay] = [Math.floor(start / DAY_MS), Math.floor(from / DAY_MS)];
  for (const ranges of dayRanges(rule, startDay, fromDay, lastDay)) {
    effort.spend(INTERVAL_STEPS);
    const found: number[] = [];
    for (const [first, last] of ranges) {
      // A position is one among all days of the interval.
      if (first > lastDay && rule.positions === null) continue;
      effort.spend(last - first + 1);
      for (let day = first; day <= last; day += 1) {
        if (!matchesDay(rule, day)) continue;
        effort.spend(times.length);
        for (const time of times) found.push(day * DAY_MS + time);
      }
    }
    yield found;
  }
}

type Range = [first: number, last: number];

/** The days of each interval of the rule, from the one that holds day `from` to the one that holds day `last`. */
function* dayRanges(
  rule: RecurrenceRule,
  startDay: number,
  from: number,
  last: number,
): Generator<Range[]> {
  const { frequency, interval, months } = rule;
  const { year, month } = civilFromDay(startDay);
  const fromDate = civilFromDay(from);
  const lastDate = civilFromDay(last);
  if (frequency === 'YEARLY') {
    for (let at = firstAt(year, fromDate.year, interval); at <= lastDate.year; at += interval) {
      yield months === null && rule.monthDays === null
        ? [[dayOf(at, 1, 1), dayOf(at, 12, 31)]]
        : (months ?? ALL_MONTHS).flatMap(each => monthRanges(rule, at, each));
    }
    return;
  }
  if (frequency === 'MONTHLY') {
    const fromMonth = fromDate.year * 12 + fromDate.month - 1;
    const lastMonth = lastDate.year * 12 + lastDate.month - 1;
    const first = firstAt(year * 12 + month - 1, fromMonth, interval);
    for (let at = first; at <= lastMonth; at += interval) {
      yield monthRanges(rule, Math.floor(at / 12), (at % 12) + 1);
    }
    return;
  }
  const isWeekly = frequency === 'WEEKLY';
  const length = isWeekly ? 7 : 1;
  const first = isWeekly ? weekStart(startDay, rule.firstWeekday) : startDay;
  const step = length * interval;
  for (let at = firstAt(first, from - length + 1, step); at <= last; at += step) {
    yield [[at, at + length - 1]];
  }
}

/** Of the days of the month that the rule names, only these. */
function monthRanges({ monthDays }: RecurrenceRule, year: number, month: number): Range[] {
  const first = dayOf(year, month, 1);
  const length = monthLength(year, month);
  if (monthDays === null) return [[first, first + length - 1]];
  const named = monthDays.map(each => (each > 0 ? each : length + 1 + each));
  const real = [...new Set(named)].filter(each => each >= 1 && each <= length);
  return real.sort((a, b) => a - b).map(each => [first + each - 1, first + each - 1]);
}

/** The first of start, start + step, … that is at or after `from`. */
function firstAt(start: number, from: number, step: number): number {
  return start + Math.max(0, Math.ceil((from - start) / step)) * step;
}

/** Of rules by hours, minutes and seconds: days, hours and minutes that do not match are jumped over. */
function* shortSets(
  rule: RecurrenceRule,
  unitMs: number,
  start: number,
  from: number,
  end: number,
  effort: Effort,
): Generator<number[]> {
  const first = Math.floor(start / unitMs);
  const next = (time: number) => firstAt(first, Math.ceil(time / unitMs), rule.interval) * unitMs;
  let at = next(from - unitMs + 1);
  let matchingDay = Number.NaN;
  while (at <= end) {
    effort.spend(1);
    const day = Math.floor(at / DAY_MS);
    if (day !== matchingDay && !matchesDay(rule, day)) at = next((day + 1) * DAY_MS);
    else {
      matchingDay = day;
      const mismatchMs = mismatch(rule, unitMs, at - day * DAY_MS);
      if (mismatchMs > 0) at = next((Math.floor(at / mismatchMs) + 1) * mismatchMs);
      else {
        const times = timesWithin(rule, unitMs, at, start);
        effort.spend(times.length);
        yield times;
        at = next(at + unitMs);
      }
    }
  }
}

/** The length of the unit that the rule does not have: an hour, a minute, a second; 0 where it has the time. */
function mismatch(rule: RecurrenceRule, unitMs: number, time: number): number {
  if (rule.hours?.includes(Math.floor(time / HOUR_MS)) === false) return HOUR_MS;
  if (unitMs === HOUR_MS) return 0;
  if (rule.minutes?.includes(Math.floor(time / MINUTE_MS) % 60) === false) return MINUTE_MS;
  if (unitMs === MINUTE_MS) return 0;
  return rule.seconds?.includes(Math.floor(time / 1_000) % 60) === false ? 1_000 : 0;
}

function timesWithin(rule: RecurrenceRule, unitMs: number, at: number, start: number): number[] {
  if (unitMs === 1_000) return [at];
  const startSecond = Math.floor(start / 1_000);
  const seconds = rule.seconds ?? [mod(startSecond, 60)];
  if (unitMs === MINUTE_MS) return seconds.map(second => at + second * 1_000);
  const minutes = rule.minutes ?? [mod(Math.floor(startSecond / 60), 60)];
  return minutes.flatMap(minute => seconds.map(second => at + (minute * 60 + second) * 1_000));
}

function matchesDay(rule: RecurrenceRule, day: number): boolean {
  const { months, monthDays, yearDays, weeks, days } = rule;
  if (days !== null && !days.some(each => each.weekday === weekdayOf(day))) return false;
  const { year, month, day: monthDay } = civilFromDay(day);
  if (months !== null && !months.includes(month)) return false;
  if (monthDays !== null && !isAmong(monthDays, monthDay, monthLength(year, month))) return false;
  if (yearDays !== null && !isAmong(yearDays, yearDay(year, day), yearLength(year))) return false;
  if (weeks !== null && !matchesWeek(weeks, day, rule.firstWeekday)) return false;
  return days === null || matchesWeekday(rule, days, day, year, month, monthDay);
}

/** @param nth from 1; negative numbers count from the end */
function isAmong(numbers: readonly number[], nth: number, length: number): boolean {
  return numbers.includes(nth) || numbers.includes(nth - length - 1);
}

function matchesWeekday(
  { frequency, months, weeks }: RecurrenceRule,
  days: readonly DayOfRule[],
  day: number,
  year: number,
  month: number,
  monthDay: number,
): boolean {
  const weekday = weekdayOf(day);
  const isByMonth = frequency === 'MONTHLY' || months !== null;
  // Elsewhere the number has no meaning.
  const counts = frequency === 'MONTHLY' || (frequency === 'YEARLY' && weeks === null);
  const place = isByMonth ? monthDay : yearDay(year, day);
  const left = (isByMonth ? monthLength(year, month) : yearLength(year)) - place;
  const nth = Math.ceil(place / 7);
  const nthLast = -1 - Math.floor(left / 7);
  return days.some(
    each =>
      each.weekday === weekday &&
      (!counts || each.nth === 0 || each.nth === nth || each.nth === nthLast),
  );
}

/** The first week of a year has at least four of its days. */
function matchesWeek(weeks: readonly number[], day: number, firstWeekday: number): boolean {
  const start = weekStart(day, firstWeekday);
  const { year } = civilFromDay(start + 3);
  const first = weekStart(dayOf(year, 1, 4), firstWeekday);
  const next = weekStart(dayOf(year + 1, 1, 4), firstWeekday);
  return isAmong(weeks, (start - first) / 7 + 1, (next - first) / 7);
}

function weekStart(day: number, firstWeekday: number): number {
  return day - mod(weekdayOf(day) - firstWeekday, 7);
}

function yearDay(year: number, day: number): number {
  return day - dayOf(year, 1, 1) + 1;
}

function yearLength(year: number): number {
  return isLeap(year) ? 366 : 365;
}

/** The day from 1970-01-01 on. */
function dayOf(year: number, month: number, day: number): number {
  // `Date.UTC` takes years below 100 for those of the last century.
  return new Date(0).setUTCFullYear(year, month - 1, day) / DAY_MS;
}

function mod(value: number, by: number): number {
  const rest = value % by;
  return rest < 0 ? rest + by : rest;
}

const INTERVAL_STEPS = 5;
const ALL_MONTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const SHORT_UNIT_MS: Partial<Record<Frequency, number>> = {
  HOURLY: HOUR_MS,
  MINUTELY: MINUTE_MS,
  SECONDLY: 1_000,
};
