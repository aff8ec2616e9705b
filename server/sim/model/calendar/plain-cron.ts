import { wallReader } from './plain-zone.ts';

/**
 * A cron expression read and walked minute by minute, as cron's main loop does: an oracle that is slow and plain.
 *
 * It knows numbers, names, `*`, lists, ranges, steps and the macros. The rules of clock changes are Debian's, as the
 * project's page on intervals says them. All changes of the walked years happen at whole minutes.
 */
export interface PlainCron {
  seconds: Set<number>;
  minutes: Set<number>;
  hours: Set<number>;
  /** `day` counts days since 1970. */
  hasDay(day: number): boolean;
  /** Minute or hour begins with `*`: the job follows the running clock. */
  followsClock: boolean;
  /** Minute and hour are one number each. */
  hasOneTimeOfDay: boolean;
}

/** A time of an interval. */
export interface PlainTime {
  at: number;
  /** The wall time that the interval names, laid out in UTC; a gap in the clock makes `at` another one. */
  wallAt: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Changes up to this length, ahead or back, are made up for. */
export const LONGEST_CHANGE_MS = 3 * HOUR_MS;

/** Simulated worlds begin at one time, and share few intervals: a stretch that was walked is kept, unless it is long. */
const STRETCH_MS = 10 * MINUTE_MS;
const MOST_KEPT = 1_000;
const kept = new Map<string, PlainTime[]>();

const MACROS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const MONTHS = ',jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec'.split(',');
const WEEKDAYS = 'sun,mon,tue,wed,thu,fri,sat'.split(',');

export function readCron(text: string): PlainCron {
  const lower = text.trim().toLowerCase();
  const fields = (MACROS[lower] ?? lower).split(/\s+/);
  if (fields.length === 5) fields.unshift('0');
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = fields as string[] & { length: 6 };
  const daysOfMonth = readField(dayOfMonth!, 1, 31);
  const months = readField(month!, 1, 12, MONTHS);
  const daysOfWeek = readField(dayOfWeek!, 0, 7, WEEKDAYS);
  const both = dayOfMonth!.startsWith('*') || dayOfWeek!.startsWith('*');
  return {
    seconds: readField(second!, 0, 59),
    minutes: readField(minute!, 0, 59),
    hours: readField(hour!, 0, 23),
    hasDay: day => {
      const date = new Date(day * DAY_MS);
      if (!months.has(date.getUTCMonth() + 1)) return false;
      const byDate = daysOfMonth.has(date.getUTCDate());
      const weekday = date.getUTCDay();
      const byWeekday = daysOfWeek.has(weekday) || (weekday === 0 && daysOfWeek.has(7));
      return both ? byDate && byWeekday : byDate || byWeekday;
    },
    followsClock: minute!.startsWith('*') || hour!.startsWith('*'),
    hasOneTimeOfDay: /^\d+$/.test(minute!) && /^\d+$/.test(hour!),
  };
}

function readField(text: string, min: number, max: number, names: string[] = []): Set<number> {
  const read = (value: string) => {
    const named = names.indexOf(value);
    const number = named >= 0 ? named : /^\d+$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max)) throw new Error(`The oracle cannot read ${text}.`);
    return number;
  };
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range, step = '1'] = item.split('/') as [string, string?];
    const [first, last] = range.split('-') as [string, string?];
    const from = range === '*' ? min : read(first);
    let to =
      range === '*' || (last === undefined && item.includes('/')) ? max : read(last ?? first);
    if (last === 'sun' && from > 0) to = 7;
    if (to < from || !(Number(step) >= 1)) throw new Error(`The oracle cannot read ${text}.`);
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return values;
}

/** All times with `from` ≤ at < `to`, in their order. */
export function cronTimes(text: string, timezone: string, from: number, to: number): PlainTime[] {
  if (to - from > HOUR_MS) return walkedTimes(text, timezone, from, to);
  const begin = Math.floor(from / STRETCH_MS) * STRETCH_MS;
  const end = Math.ceil(to / STRETCH_MS) * STRETCH_MS;
  const key = `${text}\n${timezone}\n${begin}\n${end}`;
  const times = kept.get(key) ?? walkedTimes(text, timezone, begin, end);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(key, times);
  return times.filter(({ at }) => at >= from && at < to);
}

function walkedTimes(text: string, timezone: string, from: number, to: number): PlainTime[] {
  const cron = readCron(text);
  const matches = minuteMatcher(cron);
  const wallOf = wallReader(timezone);
  const firstSecondMs = Math.min(...cron.seconds) * 1_000;
  const found: PlainTime[] = [];
  // One day earlier, so that a clock that was set back before `from` has been noticed.
  const start = Math.floor((from - DAY_MS) / MINUTE_MS) * MINUTE_MS;
  let latest = wallOf(start - MINUTE_MS);
  for (let at = start; at < to; at += MINUTE_MS) {
    const wall = wallOf(at);
    const jumpMs = wall - latest - MINUTE_MS;
    const isCorrection = Math.abs(jumpMs) > LONGEST_CHANGE_MS;
    if (!cron.followsClock && !isCorrection) {
      for (let gone = latest + MINUTE_MS; gone < wall; gone += MINUTE_MS)
        if (matches(gone)) found.push({ at, wallAt: gone + firstSecondMs });
    }
    const isHeldBack = !cron.followsClock && !isCorrection && wall <= latest;
    if (!isHeldBack && matches(wall)) {
      for (const second of [...cron.seconds].sort((a, b) => a - b))
        found.push({ at: at + second * 1_000, wallAt: wall + second * 1_000 });
    }
    if (isCorrection || wall > latest) latest = wall;
  }
  return firstOfEach(found).filter(({ at }) => at >= from && at < to);
}

function minuteMatcher(cron: PlainCron): (wall: number) => boolean {
  let judgedDay = Number.NaN;
  let isJudgedDay = false;
  return wall => {
    const minute = Math.floor(wall / MINUTE_MS);
    const hour = Math.floor(minute / 60);
    if (!cron.minutes.has(minute % 60) || !cron.hours.has(hour % 24)) return false;
    const day = Math.floor(hour / 24);
    if (day !== judgedDay) isJudgedDay = cron.hasDay(day);
    judgedDay = day;
    return isJudgedDay;
  };
}

/** Times that meet after a gap are one. */
function firstOfEach(times: PlainTime[]): PlainTime[] {
  return times.filter(({ at }, index) => at !== times[index - 1]?.at);
}
