import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type * as Wire from '@punctual/client';
import fc from 'fast-check';
import { ForecastStats } from '../../src/api/stats/forecast.ts';
import { ScheduleGroups } from '../../src/api/stats/groups.ts';
import { largest } from '../../src/api/stats/largest.ts';
import { Minutes } from '../../src/api/stats/minutes.ts';
import { failuresInARow, talliesOf } from '../../src/api/stats/stats.ts';
import { countBySpan } from '../../src/domain/calendar/forecast.ts';
import { percentile } from '../../src/domain/run/lateness.ts';
import type { LatestRun, MinuteCount, StatsStore } from '../../src/store/contract/stats.ts';
import { assertError } from '../support/api/expect.ts';
import { newClient, startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, claimOne, settled } from '../support/store/backend.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock });
after(() => service.close());
/** Longer than anybody waits for a new figure where there is an older one. */
const PAST_PATIENCE_MS = 250;
const NO_CALENDARS = { versions: async () => [] };

test('stats: what ended, what passed, what fails and what is due', async () => {
  const broken = await service.create({ label: 'broken', interval: '0 * * * *' });
  const one = NOON + 60 * MINUTE;
  await clock.jump(one + 10 * MINUTE);
  const claim = await claimOne(service.store, one);
  const attempts = [{ ...aRecord(broken.id, one).attempts[0]!, error: 'The answer was 500.' }];
  await settled(service.store, claim, null, {
    records: [
      aRecord(broken.id, one, { status: 'failed', attempts }),
      aRecord(broken.id, one - MINUTE, { status: 'failed', attempts: [] }),
      aRecord(broken.id, one - 2 * MINUTE, {}),
      {
        ...aRecord(broken.id, one + MINUTE),
        status: 'skipped',
        finishedAt: undefined!,
        decidedAt: one + 2 * MINUTE,
      },
    ],
  });
  const next = await service.create({ label: 'next', interval: '0 0 * * *' });
  await service.create({ label: 'off', status: 'disabled' });
  const { status, body } = await service.call('GET', '/v1/stats?minutes=30');
  assert.equal(status, 200);
  const { total, minutes, failing, ...rest } = body;
  assert.deepEqual(total, {
    succeeded: 1,
    failed: 2,
    skipped: 1,
    missed: 0,
    p50LateMs: 5,
    p99LateMs: 5,
  });
  assert.deepEqual(
    minutes.map(({ at, succeeded, failed, skipped }: Record<string, unknown>) => [
      String(at).slice(11, 16),
      succeeded,
      failed,
      skipped,
    ]),
    [
      ['12:58', 1, 0, 0],
      ['12:59', 0, 1, 0],
      ['13:00', 0, 1, 0],
      ['13:01', 0, 0, 1],
    ],
  );
  assert.deepEqual(
    failing.map((each: Record<string, unknown>) => [
      each.scheduleId,
      each.failures,
      each.inARow,
      each.error,
    ]),
    [[broken.id, 2, 2, 'The answer was 500.']],
  );
  assert.deepEqual(
    rest.next.map((each: { scheduleId: string }) => each.scheduleId),
    [next.id],
  );
  assert.deepEqual([rest.enabledSchedules, rest.disabledSchedules], [2, 1]);
  const theirs = await service.call('GET', '/v1/stats', { as: service.theirs });
  assert.deepEqual(
    [theirs.body.minutes, theirs.body.next, theirs.body.enabledSchedules],
    [[], [], 0],
  );
});

test('forecast: by minute for a day, by hour for a week, by host', async () => {
  const as = await newClient(service.store, 'third');
  await service.create({ interval: '30 * * * *', url: 'https://a.example/x' }, as);
  await service.create({ interval: '30 * * * *', url: 'https://a.example/y' }, as);
  await service.create({ interval: '*/10 * * * * *', url: 'https://b.example:8443/' }, as);
  await service.create({ interval: '* * * * *', status: 'disabled' }, as);
  const day = (await service.call('GET', '/v1/forecast', { as })).body;
  assert.deepEqual([day.stepSeconds, day.counts.length, day.schedules], [60, 1_440, 3]);
  assert.deepEqual(day.hosts, [
    { host: 'b.example:8443', firings: 8_640 },
    { host: 'a.example', firings: 48 },
  ]);
  assert.equal(day.firings, 8_688);
  const first = Date.parse(day.from);
  const half = day.counts.findIndex(
    (_: number, index: number) => (first + index * MINUTE) % 3_600_000 === 30 * MINUTE,
  );
  assert.deepEqual([day.counts[half], day.counts[half + 1]], [8, 6]);
  const week = (await service.call('GET', '/v1/forecast?span=week&host=a.example', { as })).body;
  assert.deepEqual([week.stepSeconds, week.counts.length], [3_600, 168]);
  assert.deepEqual([...new Set(week.counts)], [2]);
  assert.equal(week.schedules, 2);
});

test('forecast: windows, rates, bounds and pauses count as each schedule by itself, and the clock moves on', async () => {
  const as = await newClient(service.store, 'fifth');
  const timings = [
    { interval: '0 * * * *', windowSeconds: 3_600 },
    { interval: '*/10 * * * *', windowSeconds: 60, pausedUntil: '2026-06-01T20:00:00Z' },
    { interval: 'rate(25 minutes)' },
    { interval: 'rate(90 seconds)', endsAt: '2026-06-01T16:30:00Z' },
    { interval: '*/7 * * * *', maxRuns: 20 },
    { interval: 'at(2026-06-02T10:00:00)' },
    { interval: '15 3 * * *', windowSeconds: 86_400, startsAt: '2026-06-02T00:00:00Z' },
  ];
  const made: Wire.Schedule[] = [];
  for (const timing of [...timings, ...timings, ...timings]) {
    made.push(await service.create({ timezone: 'Asia/Kathmandu', ...timing }, as));
    await clock.advance(37_000);
  }
  const found = await service.store.schedules.findAll(
    as.clientRowId,
    made.map(({ id }) => id),
  );
  for (const advanceMs of [0, 90 * MINUTE, 26 * 60 * MINUTE]) {
    await clock.advance(advanceMs);
    for (const span of ['day', 'week'] as const) {
      const { body } = await service.call('GET', `/v1/forecast?span=${span}`, { as });
      const spanMs = body.stepSeconds * 1_000;
      const from = Date.parse(body.from);
      const counts = new Array<number>(body.counts.length).fill(0);
      for (const { schedule } of found) {
        for (const each of countBySpan(schedule, { from, spanMs, count: counts.length })) {
          counts[each.span]! += each.times;
        }
      }
      assert.deepEqual(body.counts, counts, `${advanceMs} ${span}`);
      assert.deepEqual([body.schedules, body.uncounted], [21, 0]);
    }
  }
});

/** Schedules of which the store answers as many as are asked for, once that is let through. */
function slowGroups(schedules: number) {
  const waiting: (() => void)[] = [];
  const asked: number[] = [];
  const stats = {
    async groups(_clientKey: number, limit: number, before = `${schedules}`) {
      asked.push(limit);
      await new Promise<void>(resolve => waiting.push(resolve));
      const left = Number(before) - limit;
      const count = Math.min(limit, Number(before));
      const groups = [{ interval: '* * * * *', timezone: 'UTC', host: 'a.example', count }];
      return { groups, next: left <= 0 ? null : `${left}` };
    },
  } as unknown as StatsStore;
  return { stats, waiting, asked };
}

test('more forecasts at once than are kept are all answered', async () => {
  // So many that each gives way before it is done.
  const groups = Array.from({ length: 600 }, (_, n) => ({
    interval: `${n % 60} ${n % 24} * * *`,
    timezone: 'UTC',
    host: `${n}.example`,
    count: 1,
  }));
  const stats = { groups: async () => ({ groups, next: null }) } as unknown as StatsStore;
  const forecast = new ForecastStats(clock, new ScheduleGroups(stats, clock), NO_CALENDARS);
  const hosts = Array.from({ length: 250 }, (_, n) => `${n}.example`);
  const all = await Promise.all(hosts.map(host => forecast.of(1, 'day', host)));
  assert.equal(all.length, hosts.length);
});

test('forecasts of all hosts of a client are worked out once, and a host that it does not call costs nothing', async () => {
  const groups = Array.from({ length: 300 }, (_, n) => ({
    interval: `${n % 60} ${n % 24} * * *`,
    timezone: 'UTC',
    host: `${n % 3}.example`,
    count: 1,
  }));
  const stats = { groups: async () => ({ groups, next: null }) } as unknown as StatsStore;
  const forecast = new ForecastStats(clock, new ScheduleGroups(stats, clock), NO_CALENDARS);
  const all = await forecast.of(1, 'day');
  const [one, other, none] = await Promise.all(
    ['0.example', '1.example', 'free text'].map(host => forecast.of(1, 'day', host)),
  );
  // The very same list: it was not worked out anew.
  for (const each of [one, other, none]) assert.equal(each!.hosts, all.hosts);
  assert.deepEqual(
    [all.schedules, one!.schedules, other!.schedules, none!.schedules],
    [300, 100, 100, 0],
  );
  assert.equal(one!.firings + other!.firings, 200);
  assert.deepEqual([none!.firings, none!.counts.length], [0, 1_440]);
});

test('forecasts of many clients have one slice of each turn together, and one group is interrupted too', async t => {
  const groups = [{ interval: '* * * * *', timezone: 'UTC', host: 'a.example', count: 1 }];
  const stats = { groups: async () => ({ groups, next: null }) } as unknown as StatsStore;
  const forecast = new ForecastStats(clock, new ScheduleGroups(stats, clock), NO_CALENDARS);
  // Each look at the time takes a millisecond, so a slice is over after four of them.
  let [elapsed, looks, most, isDone] = [0, 0, 0, false];
  t.mock.method(performance, 'now', () => {
    looks += 1;
    return ++elapsed;
  });
  const watched = (async () => {
    while (!isDone) {
      looks = 0;
      await new Promise(resolve => setImmediate(resolve));
      // In the first turns all of them begin.
      if (elapsed > 1_000) most = Math.max(most, looks);
    }
  })();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => forecast.of(n, 'day')));
  isDone = true;
  await watched;
  assert.ok(answers.every(({ firings }) => firings === 1_440));
  assert.ok(elapsed > 20 * 1_440, 'each looks at the time at each of its minutes');
  assert.ok(most < 30, `${most} looks at the time in one turn`);
});

test('nobody waits for the forecast of a new minute where there is one of the minute before', async () => {
  const manual = new ManualClock(NOON);
  let version = randomUUID();
  let read: Promise<unknown> = Promise.resolve();
  const stats = {
    async groups() {
      const timing = { exclude: ['holidays'], calendars: [version] };
      const when = { interval: '* * * * *', timezone: 'UTC', timing };
      return { groups: [{ ...when, host: 'a.example', count: 1 }], next: null };
    },
  } as unknown as StatsStore;
  const calendars = {
    async versions(versions: string[]) {
      await read;
      return versions.map(each => ({ version: each, name: 'holidays', periods: [] }));
    },
  };
  const forecast = new ForecastStats(manual, new ScheduleGroups(stats, manual), calendars);
  const from = async () => (await forecast.of(1, 'day')).from;
  const weekCountedAt = async () => (await forecast.of(1, 'week')).countedAt;
  assert.equal(await from(), new Date(NOON).toISOString());
  assert.equal(await weekCountedAt(), new Date(NOON).toISOString());

  // The calendar of the new one is not read yet.
  const gate = Promise.withResolvers<void>();
  [version, read] = [randomUUID(), gate.promise];
  await manual.advance(MINUTE);
  assert.equal(await from(), new Date(NOON).toISOString());
  // One that is two minutes old is not given.
  await manual.advance(MINUTE);
  const waiting = from();
  await setTimeout(PAST_PATIENCE_MS);
  gate.resolve();
  assert.equal(await waiting, new Date(NOON + 2 * MINUTE).toISOString());

  // Nor is one whose schedules were counted six minutes ago, though its first hour is the same.
  const again = Promise.withResolvers<void>();
  [version, read] = [randomUUID(), again.promise];
  await manual.advance(4 * MINUTE);
  const week = weekCountedAt();
  await setTimeout(PAST_PATIENCE_MS);
  again.resolve();
  assert.equal(await week, new Date(NOON + 6 * MINUTE).toISOString());
});

test('the largest groups are counted, the rest is told', async () => {
  const pause = { isOver: false, next: async () => {} };
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 40 }), async (counts, most) => {
      const groups = counts.map(count => ({ interval: '', timezone: '', host: '', count }));
      const { counted, uncounted } = await largest(groups, most, pause);
      const sorted = counts.toSorted((a, b) => b - a);
      const sum = (list: number[]) => list.reduce((total, each) => total + each, 0);
      assert.equal(counted.length, Math.min(most, counts.length));
      assert.equal(sum(counted.map(({ count }) => count)), sum(sorted.slice(0, most)));
      assert.equal(uncounted, sum(sorted.slice(most)));
    }),
  );
});

test('nobody waits until a million schedules are counted: the newest 10,000 are told at once', async () => {
  const { stats, waiting, asked } = slowGroups(300_000);
  const groups = new ScheduleGroups(stats, clock);
  // On a busy machine somebody might lose patience who is to wait.
  let patienceMs = 1;
  const of = groups.of.bind(groups);
  groups.of = clientRowId => of(clientRowId, patienceMs);
  const forecast = new ForecastStats(clock, groups, NO_CALENDARS);
  const ask = async () => {
    const { schedules, isPartial } = await forecast.of(1, 'day');
    return [schedules, isPartial];
  };
  const first = ask();
  await untilSome(waiting);
  waiting.shift()!();
  assert.deepEqual(await first, [10_000, true]);
  await untilSome(waiting);
  waiting.shift()!();
  // The next part is asked for when this one is counted.
  await untilSome(waiting);
  assert.deepEqual(await Promise.all([ask(), ask()]), Array(2).fill([30_000, true]));
  patienceMs = 60_000;
  const last = ask();
  for (const _ of [1, 2, 3, 4]) {
    await untilSome(waiting);
    waiting.shift()!();
  }
  assert.deepEqual(await last, [300_000, undefined]);
  assert.deepEqual(await ask(), [300_000, undefined]);
  assert.deepEqual(asked, [10_000, 20_000, 40_000, 80_000, 100_000, 100_000]);
});

test('up to 10,000 schedules are told of as a whole, however long the store takes', async () => {
  const { stats, waiting } = slowGroups(10_000);
  const groups = new ScheduleGroups(stats, clock);
  const asked = groups.of(1, 1);
  await setTimeout(5);
  waiting.shift()!();
  const { isPartial, groups: found } = await asked;
  assert.deepEqual([isPartial, found[0]!.count], [false, 10_000]);
});

test('a count that fails is begun again by who asks next', async () => {
  const { stats, waiting } = slowGroups(1);
  let failures = 1;
  const failing = {
    groups(...asked: Parameters<StatsStore['groups']>) {
      if (failures-- > 0) return Promise.reject(new Error('away'));
      return stats.groups(...asked);
    },
  } as StatsStore;
  const groups = new ScheduleGroups(failing, clock);
  await assert.rejects(groups.of(1), /away/);
  const again = groups.of(1);
  await untilSome(waiting);
  waiting.shift()!();
  assert.equal((await again).groups[0]!.count, 1);
});

async function untilSome(waiting: unknown[]): Promise<void> {
  while (waiting.length === 0) await setTimeout(1);
}

test('400: what they do not know', async () => {
  for (const query of [
    'stats?minutes=0',
    'stats?minutes=181',
    'stats?minutes=x',
    'forecast?span=year',
  ]) {
    assertError(await service.call('GET', `/v1/${query}`), 400, /minutes|span/);
  }
});

test('a minute is counted again while it is young, and no more when it is old', async () => {
  const asked: [number, number][] = [];
  const stats = {
    async ended(_clientKey: number, from: number, to: number) {
      asked.push([(from - NOON) / MINUTE, (to - NOON) / MINUTE]);
      return [];
    },
  } as unknown as StatsStore;
  const minutes = new Minutes(stats, 1);
  const at = async (seconds: number) => {
    asked.length = 0;
    await minutes.since(NOON, NOON + seconds * 1_000);
    return asked.map(([from]) => from);
  };
  assert.deepEqual(await at(30), [0]);
  assert.deepEqual(await at(31), [0], 'it still goes on');
  assert.deepEqual(await at(70), [1, 0], 'the newest first');
  assert.deepEqual(await at(75), [1], 'too young to be counted again');
  assert.deepEqual(await at(80), [1, 0]);
  for (let seconds = 81; seconds < 1_000; seconds += 1) await at(seconds);
  assert.ok(!(await at(1_000)).includes(0), 'it is final');
  assert.deepEqual(
    (await minutes.since(NOON + 14 * MINUTE, NOON + 1_000_000)).map(({ minute }) => minute),
    [14, 15, 16].map(each => NOON + each * MINUTE),
  );
});

test('nobody waits for a long count: it is told from when on, and goes on by itself', async () => {
  const waiting: (() => void)[] = [];
  const stats = {
    ended: () => new Promise(resolve => waiting.push(() => resolve([]))),
  } as unknown as StatsStore;
  const minutes = new Minutes(stats, 1);
  const ask = async () =>
    (await minutes.since(NOON, NOON + 3 * MINUTE, 1)).map(({ minute }) => (minute - NOON) / MINUTE);
  assert.deepEqual(await ask(), []);
  waiting.shift()!();
  assert.deepEqual(await ask(), [2]);
  waiting.shift()!();
  assert.deepEqual(await ask(), [1, 2]);
});

test('a store that fails is tried again', async () => {
  let failures = 1;
  const stats = {
    async ended() {
      failures -= 1;
      if (failures === 0) throw new Error('away');
      return [];
    },
  } as unknown as StatsStore;
  const minutes = new Minutes(stats, 1);
  await assert.rejects(minutes.since(NOON, NOON + MINUTE), /away/);
  assert.equal((await minutes.since(NOON, NOON + MINUTE)).length, 1);
});

test('percentiles are the least lateness that the share of firings keeps', () => {
  const counts = [
    { stepMs: 200, count: 1 },
    { stepMs: 3, count: 98 },
    { stepMs: 7, count: 1 },
  ];
  assert.deepEqual(
    [0.5, 0.98, 0.99, 1].map(share => percentile(counts, share)),
    [3, 3, 7, 200],
  );
  assert.equal(percentile([], 0.5), null);
});

test('failures in a row end at a success', () => {
  const runs = (...statuses: LatestRun['status'][]) => statuses.map(status => ({ status }));
  assert.equal(failuresInARow(runs('failed', 'failed', 'succeeded', 'failed')), 2);
  assert.equal(failuresInARow(runs('succeeded', 'failed')), 0);
  assert.equal(failuresInARow(runs('failed', 'failed')), 2);
  assert.equal(failuresInARow([]), 0);
});

test('an empty minute is not shown', () => {
  const ended = [{ minute: NOON, succeeded: 0, failed: 0, lateness: [], passed: [] }];
  assert.deepEqual(talliesOf(ended).minutes, []);
});

test('times that do not fire are told by their own minute, whenever that was decided', () => {
  const decided = (minute: number, ...passed: MinuteCount['passed']) => ({
    minute,
    succeeded: 0,
    failed: 0,
    lateness: [],
    passed,
  });
  const { total, minutes } = talliesOf([
    decided(NOON, { minute: NOON - MINUTE, skipped: 7, missed: 7 }),
    decided(NOON + MINUTE, { minute: NOON, skipped: 1, missed: 0 }),
    decided(NOON + 2 * MINUTE, { minute: NOON, skipped: 0, missed: 5 }),
  ]);
  assert.deepEqual(
    minutes.map(({ at, skipped, missed }) => [Date.parse(at), skipped, missed]),
    [[NOON, 1, 5]],
  );
  assert.deepEqual([total.skipped, total.missed], [1, 5]);
});
