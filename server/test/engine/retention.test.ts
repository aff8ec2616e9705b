import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Retention } from '../../src/engine/retention.ts';
import { ManualClock } from '../clock.ts';

const DAY_MS = 86_400_000;
const START = 20 * DAY_MS;
const BITE = 1_000;

let clock: ManualClock;
let behindMs: number;
let bites: { at: number; succeededBefore: number; failedBefore: number }[];

beforeEach(() => {
  clock = new ManualClock(START);
  behindMs = 0;
  bites = [];
});

/** @param old rows that are too old */
function startWith(old: number): void {
  let left = old;
  const store = {
    clients: { forgetOldSecrets: async () => {} },
    runs: {
      prune: async (limits: { succeededBefore: number; failedBefore: number }) => {
        bites.push({ at: clock.now() - START, ...limits });
        const count = Math.min(left, BITE);
        left -= count;
        return count;
      },
    },
  };
  new Retention({
    store: store as never,
    clock,
    events: { storeFailed: assert.fail } as never,
    keep: { runsDays: 2, failedRunsDays: 5 },
    behindMs: () => behindMs,
  }).start();
}

describe('retention', () => {
  test('each kind of run goes after its own days', async () => {
    startWith(0);
    await clock.advance(0);
    const [{ succeededBefore, failedBefore }] = bites as [(typeof bites)[0]];
    assert.deepEqual([succeededBefore, failedBefore], [START - 2 * DAY_MS, START - 5 * DAY_MS]);
  });

  test('bite by bite with pauses, then a look every ten minutes', async () => {
    startWith(2_500);
    await clock.advance(600_100);
    assert.deepEqual(
      bites.map(({ at }) => at),
      [0, 10, 20, 25, 600_025],
    );
  });

  test('while firings wait for their turn ten bites a second, however long they wait, then as before', async () => {
    behindMs = 1;
    startWith(10 * BITE);
    await clock.advance(150);
    behindMs = 60_000;
    await clock.advance(100);
    behindMs = 0;
    await clock.advance(62);
    assert.deepEqual(
      bites.map(({ at }) => at),
      [0, 100, 200, 300, 310],
    );
  });
});
