import { bitsOf, inWordAtOrAfter, NONE } from '../cron/bits.ts';
import type { DayOfMonthRule, DayOfWeekRule, NthWeekday } from '../cron/month-days.ts';
import { joined, numberWords } from './number-words.ts';

/** The days of an interval in words. */

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NTH = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
const MONTHS = [
  '',
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const ALL_DAYS = bitsOf(Array.from({ length: 31 }, (_, index) => index + 1)).low;
const ALL_WEEKDAYS = bitsOf([0, 1, 2, 3, 4, 5, 6]).low;

/**
 * `on day 1 of the month`, `Monday to Friday`, or null where it is every day.
 *
 * A rule whose field begins with `*` must hold beside the other one. Of two others, either may hold (docs/schedules.md).
 */
export function dayWords(dayOfMonth: DayOfMonthRule, dayOfWeek: DayOfWeekRule): string | null {
  const isAnyDate = dayOfMonth.days === ALL_DAYS;
  const isAnyWeekday = dayOfWeek.weekdays === ALL_WEEKDAYS;
  const mustBoth = dayOfMonth.star || dayOfWeek.star;
  if (mustBoth) {
    if (isAnyDate) return isAnyWeekday ? null : weekdayWords(dayOfWeek);
    if (isAnyWeekday) return dateWords(dayOfMonth);
    return `${dateWords(dayOfMonth)}, if it is ${weekdayNames(dayOfWeek, 'or')}`;
  }
  if (isAnyDate || isAnyWeekday) return null;
  return `${dateWords(dayOfMonth)}, and also ${weekdayWords(dayOfWeek)}`;
}

/** `in January and March`, or null where it is every month. */
export function monthWords(months: ReadonlySet<number>): string | null {
  const values = [...months].sort((a, b) => a - b);
  return values.length === 12 ? null : `in ${numberWords(values, month => MONTHS[month]!)}`;
}

function dateWords({ days, beforeLast, nearestWorkday }: DayOfMonthRule): string {
  if (nearestWorkday === 'last') return 'on the last working day of the month';
  if (nearestWorkday !== undefined) {
    return `on the working day nearest to day ${nearestWorkday} of the month`;
  }
  const values = membersOf(days, 31);
  const parts = values.length === 0 ? [] : [datesWords(values)];
  const lasts = [...new Set(beforeLast)].sort((a, b) => a - b);
  return `on ${joined([...parts, ...lasts.map(beforeLastWords)])} of the month`;
}

function datesWords(values: number[]): string {
  return `${values.length === 1 ? 'day' : 'days'} ${numberWords(values, String)}`;
}

function beforeLastWords(count: number): string {
  if (count === 0) return 'the last day';
  return `the ${ordinal(count)} day before the last day`;
}

/** `1st`, `2nd`, `23rd`; up to 30. */
function ordinal(count: number): string {
  const isTeen = count > 10 && count < 14;
  return `${count}${(!isTeen && ['', 'st', 'nd', 'rd'][count % 10]) || 'th'}`;
}

function weekdayWords(rule: DayOfWeekRule): string {
  const names = weekdayNames(rule);
  const isOneRange = rule.nth.length === 0 && / to /.test(names) && !/,| and /.test(names);
  return isOneRange ? names : `on ${names}`;
}

function weekdayNames({ weekdays, nth }: DayOfWeekRule, conjunction: 'and' | 'or' = 'and'): string {
  // Monday is 1 and Sunday 7, so that a weekend stands together.
  const values = membersOf(weekdays, 6).map(day => (day === 0 ? 7 : day));
  values.sort((a, b) => a - b);
  const named = (day: number) => WEEKDAYS[day % 7]!;
  const plain = values.length === 0 ? [] : [numberWords(values, named, conjunction)];
  return joined([...plain, ...nth.map(nthWords)], conjunction);
}

function nthWords({ weekday, nth }: NthWeekday): string {
  return `the ${nth === 'last' ? 'last' : NTH[nth]} ${WEEKDAYS[weekday]} of the month`;
}

function membersOf(bits: number, last: number): number[] {
  const members: number[] = [];
  for (let at = inWordAtOrAfter(bits, 0); at !== NONE && at <= last; ) {
    members.push(at);
    at = inWordAtOrAfter(bits, at + 1);
  }
  return members;
}
