import { bitsOf } from './bits.ts';
import {
  addItem,
  bad,
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  type FieldRule,
  listItems,
  parseValue,
  quoted,
} from './interval-field.ts';
import type { DayOfMonthRule, DayOfWeekRule, NthWeekday } from './month-days.ts';

/**
 * The syntax that only the two day fields accept, in upper or lower case.
 *
 * | day of month | means | | day of week | means |
 * |---|---|---|---|---|
 * | `?` | `*`; stands alone | | `?` | `*`; stands alone |
 * | `L` | the last day | | `5L`, `FRIL`, `5#L` | the last Friday of the month |
 * | `L-3` | three days before the last | | `5#2`, `FRI#2` | the second Friday |
 * | `15W` | the working day nearest to the 15th; stands alone | | | |
 * | `LW` | the last working day; stands alone | | | |
 */
export function parseDayOfMonth(text: string): DayOfMonthRule {
  if (text === '?') return { star: true, days: bitsOf(all(1, 31)).low, beforeLast: [] };
  const nearestWorkday = parseNearestWorkday(text);
  if (nearestWorkday !== undefined) return { star: false, days: 0, beforeLast: [], nearestWorkday };
  const days = new Set<number>();
  const beforeLast: number[] = [];
  for (const item of listItems(DAY_OF_MONTH, text)) {
    refuseWhatStandsAlone(DAY_OF_MONTH, item, text);
    if (/^L(-|$)/i.test(item)) beforeLast.push(parseBeforeLast(item));
    else addItem(DAY_OF_MONTH, item, days);
  }
  return { star: text.startsWith('*'), days: bitsOf(days).low, beforeLast };
}

/** `W` and `?` fill a whole field: they take no list, range or step, as in Quartz. */
function refuseWhatStandsAlone(rule: FieldRule, item: string, text: string): void {
  if (rule === DAY_OF_MONTH && /(?:L|\d)W/i.test(item)) {
    throw bad(
      rule,
      `${quoted(text)}, where W stands alone: one day such as 15W or LW, and no list, range or step`,
    );
  }
  if (item.includes('?')) {
    throw bad(rule, `${quoted(text)}, where ? stands alone: no list, range or step`);
  }
}

function parseNearestWorkday(text: string): number | 'last' | undefined {
  const target = /^(L|\d+)W$/i.exec(text)?.[1];
  if (target === undefined) return undefined;
  return target.toUpperCase() === 'L' ? 'last' : parseValue(DAY_OF_MONTH, target);
}

function parseBeforeLast(item: string): number {
  if (item.length === 1) return 0;
  const count = /^L-(\d{1,2})$/i.exec(item)?.[1];
  if (count === undefined || Number(count) < 1 || Number(count) > 30)
    throw bad(DAY_OF_MONTH, `${quoted(item)}, where L-1 to L-30 can be`);
  return Number(count);
}

export function parseDayOfWeek(text: string): DayOfWeekRule {
  if (text === '?') return { star: true, weekdays: bitsOf(all(0, 6)).low, nth: [] };
  const weekdays = new Set<number>();
  const nth: NthWeekday[] = [];
  for (const item of listItems(DAY_OF_WEEK, text)) {
    refuseWhatStandsAlone(DAY_OF_WEEK, item, text);
    if (/#|L$/i.test(item)) nth.push(parseNthWeekday(item));
    else addItem(DAY_OF_WEEK, item, weekdays);
  }
  if (weekdays.delete(7)) weekdays.add(0);
  return { star: text.startsWith('*'), weekdays: bitsOf(weekdays).low, nth };
}

function parseNthWeekday(item: string): NthWeekday {
  const [, day, place] = /^([^#]+?)#?([1-5]|L)$/i.exec(item) ?? [];
  if (day === undefined || place === undefined)
    throw bad(DAY_OF_WEEK, `${quoted(item)}, where 5#1 to 5#5 or 5L can be`);
  const weekday = parseValue(DAY_OF_WEEK, day, item) % 7;
  return { weekday, nth: place.toUpperCase() === 'L' ? 'last' : Number(place) };
}

function all(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
