import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Board } from '../../src/api/board/board.ts';
import { type DayShare, DayShares } from '../../src/api/board/day-shares.ts';
import { RankedHours } from '../../src/api/board/ranked-hours.ts';
import { Rankings } from '../../src/api/board/rankings.ts';
import { Kept } from '../../src/api/stats/kept.ts';
import type { HealthStore, HourRange, RankedRange } from '../../src/store/contract/health.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { ManualClock } from '../support/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2026, 5, 1, 12);

/** Schedules that run every second, each tenth time in vain. @param ready awaited by each look */
function everySecond(ready: () => Promise<void> = async () => {}) {
  const asked: HourRange[] = [];
  const health = {
    async hours(_client: number, ranges: HourRange[], limit: number) {
      await ready();
      asked.push(...ranges);
      return ranges.map(({ scheduleId, from, to }) => {
        let left = limit;
        const hours = [];
        for (let at = to - HOUR; at >= from && left > 0; at -= HOUR) {
          const records = Math.min(3_600, left);
          left -= records;
          hours.unshift({ at, succeeded: records * 0.9, failed: records * 0.1 });
        }
        return { scheduleId, hours, records: limit - left };
      });
    },
  } as unknown as HealthStore;
  return { health, asked };
}

test('a day of an every-second schedule is counted whole, and its old hours once', async () => {
  const { health, asked } = everySecond();
  const clock = new ManualClock(NOON);
  const shares = new DayShares(health, clock);
  const first = (await shares.of(1, ['a', 'b'])).get('a');
  assert.deepEqual(first, { succeeded: 25 * 3_240, ended: 25 * 3_600 });
  const rounds = asked.filter(({ scheduleId }) => scheduleId === 'a');
  assert.ok(rounds.length <= 25, `${rounds.length} looks`);
  asked.length = 0;
  await shares.of(1, ['a']);
  assert.equal(asked.length, 0, 'within the same second nothing is read');
  await clock.jump(NOON + 2_000);
  await shares.of(1, ['a']);
  assert.ok(
    asked.every(({ from }) => from >= NOON - 2 * HOUR),
    'only what may still end',
  );
});

test('nobody waits for a long count: it is told since when it is counted', async () => {
  let looks = 0;
  const gate = Promise.withResolvers<void>();
  const { health } = everySecond(async () => {
    looks += 1;
    if (looks > 2) await gate.promise;
  });
  const shares = new DayShares(health, new ManualClock(NOON));
  const first = (await shares.of(1, ['a'])).get('a')!;
  assert.deepEqual(first, { succeeded: 2 * 3_240, ended: 2 * 3_600, countedFrom: NOON - HOUR });
  gate.resolve();
  let last: DayShare = first;
  while (last.countedFrom !== undefined) last = (await shares.of(1, ['a'])).get('a')!;
  assert.equal(last.ended, 25 * 3_600);
});

test('an hour is ranked once, the one that goes on each minute, and figures of hours are merged', async () => {
  const asked: RankedRange[] = [];
  const clock = new ManualClock(NOON + 30 * MINUTE);
  const ranked = new RankedHours(
    async (_client, range) => {
      asked.push(range);
      const schedules =
        range.from === NOON
          ? [
              { scheduleId: 'now', figure: 3 },
              { scheduleId: 'often', figure: 2 },
            ]
          : [{ scheduleId: 'often', figure: 1 }];
      return { schedules, records: 10 };
    },
    (a, b) => a + b,
    clock,
    5,
  );
  assert.deepEqual(await ranked.of(1), ['often', 'now']);
  assert.equal(asked.length, 25);
  asked.length = 0;
  await ranked.of(1);
  assert.equal(asked.length, 0);
  await clock.jump(clock.now() + MINUTE);
  await ranked.of(1);
  assert.deepEqual(
    asked.map(({ from }) => from),
    [NOON],
  );
});

test('a ranking looks back no further than to 200,000 records', async () => {
  const asked: number[] = [];
  const ranked = new RankedHours(
    async (_client, { from, records }) => {
      asked.push(from);
      return { schedules: [], records };
    },
    Math.max,
    new ManualClock(NOON),
    5,
  );
  await ranked.of(1);
  assert.equal(asked.length, 10);
});

test('a value is made anew after a second, by one of those who ask at once, and a failure is nobody else’s', async () => {
  const clock = new ManualClock(NOON);
  const kept = new Kept<string, { made: number }>(clock, { most: 10 });
  let made = 0;
  const make = async () => ({ made: ++made });
  const [one, two] = await Promise.all([kept.of('a', make), kept.of('a', make)]);
  assert.deepEqual([one.made, two.made], [1, 1]);
  assert.equal((await kept.of('b', make)).made, 2);
  await clock.jump(NOON + 999);
  assert.equal((await kept.of('a', make)).made, 1);
  await clock.jump(NOON + 10_000);
  await assert.rejects(
    kept.of('a', () => Promise.reject(new Error('away'))),
    /away/,
  );
  assert.equal((await kept.of('a', make)).made, 3);
  await clock.jump(NOON + 20_000);
  assert.equal((await kept.of('a', make, () => MINUTE)).made, 3);
});

test('nobody waits for a value that takes long where there is an older one, and a warm one is there', async () => {
  const clock = new ManualClock(NOON);
  const kept = new Kept<number, { made: number }>(clock, { most: 10, longMs: 0 });
  let made = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  kept.warm(1, async () => ({ made: ++made }));
  kept.warm(1, async () => ({ made: ++made }));
  const first = await kept.entry(1, async () => ({ made: ++made }));
  assert.deepEqual([first.value.made, first.madeAt], [1, NOON]);
  await clock.jump(NOON + MINUTE);
  const slowly = async () => {
    await promise;
    return { made: ++made };
  };
  assert.equal((await kept.of(1, slowly)).made, 1);
  resolve();
  // Once it is older than five minutes, it is waited for.
  await clock.jump(NOON + 10 * MINUTE);
  assert.notEqual((await kept.of(1, slowly)).made, 1);
});

test('a value that took a moment the last time is not waited for if it takes longer, where there is an older one', async () => {
  const clock = new ManualClock(NOON);
  const kept = new Kept<number, { made: number }>(clock, { most: 10, longMs: MINUTE });
  assert.equal((await kept.of(1, async () => ({ made: 1 }))).made, 1);
  await clock.jump(NOON + MINUTE);
  const { promise, resolve } = Promise.withResolvers<{ made: number }>();
  assert.equal((await kept.of(1, () => promise)).made, 1);
  resolve({ made: 2 });
  assert.equal((await kept.of(1, async () => ({ made: 3 }))).made, 2);
});

test('the next firings do not wait for a ranking by records', async () => {
  const few = [Promise.withResolvers<never>().promise, { ids: [], next: null }];
  const store = {
    schedules: { ids: () => few.shift() },
    health: { queued: async () => [] },
  } as unknown as Store;
  const rankings = new Rankings(store, new ManualClock(NOON));
  void rankings.of(1, 'slowest', {});
  await setImmediate();
  assert.deepEqual((await rankings.of(1, 'next', {})).ids, []);
});

test('a list whose first page is all of it is not searched again to count it', async () => {
  const asked: string[] = [];
  const found = { list: { schedules: [], next: null }, ids: { ids: [], next: null } };
  const search = (name: keyof typeof found) => async () => {
    asked.push(name);
    return found[name];
  };
  // A question about the health of no schedule would fail.
  const store = { schedules: { list: search('list'), ids: search('ids') } } as unknown as Store;
  const board = new Board(store, new ManualClock(NOON));
  const empty = { items: [], total: { count: 0, isExact: true } };
  const query = { filter: { label: 'nowhere' }, limit: 50, cursor: undefined };
  assert.deepEqual(await board.page(1, 'newest', query), empty);
  assert.deepEqual(await board.page(1, 'worst', query), empty);
  assert.deepEqual(asked, ['list', 'ids']);
});
