import { createHash } from 'node:crypto';
import type { Period } from '../../../src/domain/calendar/exclusion/period.ts';
import type { OnExcluded } from '../../../src/domain/calendar/timing.ts';
import { cronTimes, LONGEST_CHANGE_MS, type PlainTime, readCron } from './plain-cron.ts';
import { instantOf, wallReader } from './plain-zone.ts';

/**
 * All times of a schedule, one after the other: an oracle for the calendar that shares no code with it.
 *
 * Its functions are the steps by which times are made, in their order. It is slow on purpose, and meant for the years
 * 1980 to 2037. Times are those of the interval until the window adds its offset; then they are nominal times.
 */
export interface World {
  /** A cron expression, `at(…)` or `rate(…)`. */
  interval: string;
  timezone: string;
  createdAt: number;
  /** Times from before the create are none, also where a window or a move brings them behind it. */
  isStored?: boolean;
  startsAt?: number;
  endsAt?: number;
  maxRuns?: number;
  /** Nominal times after it count; `createdAt` by default. */
  countFrom?: number;
  pausedUntil?: number;
  windowSeconds?: number;
  /** The window's offset; by default made of `hashed`. */
  offsetMs?: number;
  /** The text that the offset is made of; without it the offset is 0. */
  hashed?: string;
  calendars?: { name: string; periods: Period[] }[];
  onExcluded?: OnExcluded;
}

export type Class =
  | { is: 'due' | 'paused' | 'excluded' | 'beforeCreate' | 'beforeStart' | 'afterEnd' | 'never' }
  | { is: 'rolled'; movedTo: number };

const DAY_MS = 86_400_000;
const LONGEST_MOVE_DAYS = 31;
/** A move of 31 days, with changes of the clock on the way. */
const REACH_MS = 33 * DAY_MS;
const UNIT_MS: Record<string, number> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
};

/** The nominal times with `from` ≤ t < `to`, ascending. */
export function enumerate(world: World, from: number, to: number): number[] {
  const offsetMs = offsetOf(world);
  return limitedTimes(world, from - offsetMs, to - offsetMs)
    .map(at => at + offsetMs)
    .filter(at => at >= (world.pausedUntil ?? -Infinity));
}

/** The verdict on an instant of the nominal times. The first step that takes a time away decides. */
export function classify(world: World, at: number): Class {
  const offsetMs = offsetOf(world);
  const time = at - offsetMs;
  if (limitedTimes(world, time, time + 1).length > 0)
    return { is: at < (world.pausedUntil ?? -Infinity) ? 'paused' : 'due' };
  const [origin] = intervalTimes(world, time, time + 1);
  if (origin !== undefined && time < createOf(world)) return { is: 'beforeCreate' };
  if (origin !== undefined && time < (world.startsAt ?? -Infinity)) return { is: 'beforeStart' };
  if (origin !== undefined && time >= (world.endsAt ?? Infinity)) return { is: 'afterEnd' };
  if (remainingTimes(world, time, time + 1).length > 0) return { is: 'afterEnd' };
  if (origin === undefined) return { is: 'never' };
  const movedTo = movedTime(world, origin);
  if (movedTo === undefined) return { is: 'excluded' };
  const isLeft = limitedTimes(world, movedTo, movedTo + 1).length > 0;
  return isLeft ? { is: 'rolled', movedTo: movedTo + offsetMs } : { is: 'afterEnd' };
}

/** Step 1: the times of the interval, without any other field. */
function intervalTimes(world: World, from: number, to: number): PlainTime[] {
  if (world.interval.startsWith('at(')) return oneOffTime(world, from, to);
  if (world.interval.startsWith('rate(')) return rateTimes(world, from, to);
  return cronTimes(world.interval, world.timezone, from, to);
}

function oneOffTime(world: World, from: number, to: number): PlainTime[] {
  const text = world.interval.slice('at('.length, -')'.length);
  const isAbsolute = /(Z|[+-]\d\d:\d\d)$/.test(text);
  const wallAt = Date.parse(isAbsolute ? text : `${text}Z`);
  const at = isAbsolute ? wallAt : instantOf(world.timezone, wallAt, Infinity)!;
  return at >= from && at < to ? [{ at, wallAt }] : [];
}

function rateTimes(world: World, from: number, to: number): PlainTime[] {
  const [, count, unit] = /^rate\((\d+) (second|minute|hour|day)s?\)$/.exec(world.interval)!;
  const periodMs = Number(count) * UNIT_MS[unit!]!;
  const createdAt = Math.ceil(world.createdAt / 1_000) * 1_000;
  const first = world.startsAt ?? createdAt + periodMs;
  const passed = Math.max(0, Math.ceil((from - first) / periodMs));
  const times: PlainTime[] = [];
  for (let at = first + passed * periodMs; at < to; at += periodMs) times.push({ at, wallAt: at });
  return times;
}

/** Step 2: those from `startsAt` to `endsAt`, and none from before the create. */
function boundedTimes(world: World, from: number, to: number): PlainTime[] {
  const first = Math.max(from, world.startsAt ?? -Infinity, createOf(world));
  const end = Math.min(to, world.endsAt ?? Infinity);
  return first < end ? intervalTimes(world, first, end) : [];
}

/** Step 3: without those that a calendar holds, or with these moved to another day. */
function remainingTimes(world: World, from: number, to: number): number[] {
  const isMoving = (world.onExcluded ?? 'skip') !== 'skip' && world.calendars !== undefined;
  const reachMs = isMoving ? REACH_MS : 0;
  const isHeld = calendarReader(world);
  const times = new Set<number>();
  for (const time of boundedTimes(world, from - reachMs, to + reachMs)) {
    const at = isHeld(time.at) ? movedTime(world, time) : time.at;
    if (at !== undefined && at >= from && at < to) times.add(at);
  }
  return [...times].sort((a, b) => a - b);
}

/** The same time of day on the nearest day that no calendar holds; undefined for a time that is skipped. */
function movedTime(world: World, time: PlainTime): number | undefined {
  if ((world.onExcluded ?? 'skip') === 'skip') return undefined;
  if (!readCron(world.interval).hasOneTimeOfDay)
    throw new Error(`The oracle cannot move ${world.interval}.`);
  const isHeld = calendarReader(world);
  const stepMs = world.onExcluded === 'nextDay' ? DAY_MS : -DAY_MS;
  for (let days = 1; days <= LONGEST_MOVE_DAYS; days += 1) {
    const at = instantOf(world.timezone, time.wallAt + days * stepMs, LONGEST_CHANGE_MS);
    if (at === undefined || isHeld(at)) continue;
    const begin = Math.max(world.startsAt ?? -Infinity, createOf(world));
    const isInside = at >= begin && at < (world.endsAt ?? Infinity);
    return isInside ? at : undefined;
  }
  return undefined;
}

function createOf({ isStored = false, createdAt }: World): number {
  return isStored ? createdAt : -Infinity;
}

function calendarReader(world: World): (at: number) => boolean {
  const periods = (world.calendars ?? []).flatMap(calendar => calendar.periods);
  const wallOf = wallReader(world.timezone);
  return at =>
    periods.some(({ from, to, isLocal }) => {
      const place = isLocal ? wallOf(at) : at;
      return place >= from && place < to;
    });
}

/** Step 4: the first `maxRuns` whose nominal time is after `countFrom`, and all that are not after it. */
function limitedTimes(world: World, from: number, to: number): number[] {
  if (world.maxRuns === undefined) return remainingTimes(world, from, to);
  const countedAfter = (world.countFrom ?? world.createdAt) - offsetOf(world);
  const times = remainingTimes(world, Math.min(from, countedAfter), to);
  const uncounted = times.filter(at => at <= countedAfter).length;
  return times.slice(0, uncounted + world.maxRuns).filter(at => at >= from);
}

/** For step 5: whole seconds in the window. */
function offsetOf(world: World): number {
  if (world.offsetMs !== undefined) return world.offsetMs;
  if (world.windowSeconds === undefined || world.hashed === undefined) return 0;
  const first48 = createHash('sha256').update(world.hashed, 'utf8').digest('hex').slice(0, 12);
  const seconds = (BigInt(`0x${first48}`) * BigInt(world.windowSeconds)) >> 48n;
  return Number(seconds) * 1_000;
}
