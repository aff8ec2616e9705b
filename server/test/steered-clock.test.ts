import assert from 'node:assert/strict';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { SteeredClock } from '../src/clock.ts';

/** A clock far away, and how long the way there and back takes, ms, reading by reading. */
const EPOCH = Date.UTC(2026, 5, 1, 12);
let elapsed: number;
let ways: [there: number, back: number][];

beforeEach(t => {
  elapsed = 0;
  ways = [];
  (t as TestContext).mock.method(performance, 'now', () => elapsed);
});

async function read(): Promise<number> {
  const [there, back] = ways.shift() ?? [0, 0];
  elapsed += there;
  const answer = Math.floor(EPOCH + elapsed);
  elapsed += back;
  return answer;
}

/** By how much the steered clock is ahead of the one that it goes by. */
const ahead = (clock: SteeredClock) => clock.now() - Math.floor(EPOCH + elapsed);

describe('a clock that goes by another one', () => {
  test('is where that one is, and goes on with it', async () => {
    ways = [
      [1, 1],
      [2, 2],
      [1, 1],
    ];
    const clock = await SteeredClock.start(read);
    for (let step = 0; step < 10; step++) {
      elapsed += 333.3;
      assert.ok(Math.abs(ahead(clock)) <= 1);
    }
  });

  test('goes by the reading that took the shortest', async () => {
    ways = [
      [90, 0],
      [1, 1],
      [0, 90],
    ];
    assert.ok(Math.abs(ahead(await SteeredClock.start(read))) <= 1);
  });

  test('goes on as it was while every reading takes long, and is never early', async () => {
    const clock = await SteeredClock.start(read);
    ways = [
      [150, 0],
      [400, 0],
      [3_000, 0],
    ];
    await clock.steer();
    assert.ok(Math.abs(ahead(clock)) <= 1, `it is ${ahead(clock)} ms ahead`);
    ways = [
      [0, 150],
      [0, 400],
      [0, 3_000],
    ];
    await clock.steer();
    assert.ok(Math.abs(ahead(clock)) <= 1);
  });

  test('where even the first readings take long it is late, and never early', async () => {
    for (const way of [
      [500, 0],
      [0, 500],
      [250, 250],
    ] as [number, number][]) {
      ways = [way, way, way];
      const clock = await SteeredClock.start(read);
      assert.ok(ahead(clock) <= 0, `it is ${ahead(clock)} ms ahead`);
      assert.ok(ahead(clock) >= -501);
      assert.equal(clock.steerAgainMs, 250);
      await clock.steer();
      assert.ok(Math.abs(ahead(clock)) <= 1, 'and right with the first quick one');
      assert.equal(clock.steerAgainMs, 5_000);
    }
  });

  test('says how far the machine is ahead, and nothing that sets the machine moves it', async t => {
    const clock = await SteeredClock.start(read);
    const now = clock.now();
    t.mock.method(Date, 'now', () => now + 90_000);
    assert.equal(clock.now(), now);
    assert.equal(clock.machineAheadMs, 90_000);
  });
});
