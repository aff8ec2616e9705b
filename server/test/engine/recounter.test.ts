import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { Recounter, type RecounterOptions } from '../../src/engine/services/recounter.ts';
import { ManualClock } from '../support/clock.ts';

const NOON = Date.parse('2026-03-02T12:00:00Z');

/** What a start says of a store whose latest record is of noon. @param nodeMs and what this node and the store are behind that */
async function saidAtStart(nodeMs: number, storeMs: number | null): Promise<number[]> {
  const told: number[] = [];
  const clockWasSetBack = (backMs: number) => told.push(backMs);
  const recounter = new Recounter({
    clock: new ManualClock(NOON - nodeMs),
    queue: { latest: async () => NOON, nextKnown: async () => null, recount: async () => null },
    outbox: { recount: async () => null },
    completions: { recount: async () => null },
    observer: { clockWasSetBack, storeFailed: () => {} } as Partial<EngineObserver>,
    cluster: storeMs === null ? null : { now: async () => NOON - storeMs },
  } as unknown as RecounterOptions);
  await recounter.start();
  await recounter.stop();
  return told;
}

test('a start finds that the clock was set back by what was decided about before', async () => {
  assert.deepEqual(await saidAtStart(900, null), []);
  assert.deepEqual(await saidAtStart(1_400, null), [1_400]);
});

test('where nodes share the store, one that is behind its clock asks that', async () => {
  assert.deepEqual(await saidAtStart(1_400, 10), []);
  assert.deepEqual(await saidAtStart(1_400, 1_300), [1_400]);
});

describe('a clock that was behind is set right', () => {
  const clock = new ManualClock(NOON);
  const HOUR = 3_600_000;
  let asked: [call: string, now: number][];
  let answer: PromiseWithResolvers<void>;

  /** Passes of a store that answers what records it has cut when `answer` says so. */
  async function started(whileStarting: () => void): Promise<Recounter> {
    asked = [];
    answer = Promise.withResolvers<void>();
    clock.set(new Date(NOON - HOUR).toISOString());
    const recounter = new Recounter({
      clock,
      queue: {
        async latest() {
          whileStarting();
          return NOON;
        },
        async recount(now: number) {
          asked.push(['recount', now]);
          return null;
        },
        async cutMissed(now: number) {
          asked.push(['cutMissed', now]);
          await answer.promise;
          return 0;
        },
        nextKnown: async () => null,
      },
      outbox: { recount: async () => null },
      completions: { recount: async () => 0 },
      observer: { clockWasSetBack: () => {} } as Partial<EngineObserver>,
      wake: { queue: () => {}, outbox: () => {} },
      cluster: null,
    } as unknown as RecounterOptions);
    await recounter.start();
    await clock.advance(10);
    return recounter;
  }

  test('as it starts: a pass goes by the right clock', async () => {
    const recounter = await started(() => clock.set(new Date(NOON).toISOString()));
    assert.deepEqual(asked, [
      ['recount', NOON],
      ['cutMissed', NOON],
    ]);
    answer.resolve();
    await recounter.stop();
  });

  test('while a pass waits for the store: what is decided by the right clock waits for that', async () => {
    const recounter = await started(() => {});
    assert.deepEqual(asked.at(-1), ['cutMissed', NOON - HOUR]);
    clock.set(new Date(NOON).toISOString());
    const decided = recounter.during(async () => asked.push(['decide', clock.now()]));
    await clock.advance(100);
    assert.equal(asked.at(-1)![0], 'cutMissed');
    answer.resolve();
    await decided;
    assert.deepEqual(asked.at(-1), ['decide', NOON + 100]);
    await recounter.stop();
  });
});
