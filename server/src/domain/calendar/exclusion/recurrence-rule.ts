import { type ContentLine, invalid } from './content-lines.ts';
import { readMoment } from './moment.ts';

/** A recurrence rule (RFC 5545, 3.3.10), as it is written. Parts that it does not have are null. */
export interface RecurrenceRule {
  frequency: Frequency;
  /** From 1. */
  interval: number;
  count: number | null;
  /** Inclusive, on the local time line. */
  until: number | null;
  /** 0 is Sunday. */
  firstWeekday: number;
  months: number[] | null;
  /** In weeks, days of the month and of the year, -1 is the last. */
  weeks: number[] | null;
  yearDays: number[] | null;
  monthDays: number[] | null;
  days: DayOfRule[] | null;
  hours: number[] | null;
  minutes: number[] | null;
  seconds: number[] | null;
  positions: number[] | null;
}

export type Frequency =
  | 'YEARLY'
  | 'MONTHLY'
  | 'WEEKLY'
  | 'DAILY'
  | 'HOURLY'
  | 'MINUTELY'
  | 'SECONDLY';

/** A weekday, 0 is Sunday; the `nth` of month or year, and all where it is 0. */
export interface DayOfRule {
  weekday: number;
  nth: number;
}

/**
 * @param localOf turns an UNTIL in UTC into the wall clock of the event
 * @throws PunctualError `calendar_invalid`
 */
export function readRule(
  property: ContentLine,
  localOf: (instant: number) => number,
): RecurrenceRule {
  const parts = new Map<string, string>();
  for (const part of property.value.trim().replace(/;$/, '').split(';')) {
    const [name, value] = part.split('=', 2);
    if (value === undefined) throw faulty(property, part);
    parts.set(name!.trim().toUpperCase(), value.trim().toUpperCase());
  }
  const list = (name: string, least: number, most: number) => {
    const text = parts.get(name);
    return text === undefined ? null : numbers(text, least, most, property, name);
  };
  const frequency = parts.get('FREQ') as Frequency;
  if (!FREQUENCIES.has(frequency)) throw faulty(property, 'FREQ');
  return {
    frequency,
    // Some programs write 0.
    interval: Math.max(1, list('INTERVAL', 0, MOST_INTERVAL)?.[0] ?? 1),
    count: list('COUNT', 0, Number.MAX_SAFE_INTEGER)?.[0] ?? null,
    until: readUntil(parts.get('UNTIL'), property, localOf),
    firstWeekday: weekday(parts.get('WKST') ?? 'MO', property, 'WKST'),
    months: list('BYMONTH', 1, 12),
    weeks: list('BYWEEKNO', -53, 53),
    yearDays: list('BYYEARDAY', -366, 366),
    monthDays: list('BYMONTHDAY', -31, 31),
    days: readDays(parts.get('BYDAY'), property),
    hours: list('BYHOUR', 0, 23),
    minutes: list('BYMINUTE', 0, 59),
    // A leap second is no second of a wall clock here.
    seconds: distinct(list('BYSECOND', 0, 60)?.map(each => Math.min(each, 59))),
    positions: list('BYSETPOS', -366, 366),
  };
}

function readUntil(
  text: string | undefined,
  property: ContentLine,
  localOf: (instant: number) => number,
): number | null {
  if (text === undefined) return null;
  const until = readMoment(text, property);
  if (until.isDate) return until.localTime + DAY_MS - 1;
  return until.timezone === null ? until.localTime : localOf(until.localTime);
}

/** Ascending, without 0 where numbers may count from the end. */
function numbers(
  text: string,
  least: number,
  most: number,
  property: ContentLine,
  name: string,
): number[] {
  const found = text.split(',').map(each => {
    const number = /^[+-]?\d+$/.test(each) ? Number(each) : Number.NaN;
    const isGood = number >= least && number <= most && (least >= 0 || number !== 0);
    if (!isGood) throw faulty(property, name);
    return number;
  });
  return distinct(found)!;
}

function distinct(found: number[] | undefined): number[] | null {
  return found === undefined ? null : [...new Set(found)].sort((a, b) => a - b);
}

function readDays(text: string | undefined, property: ContentLine): DayOfRule[] | null {
  if (text === undefined) return null;
  const days = new Set(text.split(','));
  return [...days].map(each => {
    const [, nth, name] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(each) ?? [];
    return { weekday: weekday(name ?? '', property, 'BYDAY'), nth: Number(nth ?? 0) };
  });
}

function weekday(name: string, property: ContentLine, part: string): number {
  const found = WEEKDAYS.indexOf(name);
  if (found === -1) throw faulty(property, part);
  return found;
}

function faulty({ name, line }: ContentLine, part: string): Error {
  const shown = JSON.stringify(part.slice(0, 40));
  return invalid(`Line ${line} of the calendar has no valid rule: see ${shown} in ${name}.`);
}

/** More than the seconds of all years that there are. */
const MOST_INTERVAL = 1e12;
const DAY_MS = 86_400_000;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const FREQUENCIES: ReadonlySet<string> = new Set<Frequency>([
  'YEARLY',
  'MONTHLY',
  'WEEKLY',
  'DAILY',
  'HOURLY',
  'MINUTELY',
  'SECONDLY',
]);
