import type { ScheduleInput, SchedulePatch } from '@punctual/client';
import type { Random } from './random.ts';

/** Which schedules a crash test lets fire, and how their targets answer. */

export const TARGET = 'https://target.example';

/**
 * The mix of ten: most fire every second and are answered at once; some fail and call back, some
 * call back on success, some hold their request open so that kills and next times find it there,
 * some fire every five seconds, at each of the five offsets, and some need a retry.
 *
 * @param url of the target
 */
export function mixedWorkload(url: string, count: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => mixed(url, index));
}

function mixed(url: string, index: number): ScheduleInput {
  const round = Math.floor(index / 10);
  const zone = ZONES[index % ZONES.length]!;
  switch (index % 10) {
    case 5:
      return every('* * * * * *', `${url}/fail`, zone, callback(url, round, false));
    case 6:
      return every('* * * * * *', `${url}/ok`, zone, callback(url, round, true));
    case 7:
      return every('* * * * * *', `${url}/slow/${300 + (round % 5) * 400}`, zone);
    case 8:
      return every(`${round % 5}-59/5 * * * * *`, `${url}/ok`, zone, callback(url, round, false));
    case 9:
      // A retry comes 5 to 6 s after the attempt, and gives way to the next time.
      return every('*/10 * * * * *', `${url}/flaky`, zone, callback(url, round, true));
    default:
      return every('* * * * * *', `${url}/ok`, zone);
  }
}

/**
 * Schedules whose times are not a cron interval alone: one-offs and rates, bounds, windows and pauses. Most come to their end
 * within seconds, and complete.
 *
 * @param url of the target
 * @param now their bounds lie `SOON` and more after it
 */
export function plannedWorkload(url: string, count: number, now: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => planned(url, index, now));
}

/** Seconds in which a machine that is busy has created them all: a one-off that has passed is refused. */
const SOON = 6;

function planned(url: string, index: number, now: number): ScheduleInput {
  const round = Math.floor(index / 10);
  const inSeconds = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
  const afterCompletion = round % 2 === 0 ? ('delete' as const) : ('disable' as const);
  const each = (path: string, plan: Partial<ScheduleInput>): ScheduleInput => ({
    ...every('* * * * * *', url + path),
    afterCompletion,
    ...plan,
  });
  switch (index % 10) {
    case 0:
      return each('/flaky', { interval: onceAfter(SOON + (round % 4), now) });
    case 1:
      return each('/slow/700', { interval: onceAfter(SOON + (round % 8), now) });
    case 2:
      return each('/gone', {
        interval: onceAfter(SOON + (round % 8), now),
        ...{ integrations: callback(url, round, false), afterCompletion: 'delete' },
      });
    case 3:
      return each('/ok', { interval: 'rate(2 seconds)' });
    case 4:
      return each('/slow/300', {
        interval: 'rate(1 second)',
        ...{ startsAt: inSeconds(SOON + (round % 4)), maxRuns: 4 },
      });
    case 5:
      return each('/ok', { maxRuns: 3 + (round % 9), windowSeconds: 3 });
    case 6:
      return each('/ok', { startsAt: inSeconds(SOON), endsAt: inSeconds(SOON + 2 + (round % 6)) });
    case 7:
      return each('/ok', { pausedUntil: inSeconds(SOON + (round % 5)), windowSeconds: 2 });
    default:
      return each('/ok', { interval: onceAfter(SOON + (index % 8), now) });
  }
}

/**
 * Schedules whose targets are not well, each with a host of its own: one that answers as it likes, one that never does, one
 * that is away, and some that ask for time. Of the policies some have delays of their own, some buffer, and some are soon over.
 */
export function unhealthyWorkload(count: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => unhealthy(index));
}

export const UNHEALTHY_KINDS = 11;
const FOR_8_SECONDS = { maxRetries: 5, retryForSeconds: 8 };

function unhealthy(index: number): ScheduleInput {
  const round = Math.floor(index / UNHEALTHY_KINDS);
  const each = (interval: string, path: string, policy?: ScheduleInput['policy']) => {
    const host = `https://unwell${index}.example`;
    const body = every(interval, host + path, 'UTC', callback(host, round, true));
    return policy === undefined ? body : { ...body, policy };
  };
  switch (index % UNHEALTHY_KINDS) {
    case 0:
      return each('* * * * * *', '/whim');
    case 1:
      return each('*/30 * * * * *', '/whim', { retryDelaysSeconds: [1, 2], maxRetries: 4 });
    case 2:
      return each('*/5 * * * * *', '/hang', { timeoutSeconds: 2 });
    case 3:
      // It has no callbacks, which its host would answer: so its breaker opens.
      return every('* * * * * *', `https://away${index}.example/dead`);
    case 4:
      return each('*/30 * * * * *', '/later/7');
    case 5:
      return each('*/20 * * * * *', '/fail', { retryDelaysSeconds: [1], maxRetries: 2 });
    case 6:
      return each('rate(25 seconds)', '/until/9', { maxRetries: 1 });
    case 7:
      return each('* * * * * *', '/slow/2300', { overlap: 'bufferOne' });
    case 8:
      return each('*/2 * * * * *', '/ok', { catchUpSeconds: 1 });
    case 9:
      return each('*/30 * * * * *', '/fail', { retryDelaysSeconds: [3], ...FOR_8_SECONDS });
    default:
      return each('*/2 * * * * *', '/slow/1990', { overlap: 'bufferOne', catchUpSeconds: 0 });
  }
}

/**
 * Schedules whose targets answer 202, and say later how the work ended. Of some the work takes longer than the deadline, and some
 * of it goes on through several times.
 */
export function awaitingWorkload(count: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => awaiting(index));
}

export const AWAITING_KINDS = 5;

function awaiting(index: number): ScheduleInput {
  const host = `https://later${index}.example`;
  const round = Math.floor(index / AWAITING_KINDS);
  const each = (
    interval: string,
    path: string,
    deadlineSeconds: number,
    policy: ScheduleInput['policy'] = {},
  ) => ({
    ...every(interval, host + path, 'UTC', callback(host, round, true)),
    policy: { ...policy, completion: { deadlineSeconds } },
  });
  switch (index % AWAITING_KINDS) {
    case 0:
      return each('* * * * * *', '/accept/800', 4);
    case 1:
      return each('*/10 * * * * *', '/accept/3000', 2, { retryDelaysSeconds: [1], maxRetries: 2 });
    case 2:
      return each('*/2 * * * * *', '/accept/1500', 5, { overlap: 'bufferOne' });
    case 3:
      return each('*/15 * * * * *', '/accept/8000', 20);
    default:
      return each('rate(5 seconds)', '/accept/300', 3, { maxRetries: 1 });
  }
}

/**
 * Schedules for nodes that share a store: some requests and callbacks outlast a lease, and so does the wait between two times
 * of the last one. Of four schedules no time that passed unseen fires, but all that others were up for.
 *
 * @param url of the target
 */
export function sharedWorkload(url: string): ScheduleInput[] {
  const onlyOnTime = { catchUpSeconds: 0 };
  return [
    every('*/20 * * * * *', `${url}/slow/12500`),
    every('5-59/30 * * * * *', `${url}/slow/16000`, 'UTC', [
      { type: 'WEBHOOK', url: `${url}/callback/slow/12000`, callOnSuccess: true },
    ]),
    every('1-59/10 * * * * *', `${url}/ok`, 'UTC', [
      { type: 'WEBHOOK', url: `${url}/callback/slow/12000`, callOnSuccess: true },
    ]),
    ...['0-59/5', '2-59/5', '4-59/5', '7-59/15'].map(seconds => ({
      ...every(`${seconds} * * * * *`, `${url}/ok`),
      policy: onlyOnTime,
    })),
  ];
}

/** Schedules whose requests may be written again on a new connection, where the kept one was closed. */
export function idempotentWorkload(): ScheduleInput[] {
  const paths = ['/ok', '/whim', '/whim'];
  return (['GET', 'PUT', 'DELETE'] as const).map((verb, index) => ({
    ...every('* * * * * *', `https://unwell-${verb.toLowerCase()}.example${paths[index]}`),
    verb,
  }));
}

/** Beside the interval: its times are more than that. */
const PLANS = ['startsAt', 'endsAt', 'pausedUntil', 'maxRuns', 'windowSeconds'];

export function isPlanned(body: ScheduleInput): boolean {
  return /^(at|rate)\(/.test(body.interval) || PLANS.some(name => name in body);
}

/** A change of a schedule; null: it is deleted. @param now epoch ms @param intervals one of which it may have then */
export function editOf(
  random: Random,
  now: number,
  intervals: readonly string[] = INTERVALS,
): SchedulePatch | null {
  switch (random.whole(0, 9)) {
    case 0:
    case 1:
      return { interval: random.pick(intervals) };
    case 2:
      return { timezone: random.pick(ZONES) };
    case 3:
    case 4:
      return { status: 'disabled' };
    case 5:
      return { status: 'enabled', interval: random.pick(intervals) };
    case 6:
    case 7:
      return { pausedUntil: new Date(now + random.between(200, 8_000)).toISOString() };
    case 8:
      return random.chance(0.5) ? { pausedUntil: null } : { status: 'enabled' };
    default:
      return random.chance(0.3) ? null : { status: 'enabled', url: random.pick(URLS) };
  }
}

const INTERVALS = [
  '* * * * * *',
  '*/2 * * * * *',
  '1-59/3 * * * * *',
  '*/7 * * * * *',
  '*/30 * * * * *',
];
const URLS = ['/ok', '/fail', '/slow/700', '/whim'].map(path => `https://moved.example${path}`);

/** At the whole second that comes so many seconds later. */
export function onceAfter(seconds: number, now: number): string {
  const at = new Date(Math.ceil(now / 1_000 + seconds) * 1_000);
  return `at(${at.toISOString().slice(0, 19)}Z)`;
}

export function every(
  interval: string,
  url: string,
  timezone = 'UTC',
  integrations?: ScheduleInput['integrations'],
): ScheduleInput {
  return { url, verb: 'POST', interval, timezone, ...(integrations && { integrations }) };
}

export function callback(url: string, round: number, callOnSuccess: boolean) {
  // Of the receivers, every fifth wants a retry and every other fifth is slow.
  const path = ['/ok', '/ok', '/flaky', '/ok', '/slow/300'][round % 5];
  return [{ type: 'WEBHOOK' as const, url: `${url}/callback${path}`, callOnSuccess }];
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
