import { LRUCache } from 'lru-cache';
import { PunctualError } from '../errors.ts';
import { parseInterval } from './cron/interval.ts';
import { isCron, isOneOff, isRate } from './interval-form.ts';
import { exclusionsOf } from './known-calendars.ts';
import { movedLine, movedTimesOf } from './moved-line.ts';
import { parseOneOff } from './one-off.ts';
import { openLine } from './open-line.ts';
import { parseRate, rateOfEvery } from './rate.ts';
import { cronLine, oneOffLine, rateLine, type TimeLine } from './time-line.ts';
import type { Timing, When } from './timing.ts';
import { setZoneData, type Zone, zoneOf } from './zones/zone.ts';
import type { ZoneData } from './zones/zone-data.ts';

/**
 * The times of a schedule, epoch ms: one answer to "when?" for the queue, `next`, preview, check, explain, forecast and
 * simulate. The years are 1 to 9999.
 *
 * They are made in six steps:
 *
 * 1. The interval has times.
 * 2. Those from `startsAt` to before `endsAt` count, and none from before the create.
 * 3. Calendars take some away, or move them.
 * 4. Those after `lastAt` (`maxRuns`) are left out.
 * 5. Each is later by the window's offset.
 * 6. Those before `pausedUntil` are left out.
 *
 * Many schedules share few intervals. So the lines of times are cached with their last answer: a full minute of 100,000
 * schedules asks the same question 100,000 times. Bounds and offsets are plain arithmetic around it.
 */
interface CachedLine {
  readonly line: TimeLine;
  /** Nothing occurs strictly between these two; `next` is Infinity when nothing comes. */
  after: number;
  next: number;
}

/** About 1 KB each. */
const MOST_LINES = 10_000;
const lines = new LRUCache<string, CachedLine>({ max: MOST_LINES });

/**
 * From now on, all times of this process are counted with these rules. To be called before the first
 * is: answers that were given stay as they are.
 */
export function countTimesWith(data: ZoneData): void {
  setZoneData(data);
  lines.clear();
}

/**
 * Returns if the interval can be parsed and the time zone is known. It refuses an interval that
 * occurs on no day of any year. It accepts an interval whose only local times are skipped by its
 * time zone, such as 02:30 on the one night a year without it: its next time is null.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function checkInterval({ interval, timezone }: Pick<When, 'interval' | 'timezone'>): void {
  if (isRate(interval)) {
    parseRate(interval);
    zoneOf(timezone);
  } else lineOf({ interval, timezone });
}

/**
 * The first time strictly after `after`.
 *
 * Day of month and day of week both restricted: either may match (crontab(5)). In a spring gap a
 * fixed time moves to the end of the gap; in an autumn overlap it occurs once (Debian cron).
 *
 * @returns null when nothing comes before the year 10000
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function nextTime(when: When, after: number): number | null {
  const { timing } = when;
  if (timing === undefined) return nextOf(lineOf(when), Math.floor(after));
  const { from, until, offsetMs } = spanOf(timing);
  const found = nextOf(lineOf(when), Math.max(Math.floor(after) - offsetMs, from - 1));
  return found === null || found > until ? null : found + offsetMs;
}

/**
 * The latest time with notBefore <= time <= until.
 *
 * @returns null when there is none
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function lastTime(when: When, notBefore: number, until: number): number | null {
  const { from, to, offsetMs } = rangeOf(when, notBefore, until);
  if (from > to) return null;
  const found = lineOf(when).line.last(from, to);
  return found === null ? null : found + offsetMs;
}

/**
 * How many times there are with from <= time <= until. Ten years of every second take well under a millisecond.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function countTimes(when: When, from: number, until: number): number {
  const range = rangeOf(when, from, until);
  return range.from > range.to ? 0 : lineOf(when).line.count(range.from, range.to);
}

/**
 * The first `limit` times with from <= time <= until, in order.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function timesBetween(when: When, from: number, until: number, limit: number): number[] {
  return firstOf(lineOf(when).line, rangeOf(when, from, until), limit);
}

/**
 * The same, by other rules of the time zone than those in use, such as those of the release before.
 *
 * @throws PunctualError `interval_invalid`
 */
export function timesByRules(
  zone: Zone,
  when: When,
  from: number,
  until: number,
  limit: number,
): number[] {
  return firstOf(lineWithExclusions(when, zone), rangeOf(when, from, until), limit);
}

function firstOf(line: TimeLine, range: ReturnType<typeof rangeOf>, limit: number): number[] {
  const times: number[] = [];
  let at = range.from;
  while (times.length < limit && at <= range.to) {
    const found = line.first(at);
    if (found === null || found > range.to) break;
    times.push(found + range.offsetMs);
    at = found + 1;
  }
  return times;
}

/** The times of the interval itself: without bounds, calendars, window and pause. */
export function intervalLine({ interval, timezone, timing }: When): TimeLine {
  const { startsAt, anchorAt } = timing ?? {};
  const anchor = {
    ...(startsAt !== undefined && { startsAt }),
    ...(anchorAt !== undefined && { anchorAt }),
  };
  return lineOf({ interval, timezone, timing: anchor }).line;
}

/** The times up to step 3: with bounds only where an excluded time may move. */
export function openTimes(when: When): TimeLine {
  return lineOf(when).line;
}

/** Whether bounds, calendars and pause leave a time of the interval at `at`, which is before the offset, where it is. */
export function leavesTimeAt({ timezone, timing }: When, at: number): boolean {
  if (timing === undefined) return true;
  const { from, until } = spanOf(timing);
  const { calendars } = timing;
  const isExcluded =
    calendars !== undefined && exclusionsOf(calendars).endOf(zoneOf(timezone), at) !== null;
  return from <= at && at <= until && !isExcluded;
}

/** The span on the line of the interval, inclusive, both; and the offset behind it. */
function spanOf({ startsAt, endsAt, createdAt, lastAt, pausedUntil, offsetMs = 0 }: Timing) {
  const resumedAt = pausedUntil === undefined ? Number.NEGATIVE_INFINITY : pausedUntil - offsetMs;
  const endAt = endsAt === undefined ? Number.POSITIVE_INFINITY : endsAt - 1;
  return {
    from: Math.max(startsAt ?? resumedAt, createdAt ?? resumedAt, resumedAt),
    until: Math.min(endAt, lastAt ?? Number.POSITIVE_INFINITY),
    offsetMs,
  };
}

/** The part of a range that lies within bounds and behind the pause, on the line of the interval; inclusive, both. */
export function rangeOf({ timing }: When, from: number, until: number) {
  if (timing === undefined) return { from: Math.ceil(from), to: Math.floor(until), offsetMs: 0 };
  const span = spanOf(timing);
  return {
    from: Math.max(Math.ceil(from) - span.offsetMs, span.from),
    to: Math.min(Math.floor(until) - span.offsetMs, span.until),
    offsetMs: span.offsetMs,
  };
}

function nextOf(cached: CachedLine, after: number): number | null {
  if (!(cached.after <= after && after < cached.next)) {
    const next = cached.line.first(after + 1);
    cached.after = after;
    cached.next = next ?? Number.POSITIVE_INFINITY;
  }
  return cached.next === Number.POSITIVE_INFINITY ? null : cached.next;
}

/** No name of a time zone has a line break, so no two lines have one key. */
function lineOf(when: When): CachedLine {
  const { interval, timezone, timing } = when;
  if (isRate(interval) && timing?.calendars === undefined) return cacheable(rateLineOf(when));
  const plainKey = `${timezone}\n${interval}`;
  const key = timing?.calendars === undefined ? plainKey : `${plainKey}\n${exclusionKey(timing)}`;
  const kept = lines.get(key);
  if (kept !== undefined) return kept;
  const made = cacheable(lineWithExclusions(when));
  lines.set(key, made);
  return made;
}

function cacheable(line: TimeLine): CachedLine {
  return { line, after: Number.NaN, next: Number.NaN };
}

/** All of the timing that a line with exclusions depends on. */
function exclusionKey(timing: Timing): string {
  const { calendars, onExcluded, startsAt, endsAt, anchorAt, createdAt } = timing;
  const isMoved = onExcluded === 'nextDay' || onExcluded === 'previousDay';
  const bounds = isMoved ? `${startsAt} ${endsAt} ${createdAt}` : '';
  return [calendars!.join(), onExcluded, bounds, anchorAt ?? startsAt].join('\n');
}

function lineWithExclusions(when: When, zone = zoneOf(when.timezone)): TimeLine {
  const { timing = {} } = when;
  const plain = plainLine(when, zone);
  if (timing.calendars === undefined) return plain;
  const moved = movedTimesOf(when, zone);
  if (moved !== null) return movedLine(moved, plain);
  const exclusions = exclusionsOf(timing.calendars);
  return openLine(plain, exclusions, zone);
}

function plainLine(when: When, zone: Zone): TimeLine {
  const { interval } = when;
  if (isRate(interval)) return rateLineOf(when);
  if (isOneOff(interval)) return oneOffLine(parseOneOff(interval, zone));
  refuseEvery(interval);
  return cronLine(parseInterval(interval), zone);
}

/** Without `startsAt` the first time comes a period after the anchor. */
function rateLineOf({ interval, timezone, timing = {} }: When): TimeLine {
  const { startsAt, anchorAt } = timing;
  zoneOf(timezone);
  const periodMs = periodOf(interval);
  if (startsAt !== undefined) return rateLine(periodMs, startsAt, 0);
  if (anchorAt === undefined) throw new Error('a rate has no times without an anchor');
  return rateLine(periodMs, anchorAt, 1);
}

const periods = new LRUCache<string, number>({ max: MOST_LINES });

function periodOf(interval: string): number {
  let period = periods.get(interval);
  if (period === undefined) {
    period = parseRate(interval);
    periods.set(interval, period);
  }
  return period;
}

/** Go's and Kubernetes' word for a rate. @throws PunctualError `interval_invalid` */
function refuseEvery(interval: string): void {
  if (!/^@every\b/i.test(interval.trim())) return;
  const rate = rateOfEvery(interval);
  const advice = rate === null ? 'a rate instead, such as rate(90 minutes)' : `${rate} instead`;
  throw new PunctualError('interval_invalid', `The interval has @every: write ${advice}.`);
}

/** Whether an excluded time of this interval can move to another day: its hour and its minute are one number each. */
export function isFixedToMinute(interval: string): boolean {
  if (!isCron(interval)) return false;
  const { minutes, hours, followsClock } = parseInterval(interval);
  return !followsClock && isSingle(minutes) && isSingle(hours);
}

function isSingle({ low, high }: { low: number; high: number }): boolean {
  const isPower = (word: number) => word !== 0 && (word & (word - 1)) === 0;
  return (low === 0 && isPower(high)) || (high === 0 && isPower(low));
}
