import { Cron } from 'croner';
import type { Planned, ScheduleSeen } from '../evidence.ts';
import { enumerate } from './enumerator.ts';
import { cronTimes } from './plain-cron.ts';
import { offsetAt } from './zone-lists.ts';

/**
 * The checker's own calendar: croner, of which the engine knows nothing.
 *
 * @returns the nominal times with after < time <= until, in order
 */
export function dueTimes(
  interval: string,
  timezone: string,
  after: number,
  until: number,
): number[] {
  if (after >= until) return [];
  const isWalked = until - after > HOUR_MS || hasChange(timezone, after, until);
  const times = isWalked
    ? walkedTimes(interval, timezone, after, until)
    : timesOf(`${timezone}\n${interval}`, interval, timezone, after, until);
  return times.filter(time => time > after && time <= until);
}

/** Whether the clock of the zone changes, or did within the day before. */
function hasChange(timezone: string, after: number, until: number): boolean {
  return offsetAt(timezone, after - 24 * HOUR_MS) !== offsetAt(timezone, until);
}

/**
 * Walked minute by minute, by the rules of clocks that change, of which croner has others. It takes as long for one time as the
 * walk for a day.
 */
function walkedTimes(interval: string, timezone: string, after: number, until: number): number[] {
  const from = Math.floor(after / HOUR_MS) * HOUR_MS;
  const to = Math.ceil(until / HOUR_MS + 1) * HOUR_MS;
  const key = `${interval}\n${timezone}\n${from}\n${to}`;
  return kept(key, () => cronTimes(interval, timezone, from, to).map(({ at }) => at));
}

/** The nominal times of a schedule that is more than a cron interval: those of the enumerator. */
export function plannedTimes(seen: ScheduleSeen, planned: Planned, until: number): number[] {
  const { id, interval, timezone, createdAt } = seen;
  const { afterCompletion, status, statusReason, version, updatedAt, ...fields } = planned;
  const created = { createdAt, isStored: true, countFrom: createdAt, hashed: id };
  const world = { interval, timezone, ...created, ...fields };
  return kept(JSON.stringify([world, until]), () => enumerate(world, createdAt + 1, until + 1));
}

/** One world is judged several times. */
function kept(key: string, make: () => number[]): number[] {
  const times = enumerated.get(key) ?? make();
  if (enumerated.size >= MOST_ENUMERATED) enumerated.clear();
  enumerated.set(key, times);
  return times;
}

const enumerated = new Map<string, number[]>();
const MOST_ENUMERATED = 1_000;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Ranges further apart are not kept as one: between them may lie years. */
const NEAR_MS = HOUR_MS;

/** Many schedules share few intervals, and croner takes 40 µs a time. */
const known = new Map<string, { after: number; until: number; times: number[] }>();

function timesOf(key: string, interval: string, timezone: string, after: number, until: number) {
  const kept = known.get(key);
  if (kept && kept.after <= after && kept.until >= until) return kept.times;
  const isNear = kept && after - NEAR_MS <= kept.until && until + NEAR_MS >= kept.after;
  // By the offset of the lists: croner's own zones are those of Node, which may be of an older release.
  const utcOffset = offsetAt(timezone, until) / MINUTE_MS;
  const cron = new Cron(interval, { utcOffset, paused: true });
  const times = isNear
    ? [...walked(cron, after, kept.after), ...kept.times, ...walked(cron, kept.until, until)]
    : walked(cron, after, until);
  const range = isNear
    ? { after: Math.min(after, kept.after), until: Math.max(until, kept.until) }
    : { after, until };
  known.set(key, { ...range, times });
  return times;
}

function walked(cron: Cron, after: number, until: number): number[] {
  const times: number[] = [];
  if (after >= until) return times;
  // croner looks at whole seconds: a start within one would be rounded.
  let at = cron.nextRun(new Date(Math.floor(after / 1_000) * 1_000 - 1_000));
  while (at !== null && at.getTime() <= until) {
    if (at.getTime() > after) times.push(at.getTime());
    at = cron.nextRun(at);
  }
  return times;
}
