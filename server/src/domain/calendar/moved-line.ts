import { type Interval, parseInterval } from './cron/interval.ts';
import { nextLocal, previousLocal } from './cron/local-time.ts';
import { FIRST_AT, LAST_AT } from './cron/occurrence.ts';
import type { Exclusions } from './exclusion/exclusions.ts';
import { exclusionsOf } from './known-calendars.ts';
import { fixedInstant } from './local-instant.ts';
import { MOST_DAYS, OpenDays } from './open-days.ts';
import type { TimeLine } from './time-line.ts';
import type { When } from './timing.ts';
import { type Zone, zoneOf } from './zones/zone.ts';

/**
 * A time line whose excluded times move to the same local time on the nearest day that no calendar excludes.
 *
 * A time moves by 31 days at most. So each answer looks at the local times within that distance, and at no others. Far from
 * all exclusions nothing moves, and the plain line answers.
 */
export interface MovedTimes {
  /** A cron interval that is fixed to one hour and one minute. */
  interval: Interval;
  zone: Zone;
  exclusions: Exclusions;
  openDays: OpenDays;
  /** Times outside these bounds are left out, before and after they move; inclusive, both. */
  from: number;
  until: number;
}

const DAY_MS = 86_400_000;
/** A time moves by no more than this: the days, and a change of the clock. */
export const REACH_MS = (MOST_DAYS + 2) * DAY_MS;

/** @returns null where excluded times are skipped, or nothing is excluded */
export function movedTimesOf(
  { interval, timezone, timing = {} }: When,
  zone = zoneOf(timezone),
): MovedTimes | null {
  const { calendars, onExcluded = 'skip', startsAt, endsAt, createdAt } = timing;
  if (calendars === undefined || onExcluded === 'skip') return null;
  const exclusions = exclusionsOf(calendars);
  return {
    interval: parseInterval(interval),
    zone,
    exclusions,
    openDays: new OpenDays(zone, exclusions, onExcluded === 'nextDay' ? 1 : -1),
    from: Math.max(startsAt ?? Number.NEGATIVE_INFINITY, createdAt ?? Number.NEGATIVE_INFINITY),
    until: endsAt === undefined ? Number.POSITIVE_INFINITY : endsAt - 1,
  };
}

export function movedLine(times: MovedTimes, plain: TimeLine): TimeLine {
  return {
    first: at => firstMoved(times, plain, at),
    last: (notBefore, until) => lastMoved(times, notBefore, until),
    count: (from, until) => countMoved(times, plain, from, until),
  };
}

/**
 * The instant to which a local time (ms of the local time line) moves: its own where nothing excludes it, null where it is
 * left out. Of several that meet at the end of a gap the first one moves, as one time.
 */
export function movedInstant(times: MovedTimes, localMs: number): number | null {
  const { zone, exclusions, openDays } = times;
  const own = fixedInstant(zone, localMs);
  if (own === null || !isWithin(times, own)) return null;
  if (exclusions.endOf(zone, own) === null) return own;
  if (localOf(times, own) !== localMs) return null;
  const at = openDays.nearest(localMs);
  return at !== null && isWithin(times, at) ? at : null;
}

/** The local time (ms of the local time line) that a time of the interval stands for: within a gap, one that did not exist. */
export function localOf({ interval, zone }: MovedTimes, at: number): number {
  const { startAt, offsetMs, shiftMs } = zone.segmentAt(at);
  const local = at + offsetMs;
  if (at !== startAt || shiftMs <= 0) return local;
  return Math.min(local, nextLocal(interval, secondsOf(local - shiftMs)) * 1_000);
}

/** Whether an excluded time moves from one side of `at` to the other, or to less than `offsetMs` before it. */
export function movesAcross(times: MovedTimes, at: number, offsetMs: number): boolean {
  const { interval, zone } = times;
  let local = nextLocal(interval, secondsOf(at - REACH_MS)) * 1_000;
  while (local <= at + REACH_MS) {
    const own = fixedInstant(zone, local);
    const to = movedInstant(times, local);
    const isMoved = own !== null && to !== null && own !== to;
    if (isMoved && (own < at !== to < at || (to < at && to + offsetMs > at))) return true;
    local = nextLocal(interval, secondsOf(local) + 1) * 1_000;
  }
  return false;
}

function isWithin({ from, until }: MovedTimes, at: number): boolean {
  return from <= at && at <= until;
}

function firstMoved(times: MovedTimes, plain: TimeLine, at: number): number | null {
  const { interval } = times;
  if (isPlainFrom(times, at - REACH_MS)) return plainFirst(times, plain, at);
  const last = Math.min(times.until, LAST_AT) + REACH_MS;
  let best: number | null = null;
  let local = nextLocal(interval, secondsOf(Math.max(at, FIRST_AT) - REACH_MS)) * 1_000;
  while (local <= last && (best === null || local - REACH_MS <= best)) {
    const found = movedInstant(times, local);
    if (found !== null && found >= at && (best === null || found < best)) best = found;
    if (best === null && local - REACH_MS > at && isPlainFrom(times, local - REACH_MS)) {
      return plainFirst(times, plain, local - 2 * DAY_MS);
    }
    local = nextAfter(times, local, found);
  }
  return best;
}

/** The local time behind this one. If a long exclusion has swallowed it, those that follow within reach are swallowed too. */
function nextAfter(times: MovedTimes, localMs: number, movedTo: number | null): number {
  const from = movedTo === null ? swallowedUntil(times, localMs) : localMs;
  return nextLocal(times.interval, secondsOf(from) + 1) * 1_000;
}

/** A local time up to which nothing moves out of the exclusion that holds `localMs`; at least `localMs` itself. */
function swallowedUntil({ zone, exclusions, openDays }: MovedTimes, localMs: number): number {
  const own = fixedInstant(zone, localMs);
  if (own === null) return localMs;
  const endAt = endOfAll(exclusions, zone, own);
  const { offsetMs } = zone.segmentAt(endAt);
  if (openDays.step === 1) return Math.max(localMs, endAt + offsetMs - REACH_MS);
  const startAt = exclusions.startOf(zone, own) ?? own;
  return own - startAt < REACH_MS ? localMs : Math.max(localMs, endAt + offsetMs - DAY_MS);
}

/** The end of an excluded stretch, also where it goes on in the next segments of the zone. */
function endOfAll(exclusions: Exclusions, zone: Zone, at: number): number {
  let end = at;
  for (let next = exclusions.endOf(zone, at); next !== null; next = exclusions.endOf(zone, next)) {
    end = next;
  }
  return end;
}

/** From here on nothing is excluded any more. */
function isPlainFrom({ exclusions }: MovedTimes, at: number): boolean {
  return at > exclusions.lastEnd + DAY_MS;
}

function plainFirst({ from, until }: MovedTimes, plain: TimeLine, at: number): number | null {
  const found = plain.first(Math.max(at, from));
  return found !== null && found <= until ? found : null;
}

function lastMoved(times: MovedTimes, notBefore: number, until: number): number | null {
  const { interval } = times;
  let best: number | null = null;
  const end = Math.min(until, times.until, LAST_AT) + REACH_MS;
  let local = previousLocal(interval, secondsOf(end)) * 1_000;
  const lowest = Math.max(notBefore, times.from, FIRST_AT) - REACH_MS;
  while (local >= lowest && (best === null || local + REACH_MS >= best)) {
    const found = movedInstant(times, local);
    const isNew = found !== null && found >= notBefore && found <= until;
    if (isNew && (best === null || found > best)) best = found;
    local = previousLocal(interval, local / 1_000 - 1) * 1_000;
  }
  return best;
}

/** Two that meet are one. Beyond the exclusions the plain line counts. */
function countMoved(times: MovedTimes, plain: TimeLine, from: number, until: number): number {
  const lower = Math.max(from, times.from, FIRST_AT);
  const upper = Math.min(until, times.until, LAST_AT);
  const movesUntil = Math.min(upper, times.exclusions.lastEnd + REACH_MS + DAY_MS);
  const moved = countFound(times, lower, movesUntil);
  const plainFrom = Math.max(lower, movesUntil + 1);
  return plainFrom > upper ? moved : moved + plain.count(plainFrom, upper);
}

function countFound(times: MovedTimes, from: number, until: number): number {
  const { interval } = times;
  if (from > until) return 0;
  const found = new Set<number>();
  let local = nextLocal(interval, secondsOf(from - REACH_MS)) * 1_000;
  while (local <= until + REACH_MS) {
    const at = movedInstant(times, local);
    if (at !== null && at >= from && at <= until) found.add(at);
    local = nextAfter(times, local, at);
  }
  return found.size;
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1_000);
}
