import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { HistoryStats, partsOf, withSpans } from '../../src/api/stats/history.ts';
import type { StatsStore, StepRange } from '../../src/store/contract/stats.ts';
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
});

/** A schedule that ran each second, of which each hour takes a while to count. */
function everySecond(waitMs = 0) {
  const asked: StepRange[] = [];
  const stats = {
    async history(_client: number, _id: string, range: StepRange, limit: number) {
      if (limit > 5_000) asked.push(range);
      if (waitMs > 0 && limit > 5_000) await new Promise(resolve => setTimeout(resolve, waitMs));
      const { from, to, stepMs } = range;
      const steps = [];
      let left = limit;
      for (let at = to - stepMs; at >= from && left > 0; at -= stepMs) {
        const succeeded = Math.min(left, stepMs / 1_000);
        left -= succeeded;
        steps.unshift({ at, succeeded, failed: 0, skipped: 0, missed: 0 });
      }
      const records = steps.reduce((sum, { succeeded }) => sum + succeeded, 0);
      return { steps, spans: [], records };
    },
  } as unknown as StatsStore;
  return { asked, stats };
}

test('a week of an every-second schedule is counted whole, and its old hours once', async () => {
  const { asked, stats } = everySecond();
  const moving = new ManualClock(NOON);
  const counted = new HistoryStats(stats, moving);
  const range = { from: NOON - 168 * HOUR, to: NOON, stepMs: 30 * MINUTE };
  let found = await counted.of(1, 'a', range);
  while (found.isPartial) found = await counted.of(1, 'a', range);
  assert.equal(found.steps.length, 336);
  assert.ok(found.steps.every(({ succeeded }) => succeeded === 1_800));
  assert.equal(asked.length, 168);
  asked.length = 0;
  await moving.jump(NOON + 2_000);
  await counted.of(1, 'a', range);
  assert.ok(asked.length > 0 && asked.length <= 3, `${asked.length} hours were counted again`);
});

test('nobody waits for a long count: it is told since when it is counted, and more the next time', async () => {
  const { stats } = everySecond(40);
  const counted = new HistoryStats(stats, new ManualClock(NOON));
  const range = { from: NOON - 24 * HOUR, to: NOON, stepMs: 5 * MINUTE };
  const first = await counted.of(1, 'a', range);
  assert.equal(first.isPartial, true);
  assert.ok(first.steps.every(({ succeeded }) => succeeded === 300));
  assert.equal(first.steps[0]!.at, first.from);
  let last = first;
  while (last.isPartial) last = await counted.of(1, 'a', range);
  assert.equal(last.steps.length, 288);
});

test('parts meet, and are cut at the same instants whatever is asked for', () => {
  const aRange = fc
    .record({
      step: fc.constantFrom(1, 3, 30, 300, 1_800, 3_600),
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
      assert.equal(parts[0]!.to, range.to);
      assert.equal(parts.at(-1)!.from, range.from);
      for (const [index, { from, to }] of parts.entries()) {
        assert.ok(from < to && to - from <= HOUR);
        if (index > 0) assert.equal(to, parts[index - 1]!.from);
        if (index > 0) assert.equal(to % (to - from === HOUR ? HOUR : range.stepMs), 0);
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
