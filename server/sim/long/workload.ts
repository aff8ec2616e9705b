import type { ScheduleInput, SchedulePatch } from '@punctual/client';
import type { Action, Profile } from '../profile.ts';
import type { Random } from '../random.ts';
import { callback, every } from '../workload.ts';
import { LONG_ZONES, type Long } from './long.ts';

/** The schedules of a long world: they fire every few minutes to once a day, and many at a local time that is skipped or comes twice. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Those that are there from the beginning. */
export function longBodies(
  url: string,
  { mixed, planned, unhealthy }: Profile,
  long: Long,
  now: number,
): ScheduleInput[] {
  return [
    ...longPlanned(url, planned, long, now),
    ...longMixed(url, mixed, long),
    ...longUnhealthy(unhealthy, long),
  ];
}

/** One that a caller asks for later. */
export function longBodyOf(
  url: string,
  { planned: isPlanned, index }: Extract<Action, { kind: 'create' }>,
  long: Long,
  now: number,
): ScheduleInput {
  return isPlanned ? planned(url, index, long, now) : mixed(url, index, long);
}

/** Cron intervals, as `mixedWorkload` has them. */
function longMixed(url: string, count: number, long: Long): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => mixed(url, index, long));
}

function mixed(url: string, index: number, long: Long): ScheduleInput {
  const { paceMinutes: pace } = long;
  const round = Math.floor(index / 10);
  const zone = zoneOf(index, long);
  const { hour, minute } = localOf(long);
  const each = (interval: string, path: string, calls?: boolean) => {
    const integrations = calls === undefined ? undefined : callback(url, round, calls);
    return every(interval, url + path, zone, integrations);
  };
  switch (index % 10) {
    case 0:
      return each(`*/${pace} * * * *`, '/ok', true);
    case 1:
      return each(`${minute} ${hour} * * *`, '/ok');
    case 2:
      return each(`${minute},${(minute + 25) % 60} * * * *`, '/flaky');
    case 3:
      return each(`5-59/${pace} ${hour},${(hour + 1) % 24} * * *`, '/ok', false);
    case 4:
      return each(`*/${pace} ${hour} * * *`, '/ok');
    case 5:
      return each(`${minute % 5}-59/${pace} * * * *`, '/fail', false);
    case 6:
      return each(`0,15,30,45 ${hour} * * *`, '/flaky', true);
    case 7:
      return each(`*/${pace} * * * *`, `/slow/${3_000 + (round % 3) * 9_000}`);
    case 8:
      return each('0 * * * *', '/fail', true);
    default:
      return each('@daily', '/ok', true);
  }
}

/** One-offs by the local clock, rates, bounds, windows and pauses, as `plannedWorkload` has them. */
function longPlanned(url: string, count: number, long: Long, now: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => planned(url, index, long, now));
}

function planned(url: string, index: number, long: Long, now: number): ScheduleInput {
  const { paceMinutes: pace, lengthMs } = long;
  const round = Math.floor(index / 10);
  const zone = zoneOf(index, long);
  const { hour, minute } = localOf(long);
  const inParts = (tenths: number) => isoOf(now + (lengthMs * tenths) / 10);
  const afterCompletion = round % 2 === 0 ? ('delete' as const) : ('disable' as const);
  const each = (interval: string, path: string, plan: Partial<ScheduleInput> = {}) => ({
    ...every(interval, url + path, zone),
    afterCompletion,
    ...plan,
  });
  const isAhead = long.change !== null && long.change.at > now + HOUR_MS;
  const changeAt = isAhead ? isoOf(long.change!.at) : inParts(5);
  switch (index % 8) {
    case 0:
      return each(isAhead ? localOnce(long) : `at(${inParts(4).slice(0, 16)}Z)`, '/flaky');
    case 1:
      return each(`rate(${pace} minutes)`, '/ok', { maxRuns: 20 });
    case 2:
      return each(`*/${pace} * * * *`, '/ok', {
        windowSeconds: 40 + pace * 20,
        maxRuns: 9 + round,
      });
    case 3:
      return each(`${minute} ${hour} * * *`, '/ok', { windowSeconds: 1_800 });
    case 4:
      return each(`*/${pace} * * * *`, '/ok', { startsAt: inParts(1), endsAt: changeAt });
    case 5:
      return each(`${minute},${(minute + 30) % 60} * * * *`, '/slow/9000', {
        pausedUntil: changeAt,
      });
    case 6:
      return each(`at(${inParts(7).slice(0, 19)}Z)`, '/gone', {
        integrations: callback(url, round, false),
      });
    default:
      return each(`rate(${pace * 3} minutes)`, '/fail', {
        startsAt: inParts(2),
        endsAt: inParts(8),
      });
  }
}

/** Targets that are not well, as `unhealthyWorkload` has them. */
function longUnhealthy(count: number, long: Long): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => unhealthy(index, long));
}

function unhealthy(index: number, long: Long): ScheduleInput {
  const { paceMinutes: pace } = long;
  const host = `https://unwell${index}.example`;
  const each = (interval: string, path: string, policy: ScheduleInput['policy'] = {}) => ({
    ...every(interval, host + path, zoneOf(index, long), callback(host, index, true)),
    policy,
  });
  switch (index % 9) {
    case 0:
      return each(`*/${pace} * * * *`, '/whim');
    case 1:
      return each('0 * * * *', '/fail', { retryDelaysSeconds: [60, 600], maxRetries: 4 });
    case 2:
      return each(`*/${pace} * * * *`, '/hang', { timeoutSeconds: 20, maxRetries: 1 });
    case 3:
      return each('@hourly', '/later/700');
    case 4:
      return each(`*/${pace} * * * *`, '/slow/25000', { overlap: 'bufferOne', timeoutSeconds: 30 });
    case 5:
      return each('*/30 * * * *', '/fail', { maxRetries: 10, retryForSeconds: 900 });
    case 6:
      return each(`*/${pace} * * * *`, '/ok', { catchUpSeconds: 300 });
    case 7:
      return each('0 * * * *', '/ok', { catchUpSeconds: 0 });
    default:
      return every(`*/${pace} * * * *`, `${host}/dead`);
  }
}

/** A change of a schedule; null: it is deleted. */
export function longEditOf(random: Random, now: number, long: Long): SchedulePatch | null {
  const interval = intervalOf(random, long);
  switch (random.whole(0, 8)) {
    case 0:
    case 1:
      return { interval };
    case 2:
    case 3:
      return { timezone: random.pick(LONG_ZONES) };
    case 4:
      return { status: 'disabled' };
    case 5:
      return { status: 'enabled', interval };
    case 6:
      return { pausedUntil: isoOf(now + random.next() ** 2 * 6 * HOUR_MS + 1_000) };
    case 7:
      return random.chance(0.5) ? { pausedUntil: null } : { status: 'enabled' };
    default:
      return random.chance(0.2) ? null : { status: 'enabled', url: 'https://moved.example/ok' };
  }
}

function intervalOf(random: Random, long: Long): string {
  const { hour, minute } = localOf(long);
  const { paceMinutes: pace } = long;
  return random.pick([
    `*/${pace} * * * *`,
    `${minute} * * * *`,
    `${minute} ${hour} * * *`,
    `*/${pace} ${hour} * * *`,
  ]);
}

/** Most by the clock that changes. */
function zoneOf(index: number, { change }: Long): string {
  if (change !== null && index % 4 !== 3) return change.timezone;
  return LONG_ZONES[index % LONG_ZONES.length]!;
}

/** A time of day that a change skips, or has twice. */
function localOf({ change, startedAt }: Long): { hour: number; minute: number } {
  const wall = new Date(change?.wallAt ?? startedAt + HOUR_MS);
  return { hour: wall.getUTCHours(), minute: wall.getUTCMinutes() };
}

function localOnce({ change }: Long): string {
  return `at(${new Date(change!.wallAt).toISOString().slice(0, 19)})`;
}

function isoOf(instant: number): string {
  return new Date(Math.ceil(instant / 1_000) * 1_000).toISOString();
}
