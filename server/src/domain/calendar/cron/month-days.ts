/**
 * The days of a month that an interval names, computed once for each shape that a month can have.
 *
 * The shape of a month is its length and the weekday of its first day: 28 shapes. Within a cycle of
 * 400 years, each month occurs in each length it can have with every first weekday. So an interval
 * with a day in some shape of its months occurs again and again, and one without never does.
 */
export interface DayRule {
  readonly dayOfMonth: DayOfMonthRule;
  readonly dayOfWeek: DayOfWeekRule;
}

export interface DayOfMonthRule {
  /** The field begins with `*`, or is `?`. */
  readonly star: boolean;
  /** Bits 1 to 31. */
  readonly days: number;
  /** `L` is 0, `L-3` is 3. */
  readonly beforeLast: readonly number[];
  /** `15W` is 15, `LW` is 'last'. */
  readonly nearestWorkday?: number | 'last';
}

export interface DayOfWeekRule {
  /** The field begins with `*`, or is `?`. */
  readonly star: boolean;
  /** Bits 0 (Sunday) to 6. */
  readonly weekdays: number;
  readonly nth: readonly NthWeekday[];
}

/** `FRI#2` is { weekday: 5, nth: 2 }, `5L` is { weekday: 5, nth: 'last' }. */
export interface NthWeekday {
  readonly weekday: number;
  readonly nth: number | 'last';
}

/** Days of a month as bits 1 to 31, by `shapeOf`. */
export type DaysByShape = Int32Array;

const SHORTEST = 28;
const LONGEST = 31;

/** @param firstWeekday the weekday of the month's first day, 0 is Sunday */
export function shapeOf(length: number, firstWeekday: number): number {
  return (length - SHORTEST) * 7 + firstWeekday;
}

export function daysByShape(rule: DayRule): DaysByShape {
  const table = new Int32Array(28);
  for (let length = SHORTEST; length <= LONGEST; length += 1)
    for (let first = 0; first < 7; first += 1)
      table[shapeOf(length, first)] = daysOfShape(rule, length, first);
  return table;
}

/** Whether some day comes in a month of one of these lengths, with any first weekday. */
export function everOccurs(table: DaysByShape, lengths: Iterable<number>): boolean {
  for (const length of lengths)
    for (let first = 0; first < 7; first += 1) if (table[shapeOf(length, first)] !== 0) return true;
  return false;
}

/**
 * If neither field begins with `*`, either may match. If one does, both must, as in Vixie cron. The
 * star of a step counts too: it makes "every second day, if a Monday" possible.
 */
function daysOfShape(rule: DayRule, length: number, firstWeekday: number): number {
  const byDate = daysByDate(rule.dayOfMonth, length, firstWeekday);
  const byWeekday = daysByWeekday(rule.dayOfWeek, length, firstWeekday);
  const both = rule.dayOfMonth.star || rule.dayOfWeek.star;
  return (both ? byDate & byWeekday : byDate | byWeekday) & daysUpTo(length);
}

/** Bits 1 to `length`. */
function daysUpTo(length: number): number {
  return ((2 << length) - 1) & ~1;
}

function daysByDate(rule: DayOfMonthRule, length: number, firstWeekday: number): number {
  let days = rule.days;
  for (const before of rule.beforeLast) if (before < length) days |= 1 << (length - before);
  const target = rule.nearestWorkday === 'last' ? length : rule.nearestWorkday;
  if (target !== undefined && target <= length)
    days |= 1 << nearestWorkday(target, length, firstWeekday);
  return days;
}

/** Monday to Friday nearest to `day`, never in another month: the 1st on a Saturday gives the 3rd. */
function nearestWorkday(day: number, length: number, firstWeekday: number): number {
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function daysByWeekday(rule: DayOfWeekRule, length: number, firstWeekday: number): number {
  let days = everyWeek(rule.weekdays, firstWeekday);
  for (const { weekday, nth } of rule.nth) {
    const first = ((weekday - firstWeekday + 7) % 7) + 1;
    const weeks = nth === 'last' ? Math.floor((length - first) / 7) : nth - 1;
    if (first + 7 * weeks <= length) days |= 1 << (first + 7 * weeks);
  }
  return days;
}

/** The week turned so that it begins with the month, then laid out five times from bit 1 on. */
function everyWeek(weekdays: number, firstWeekday: number): number {
  const week = ((weekdays >>> firstWeekday) | (weekdays << (7 - firstWeekday))) & 0x7f;
  return (week << 1) | (week << 8) | (week << 15) | (week << 22) | (week << 29);
}
