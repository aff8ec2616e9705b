import { PunctualError } from '../../errors.ts';
import { shown } from '../../white-space.ts';

/**
 * The grammar that all fields of an interval share: lists of values, ranges and steps.
 *
 *     list  = item *( "," item )
 *     item  = ( "*" / value / value "-" value ) [ "/" step ]
 *     value = number / name          (names: three letters, month and day of week only)
 *
 * `a/n` runs from a to the last value in steps of n. Ranges do not wrap round. A step may not be
 * greater than the number of values in the field: `*`+`/90` in the minute looks like "every 90
 * minutes" and would be "every hour".
 */
export interface FieldRule {
  readonly name: string;
  readonly min: number;
  /** The last value of `*` and of `a/n`. */
  readonly last: number;
  /** The greatest number accepted: 7 is a second Sunday in the day of week. */
  readonly max: number;
  /** In order, the first stands for `min`. */
  readonly names: readonly string[];
}

export const SECOND = rule('second', 0, 59);
export const MINUTE = rule('minute', 0, 59);
export const HOUR = rule('hour', 0, 23);
export const DAY_OF_MONTH = rule('day of month', 1, 31);
export const MONTH = {
  ...rule('month', 1, 12),
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
export const DAY_OF_WEEK = {
  ...rule('day of week', 0, 6),
  max: 7,
  names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

function rule(name: string, min: number, last: number): FieldRule {
  return { name, min, last, max: last, names: [] };
}

/** The values that a field names; a day of week's 7 is left as it is. */
export function parseList(rule: FieldRule, text: string): Set<number> {
  const values = new Set<number>();
  for (const item of listItems(rule, text)) addItem(rule, item, values);
  return values;
}

export function listItems(rule: FieldRule, text: string): string[] {
  const items = text.split(',');
  if (items.includes('')) throw bad(rule, 'an empty item in its list');
  return items;
}

export function addItem(rule: FieldRule, item: string, values: Set<number>): void {
  const [base = '', step, extra] = item.split('/', 3);
  if (extra !== undefined) throw bad(rule, `${quoted(item)}, which has more than one step`);
  const [from, to] = parseBase(rule, base, item, step !== undefined);
  const by = step === undefined ? 1 : parseStep(rule, step, item);
  for (let value = from; value <= to; value += by) values.add(value);
}

function parseBase(rule: FieldRule, base: string, item: string, open: boolean): [number, number] {
  if (base === '*') return [rule.min, rule.last];
  if (base === '') throw bad(rule, `${quoted(item)}, which has no value before the step`);
  if (base.includes('-')) return parseRange(rule, base);
  const value = parseValue(rule, base);
  return [value, open ? Math.max(value, rule.last) : value];
}

function parseRange(rule: FieldRule, range: string): [number, number] {
  const [start = '', end = '', extra] = range.split('-', 3);
  if (start === '' || end === '' || extra !== undefined)
    throw bad(rule, `${quoted(range)}, which is not a range of the form a-b`);
  const from = parseValue(rule, start);
  const to = rangeEnd(rule, from, end);
  if (from > to) throw bad(rule, `the range ${quoted(range)}, whose start comes after its end`);
  return [from, to];
}

/** At the end of a range the name SUN is the seventh day: FRI-SUN is three days. */
function rangeEnd(rule: FieldRule, from: number, end: string): number {
  const to = parseValue(rule, end);
  const isLateSunday = to < from && rule.max > rule.last && upperCase(end) === rule.names[0];
  return isLateSunday ? rule.max : to;
}

/** @param item the part of the list that it stands in: a refusal quotes no smaller piece, such as the cur of curl */
export function parseValue(rule: FieldRule, text: string, item = text): number {
  if (!/^\d+$/.test(text)) return parseName(rule, text, item);
  const value = Number(text);
  if (value < rule.min) throw bad(rule, `${shortened(text)}, which is below ${rule.min}`);
  if (value > rule.max) throw bad(rule, `${shortened(text)}, which is above ${rule.max}`);
  return value;
}

function parseName(rule: FieldRule, text: string, item: string): number {
  const place = rule.names.indexOf(upperCase(text));
  if (place !== -1) return rule.min + place;
  const names =
    rule.names.length === 0 ? '' : ` or a name from ${rule.names[0]} to ${rule.names.at(-1)}`;
  const numbers = `a number from ${rule.min} to ${rule.max}`;
  throw bad(rule, `${quoted(item)}, which is not ${numbers}${names}`);
}

/** Of ASCII letters only: to `toUpperCase` alone, "\u017Fun" (long s) would be a Sunday as well. */
export function upperCase(text: string): string {
  return /^[@a-z]*$/i.test(text) ? text.toUpperCase() : text;
}

function parseStep(rule: FieldRule, step: string, item: string): number {
  const size = rule.last - rule.min + 1;
  const value = /^\d+$/.test(step) ? Number(step) : 0;
  if (value < 1 || value > size)
    throw bad(rule, `${quoted(item)}, whose step is not a number from 1 to ${size}`);
  return value;
}

/** @param what goes on from "The interval's hour field has …", without the full stop */
export function bad(rule: FieldRule, what: string): PunctualError {
  return new PunctualError('interval_invalid', `The interval's ${rule.name} field has ${what}.`);
}

/** At most 40 characters of the input, and none that could garble a line of a log. */
export function quoted(text: string): string {
  const characters = startOf(text);
  return `"${shown(characters)}"${characters.length < text.length ? '…' : ''}`;
}

/** The same of digits, which stand without quotation marks. */
function shortened(digits: string): string {
  const characters = startOf(digits);
  return characters.length < digits.length ? `${characters}…` : characters;
}

function startOf(text: string): string {
  return [...text.slice(0, 2 * MOST_ECHOED)].slice(0, MOST_ECHOED).join('');
}

const MOST_ECHOED = 40;
