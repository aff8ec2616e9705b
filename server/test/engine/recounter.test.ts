import assert from 'node:assert/strict';
import { test } from 'node:test';
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
