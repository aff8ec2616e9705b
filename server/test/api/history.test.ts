import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { HistoryStats, partsOf, withSpans } from '../../src/api/stats/history.ts';
import type { StatsStore, StepCount, StepRange } from '../../src/store/contract/stats.ts';
import { assertError } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';
import { aRecord, claimOne, settled } from '../support/store/backend.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 5, 1, 12);
const clock = new ManualClock(NOON);
const service = await startService({ clock });
after(() => service.close());

const history = (id: string, query: string, as = service.mine) =>
  service.call('GET', `/v1/schedule/${id}/history?${query}`, { as });

test('the times of a schedule are counted by the step in which they were due', async () => {
  const { id } = await service.create({ interval: '* * * * *' });
  const claim = await claimOne(service.store, NOON + MINUTE);
  await settled(service.store, claim, null, {
    records: [
      aRecord(id, NOON + MINUTE, { status: 'failed' }),
      aRecord(id, NOON + 6 * MINUTE, {}),
      aRecord(id, NOON + 7 * MINUTE, {}),
    ],
  });
  const { status, body } = await history(
    id,
    'from=2026-06-01T12:00:30Z&to=2026-06-01T12:14:00Z&stepSeconds=300',
  );
  assert.equal(status, 200);
  assert.deepEqual(body, {
    scheduleId: id,
    from: '2026-06-01T12:00:00.000Z',
    to: '2026-06-01T12:15:00.000Z',
    stepSeconds: 300,
    steps: [
      { at: '2026-06-01T12:00:00.000Z', succeeded: 0, failed: 1, skipped: 0, missed: 0 },
      { at: '2026-06-01T12:05:00.000Z', succeeded: 2, failed: 0, skipped: 0, missed: 0 },
    ],
  });
});

test('ranges that cannot be counted are refused, and a schedule of another client is not there', async () => {
  const { id } = await service.create({});
  const day = 'from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z';
  assertError(await history(id, `${day}&stepSeconds=60`), 400, /1440 steps.*limit of 1000/);
  assertError(await history(id, `${day}&stepSeconds=0`), 400, /stepSeconds/);
  assertError(await history(id, 'stepSeconds=60'), 400, /from is required/);
  const backwards = 'from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z&stepSeconds=60';
  assertError(await history(id, backwards), 400, /to must be after from/);
  assertError(await history(id, `${day}&stepSeconds=3600`, service.theirs), 404, /no schedule/);
  assertError(await history(id, `${day}&stepSeconds=5400`), 400, /5400: above 3600 .* multiple/);
  const years = 'from=2024-06-01T00:00:00Z&to=2026-06-01T00:00:00Z&stepSeconds=86400';
  assertError(await history(id, years), 400, /730 days.*limit of 366/);
});

/** A schedule that ran each second, of which each hour takes a while to count. */
function everySecond(waitMs = 0) {
  const asked: StepRange[] = [];
  const stats = {
    async history(_client: number, ids: string[], range: StepRange, limit: number) {
      if (limit > 5_000) asked.push(range);
      // A count goes on behind its answer: nobody is to wait for the end of it.
      if (waitMs > 0 && limit > 5_000)
        await new Promise(resolve => setTimeout(resolve, waitMs).unref());
      const { from, to, stepMs } = range;
      const steps: StepCount[] = [];
      let left = limit;
      for (let at = to - stepMs; at >= from && left > 0; at -= stepMs) {
        const succeeded = Math.min(left, stepMs / 1_000);
        left -= succeeded;
        steps.unshift({ at, succeeded, failed: 0, skipped: 0, missed: 0 });
      }
      const records = steps.reduce((sum, { succeeded }) => sum + succeeded, 0);
      return ids.map(() => ({ steps, spans: [], records }));
    },
  } as unknown as StatsStore;
  return { asked, stats };
}

/** One schedule, until it is counted whole. */
async function wholeOf(counted: HistoryStats, range: StepRange) {
  for (;;) {
    const [found] = await counted.of(1, ['a'], range);
    if (found!.from === range.from) return found!;
  }
}

test('a week of an every-second schedule is counted whole, and its old hours once', async () => {
  const { asked, stats } = everySecond();
  const moving = new ManualClock(NOON);
  const counted = new HistoryStats(stats, moving);
  const range = { from: NOON - 168 * HOUR, to: NOON, stepMs: 30 * MINUTE };
  const found = await wholeOf(counted, range);
  assert.equal(found.steps.length, 336);
  assert.ok(found.steps.every(({ succeeded }) => succeeded === 1_800));
  assert.equal(asked.length, 168);
  asked.length = 0;
  await moving.jump(NOON + 2_000);
  await wholeOf(counted, range);
  assert.ok(asked.length > 0 && asked.length <= 3, `${asked.length} hours were counted again`);
});

test('a month by the day and by three hours is counted once, hour by hour', async () => {
  const { asked, stats } = everySecond();
  const counted = new HistoryStats(stats, new ManualClock(NOON));
  const midnight = NOON - 12 * HOUR;
  const month = { from: midnight - 30 * 24 * HOUR, to: midnight, stepMs: 24 * HOUR };
  const days = await wholeOf(counted, month);
  assert.equal(days.steps.length, 30);
  assert.ok(days.steps.every(({ succeeded }) => succeeded === 86_400));
  assert.equal(asked.length, 720);
  const { steps } = await wholeOf(counted, { ...month, stepMs: 3 * HOUR });
  assert.ok(steps.length === 240 && steps.every(({ succeeded }) => succeeded === 3 * 3_600));
  assert.equal(asked.length, 720, 'no hour was counted again');
});

test('a step of many hours is told only if all of them are counted', async () => {
  const { stats } = everySecond(20);
  const counted = new HistoryStats(stats, new ManualClock(NOON));
  const range = { from: NOON - 60 * 24 * HOUR, to: NOON, stepMs: 5 * HOUR };
  const steps = {
    ...range,
    from: range.from - (range.from % range.stepMs),
    to: range.to - (range.to % range.stepMs),
  };
  const [first] = await counted.of(1, ['a'], steps);
  assert.ok(first!.from > steps.from && first!.from % steps.stepMs === 0);
  assert.ok(first!.steps.every(({ succeeded }) => succeeded === 5 * 3_600));
});

test('nobody waits for a long count: it is told since when it is counted, and more the next time', async () => {
  const { stats } = everySecond(40);
  const counted = new HistoryStats(stats, new ManualClock(NOON));
  const range = { from: NOON - 24 * HOUR, to: NOON, stepMs: 5 * MINUTE };
  const [first] = await counted.of(1, ['a'], range);
  assert.ok(first!.from > range.from);
  assert.ok(first!.steps.every(({ succeeded }) => succeeded === 300));
  assert.equal(first!.steps[0]!.at, first!.from);
  assert.equal((await wholeOf(counted, range)).steps.length, 288);
});

test('a newer question of a client takes the place of a long count', async () => {
  const { asked, stats } = everySecond(5);
  const counted = new HistoryStats(stats, new ManualClock(NOON));
  await counted.of(1, ['a'], { from: NOON - 300 * HOUR, to: NOON, stepMs: HOUR });
  await counted.of(1, ['b'], { from: NOON - 2 * HOUR, to: NOON, stepMs: 7_000 });
  const before = asked.length;
  await wholeOf(counted, { from: NOON - 2 * HOUR, to: NOON, stepMs: 30 * MINUTE });
  assert.ok(before < 100 && asked.length < 120, `${before} and ${asked.length} hours were counted`);
});

test('parts are whole, meet, and are cut at the same instants whatever is asked for', () => {
  const aRange = fc
    .record({
      step: fc.constantFrom(1, 3, 7, 30, 300, 1_800, 3_599, 3_600, 10_800, 86_400),
      from: fc.nat(100_000),
      steps: fc.integer({ min: 1, max: 1_000 }),
    })
    .map(({ step, from, steps }) => {
      const stepMs = step * 1_000;
      return { from: from * stepMs, to: (from + steps) * stepMs, stepMs };
    });
  fc.assert(
    fc.property(aRange, range => {
      const parts = partsOf(range);
      assert.ok(parts[0]!.to >= range.to && parts[0]!.from < range.to);
      assert.ok(parts.at(-1)!.from <= range.from && parts.at(-1)!.to > range.from);
      for (const [index, { from, to, stepMs }] of parts.entries()) {
        assert.ok(from < to && to - from <= HOUR);
        assert.ok(range.stepMs % stepMs === 0 && from % (to - from) === 0);
        if (index > 0) assert.equal(to, parts[index - 1]!.from);
      }
    }),
  );
});

test('the times that one record stands for are spread over its steps, and none is lost', () => {
  const span = { count: 5_000, from: NOON, to: NOON + 4_999_000 };
  const range = { from: NOON - HOUR, to: NOON + 2 * HOUR, stepMs: MINUTE };
  const steps = withSpans([], [span], range);
  assert.deepEqual(
    [steps[0]!.at, steps[0]!.missed, steps.at(-1)!.missed],
    [NOON, 60, 20],
    'one a second',
  );
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 10_000 }), fc.integer({ min: 1, max: 7_200 }), (n, s) => {
      const one = { count: n, from: NOON, to: NOON + s * 1_000 - 1 };
      const sum = withSpans([], [one], range).reduce((all, { missed }) => all + missed, 0);
      assert.equal(sum, n);
    }),
  );
});
