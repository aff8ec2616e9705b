import { LRUCache } from 'lru-cache';
import { atOrAfter, type Bits, NONE } from './cron/bits.ts';
import { parseInterval } from './cron/interval.ts';
import { isCron, isRate } from './interval-form.ts';
import { REACH_MS } from './moved-line.ts';
import { parseRate } from './rate.ts';
import type { Timing, When } from './timing.ts';
import { zoneOf } from './zones/zone.ts';

/**
 * Timings for a count of the times to come, step by step: schedules with the same counts get the same timing.
 *
 * A million schedules have a million offsets and anchors, but steps are coarse. So an offset and the phase of a rate are
 * rounded down as far as no time leaves its step. Bounds, pauses and calendars stay, and such schedules count one by one.
 */

/** A clock that is moved by less than an hour is moved by half of one. */
const COARSEST_MS = 30 * 60_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * The timing without all that says nothing about the times from `from` on. Counts of steps of `stepMs` stay the same, but
 * for a time that a gap of the clock moves: it may be counted in the step before. A schedule with a window keeps an
 * `offsetMs`, also where that is 0.
 *
 * @param from epoch ms
 * @param stepMs steps begin at its multiples
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function forecastTiming(when: When, from: number, stepMs: number): Timing | undefined {
  const { timing } = when;
  if (timing === undefined) return undefined;
  const { offsetMs } = timing;
  const bounds = openBounds(timing, from);
  const isBounded = Object.keys(bounds).length > 0;
  if (isRate(when.interval)) return rateTiming(when, timing, bounds, from, stepMs);
  if (isBounded) return offsetMs === undefined ? bounds : { ...bounds, offsetMs };
  return offsetMs === undefined
    ? undefined
    : { offsetMs: coarseOffset(when, offsetMs, from, stepMs) };
}

/** The bounds that take away times to come, or move them. */
function openBounds(timing: Timing, from: number): Timing {
  const { startsAt, endsAt, createdAt, lastAt, pausedUntil } = timing;
  const { calendars, onExcluded, offsetMs = 0 } = timing;
  const isOpen = startsAt !== undefined && startsAt + offsetMs <= from;
  const isExcluding = calendars !== undefined;
  const reachMs = offsetMs + (isExcluding ? REACH_MS : 0);
  return {
    ...(startsAt !== undefined && (!isOpen || isExcluding) && { startsAt }),
    ...(createdAt !== undefined && createdAt + reachMs > from && { createdAt }),
    ...(endsAt !== undefined && { endsAt }),
    ...(lastAt !== undefined && { lastAt }),
    ...(pausedUntil !== undefined && pausedUntil > from && { pausedUntil }),
    ...(isExcluding && { calendars, ...(onExcluded !== undefined && { onExcluded }) }),
  };
}

function rateTiming(
  { interval }: When,
  { startsAt, anchorAt = 0, offsetMs }: Timing,
  bounds: Timing,
  from: number,
  stepMs: number,
): Timing {
  const periodMs = parseRate(interval);
  const firstAt = (startsAt ?? anchorAt + periodMs) + (offsetMs ?? 0);
  const isBegun = firstAt <= from && Object.keys(bounds).length === 0;
  const hasWindow = offsetMs !== undefined;
  if (isBegun) {
    const phase = roundedDown(modulo(firstAt, periodMs), divisor(periodMs, stepMs));
    return { anchorAt: phase, ...(hasWindow && { offsetMs: 0 }) };
  }
  const anchor = startsAt === undefined ? { anchorAt } : { startsAt };
  return { ...bounds, ...anchor, ...(hasWindow && { offsetMs }) };
}

/** An offset that leaves each time in the same step. */
function coarseOffset(when: When, offsetMs: number, from: number, stepMs: number): number {
  if (!isCron(when.interval)) return offsetMs;
  const { firstMs, grainMs } = spreadOf(when.interval);
  const coarseMs = divisor(stepMs, grainMs);
  const zone = zoneOf(when.timezone).segmentAt(Math.floor(from));
  const phase = modulo(firstMs - zone.offsetMs, coarseMs);
  return Math.max(0, roundedDown(phase + offsetMs, coarseMs) - phase);
}

/** The times of an interval within an hour: the first one, and a span by whose multiples all are apart. */
interface Spread {
  firstMs: number;
  grainMs: number;
}

const MOST_SPREADS = 1_000;
const spreads = new LRUCache<string, Spread>({ max: MOST_SPREADS });

function spreadOf(interval: string): Spread {
  const kept = spreads.get(interval);
  if (kept !== undefined) return kept;
  const parsed = parseInterval(interval);
  const [seconds, minutes] = [membersOf(parsed.seconds), membersOf(parsed.minutes)];
  const firstMs = minutes[0]! * MINUTE_MS + seconds[0]! * SECOND_MS;
  const made = { firstMs, grainMs: grainOf(seconds, minutes) };
  spreads.set(interval, made);
  return made;
}

function grainOf(seconds: number[], minutes: number[]): number {
  const ofSeconds = spacingOf(seconds) * SECOND_MS;
  if (ofSeconds < MINUTE_MS) return ofSeconds;
  return divisor(spacingOf(minutes) * MINUTE_MS, COARSEST_MS);
}

/** The largest divisor of 60 by whose multiples all members are apart. */
function spacingOf(members: number[]): number {
  return members.reduce((spacing, member) => divisor(spacing, member - members[0]!), 60);
}

function membersOf(bits: Bits): number[] {
  const members: number[] = [];
  for (let member = atOrAfter(bits, 0); member !== NONE; member = atOrAfter(bits, member + 1)) {
    members.push(member);
  }
  return members;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

function roundedDown(value: number, by: number): number {
  return Math.floor(value / by) * by;
}
