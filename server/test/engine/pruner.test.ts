import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Pruner } from '../../src/engine/services/pruner.ts';
import { ManualClock } from '../support/clock.ts';

const DAY_MS = 86_400_000;
const START = 20 * DAY_MS;
const HOUR_MS = 3_600_000;
/** Until the clock is believed. */
const HELD_MS = 5 * 60_000;
const BITE = 1_000;

let clock: ManualClock;
let isBehind: boolean;
/** The newest record of the store. */
let latest: number | null;
/** What the store knows of the clock. */
let believed: number | null;
let notes: number;
let pruner: Pruner;
/** Calls with an Idempotency-Key that are too old, and the instant before which they are. */
let calls: number;
let callsBefore: number | null;
let completionsBefore: number | null;
/** Versions of calendars that were replaced long ago, and the instant before which they were. */
let versions: number;
let versionsBefore: number | null;
let bites: { at: number; succeededBefore: number; failedBefore: number }[];

beforeEach(() => {
  clock = new ManualClock(START);
  isBehind = false;
  latest = null;
  believed = null;
  notes = 0;
  calls = 0;
  callsBefore = null;
  completionsBefore = null;
  versions = 0;
  versionsBefore = null;
  bites = [];
});

/** @param old rows that are too old */
function startWith(old: number): void {
  let left = old;
  const store = {
    clients: { forgetOldSecrets: async () => {} },
    queue: { latest: async () => latest },
    installation: {
      believedClock: async () => believed,
      noteBelievedClock: async (at: number) => {
        believed = at;
        notes += 1;
      },
    },
    calendars: {
      prune: async (replacedBefore: number) => {
        const count = Math.min(versions, BITE);
        versions -= count;
        versionsBefore = replacedBefore;
        return count;
      },
    },
    completions: {
      prune: async (saidBefore: number) => {
        completionsBefore = saidBefore;
        return 0;
      },
    },
    idempotency: {
      prune: async (madeBefore: number) => {
        callsBefore = madeBefore;
        const count = Math.min(calls, BITE);
        calls -= count;
        return count;
      },
    },
    runs: {
      prune: async (limits: { succeededBefore: number; failedBefore: number }) => {
        bites.push({ at: clock.now() - START - HELD_MS, ...limits });
        const count = Math.min(left, BITE);
        left -= count;
        return count;
      },
    },
  };
  pruner = new Pruner({
    store: store as never,
    clock,
    observer: { storeFailed: assert.fail } as never,
    retention: { runsDays: 2, failedRunsDays: 5 },
    isBehind: () => isBehind,
  });
  pruner.start();
}

describe('retention', () => {
  test('calls that may be sent again go after a day, bite by bite as history does', async () => {
    calls = 2 * BITE;
    startWith(0);
    await clock.advance(HELD_MS + HOUR_MS / 60);
    assert.equal(calls, 0);
    assert.ok(callsBefore! >= START + HELD_MS - DAY_MS);
    assert.ok(callsBefore! <= clock.now() - DAY_MS);
    assert.ok(completionsBefore! <= clock.now() - 8 * DAY_MS);
  });

  test('replaced versions of calendars go as failed runs do, bite by bite', async () => {
    versions = 2 * BITE;
    startWith(0);
    await clock.advance(HELD_MS + HOUR_MS / 60);
    assert.equal(versions, 0);
    assert.equal(versionsBefore, bites.at(-1)!.failedBefore);
  });

  test('each kind of run goes after its own days', async () => {
    startWith(0);
    await clock.advance(HELD_MS);
    const [{ succeededBefore, failedBefore }] = bites as [(typeof bites)[0]];
    assert.deepEqual(
      [succeededBefore, failedBefore],
      [START + HELD_MS - 2 * DAY_MS, START + HELD_MS - 5 * DAY_MS],
    );
  });

  test('bite by bite with pauses, then a look every ten minutes', async () => {
    startWith(2_500);
    await clock.advance(HELD_MS + 600_100);
    assert.deepEqual(
      bites.map(({ at }) => at),
      [0, 10, 20, 25, 600_025],
    );
  });

  test('while firings wait for their turn the pauses are longer, then as before', async () => {
    isBehind = true;
    startWith(10 * BITE);
    await clock.advance(HELD_MS + 75);
    isBehind = false;
    await clock.advance(27);
    assert.deepEqual(
      bites.map(({ at }) => at),
      [0, 30, 60, 90, 100],
    );
  });
});

describe('a clock that is far ahead', () => {
  const FAR = START + 1_461 * DAY_MS;

  test('for some hours takes nothing away', async () => {
    startWith(0);
    await clock.advance(2 * HOUR_MS);
    bites = [];
    await clock.jump(FAR);
    await clock.advance(23 * HOUR_MS);
    assert.deepEqual(bites, []);
    await clock.jump(START + 25 * HOUR_MS);
    await clock.advance(2 * HOUR_MS);
    assert.ok(bites.length > 0);
    assert.ok(bites.every(({ succeededBefore }) => succeededBefore < START));
  });

  test('takes nothing away for a day either where Punctual is started by it', async () => {
    latest = START;
    clock = new ManualClock(FAR);
    startWith(0);
    await clock.advance(23 * HOUR_MS);
    assert.deepEqual(bites, []);
    await clock.advance(2 * HOUR_MS);
    assert.ok(bites.length > 0, 'one that lasts is believed');
  });

  test('takes nothing away after a restart either, where runs were recorded by it', async () => {
    startWith(0);
    await clock.advance(HOUR_MS);
    bites = [];
    await clock.jump(FAR);
    latest = clock.now();
    await pruner.stop();
    startWith(0);
    await clock.advance(23 * HOUR_MS);
    assert.deepEqual(bites, []);
    await clock.jump(START + 24 * HOUR_MS);
    await pruner.stop();
    startWith(0);
    await clock.advance(HOUR_MS);
    assert.ok(bites.length > 0, 'the right clock is believed at once');
  });

  test('is noted once a look, however many bites there are', async () => {
    startWith(20 * BITE);
    await clock.advance(HELD_MS + 650_000);
    assert.deepEqual([bites.length, notes], [22, 2]);
  });
});
