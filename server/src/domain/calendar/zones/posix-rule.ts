import { isLeap, monthLength, weekdayOf } from '../../civil.ts';

/**
 * The rule of a time zone after its last listed change: the TZ string of POSIX, as the footer of a TZif
 * file has it (RFC 9636, 3.3.1), such as `CET-1CEST,M3.5.0,M10.5.0/3`.
 */
export interface PosixRule {
  /** The offset without summer time, and of every change where `changes` is empty. */
  readonly offsetMs: number;
  /** The yearly changes: none, or that to summer time and that back. */
  readonly changes: readonly YearlyChange[];
}

interface YearlyChange {
  /** The day from 1970-01-01 on, in a year. */
  readonly dayIn: (year: number) => number;
  /** From midnight of that day, on the wall clock of before the change; within a week either way. */
  readonly timeMs: number;
  readonly fromOffsetMs: number;
  readonly toOffsetMs: number;
}

/** An instant from which another offset holds. */
export interface OffsetChange {
  readonly at: number;
  readonly offsetMs: number;
}

/** @returns null when `text` is no TZ string of the form that TZif files may have */
export function parsePosixRule(text: string): PosixRule | null {
  const found = RULE.exec(text)?.groups;
  if (found === undefined) return null;
  // POSIX counts offsets from the zone to UTC: CET is -1.
  const offsetMs = 0 - clockMs(found.offset!, MOST_OFFSET_HOURS);
  if (found.summer === undefined) return ruleOf(offsetMs, []);
  const summerMs =
    found.summerOffset === undefined
      ? offsetMs + 3_600_000
      : 0 - clockMs(found.summerOffset, MOST_OFFSET_HOURS);
  const start = changeOf(found.start!, offsetMs, summerMs);
  const end = changeOf(found.end!, summerMs, offsetMs);
  return start === null || end === null ? null : ruleOf(offsetMs, [start, end]);
}

const NAME = '(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)';
const CLOCK = String.raw`[+-]?\d{1,3}(?::\d\d){0,2}`;
const DATE = String.raw`(?:M\d\d?\.\d\.\d|J?\d{1,3})(?:/${CLOCK})?`;
const RULE = new RegExp(
  `^${NAME}(?<offset>${CLOCK})` +
    `(?:(?<summer>${NAME})(?<summerOffset>${CLOCK})?,(?<start>${DATE}),(?<end>${DATE}))?$`,
);

const MOST_OFFSET_HOURS = 24;
/** RFC 9636, 3.3.1: version 3 has hours from -167 to 167. */
const MOST_TIME_HOURS = 167;

/** NaN where a part is out of its range. */
function clockMs(text: string, mostHours: number): number {
  const [hours, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  if (hours! > mostHours || minutes > 59 || seconds > 59) return Number.NaN;
  const ms = ((hours! * 60 + minutes) * 60 + seconds) * 1_000;
  return text.startsWith('-') ? -ms : ms;
}

function ruleOf(offsetMs: number, changes: YearlyChange[]): PosixRule | null {
  const numbers = [offsetMs, ...changes.flatMap(each => [each.timeMs, each.toOffsetMs])];
  if (numbers.some(Number.isNaN)) return null;
  const rule = { offsetMs, changes };
  if (changes.length === 0) return rule;
  // Summer time all the year is written as two changes at one instant: none is left within.
  const [first, ...others] = changesOf(rule, 2000, 2003);
  return others.length > 1 ? rule : { offsetMs: first!.offsetMs, changes: [] };
}

function changeOf(text: string, fromOffsetMs: number, toOffsetMs: number): YearlyChange | null {
  const [date, time = '2'] = text.split('/');
  const dayIn = dayOf(date!);
  return dayIn && { dayIn, timeMs: clockMs(time, MOST_TIME_HOURS), fromOffsetMs, toOffsetMs };
}

function dayOf(date: string): YearlyChange['dayIn'] | null {
  const number = Number(date.replace(/^[MJ]/, '').split('.')[0]);
  if (date.startsWith('J')) {
    if (number < 1 || number > 365) return null;
    // Never counts 29 February.
    return year => firstDay(year, 1) + number - (number < 60 || !isLeap(year) ? 1 : 0);
  }
  if (!date.startsWith('M')) return number > 365 ? null : year => firstDay(year, 1) + number;
  const [month, week, weekday] = date.slice(1).split('.').map(Number);
  if (month! < 1 || month! > 12 || week! < 1 || week! > 5 || weekday! > 6) return null;
  return year => weekdayIn(year, month!, week!, weekday!);
}

/** The `week`th such weekday of a month; the fifth is the last. */
function weekdayIn(year: number, month: number, week: number, weekday: number): number {
  const first = firstDay(year, month);
  const ahead = (weekday - weekdayOf(first) + 7) % 7;
  const day = ahead + (week - 1) * 7;
  return first + (day < monthLength(year, month) ? day : day - 7);
}

function firstDay(year: number, month: number): number {
  // `Date.UTC` takes years below 100 for those of the last century.
  return new Date(0).setUTCFullYear(year, month - 1, 1) / DAY_MS;
}

/** The changes of the offset in these years and both between, in order. */
export function changesOf(rule: PosixRule, fromYear: number, toYear: number): OffsetChange[] {
  const all: OffsetChange[] = [];
  for (let year = fromYear; year <= toYear; year += 1) {
    for (const { dayIn, timeMs, fromOffsetMs, toOffsetMs } of rule.changes) {
      const at = dayIn(year) * DAY_MS + timeMs - fromOffsetMs;
      all.push({ at, offsetMs: toOffsetMs });
    }
  }
  all.sort((a, b) => a.at - b.at);
  const lasting = all.filter((each, index) => each.at !== all[index + 1]?.at);
  return lasting.filter((each, index) => each.offsetMs !== lasting[index - 1]?.offsetMs);
}

const DAY_MS = 86_400_000;
