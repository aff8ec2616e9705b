import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Loop } from '../../src/engine/loop.ts';
import { DowntimeDetector } from '../../src/engine/services/downtime.ts';
import { ManualClock } from '../support/clock.ts';

const START = Date.UTC(2026, 2, 1);

/** As many queue of the microtask queue as a chain of that many awaits takes. */
async function microtasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await null;
}

describe('a loop', () => {
  test('hears who wakes it, whenever in the end of a step that is', async () => {
    for (let queue = 0; queue < 20; queue += 1) {
      let steps = 0;
      const loop = new Loop(
        new ManualClock(START),
        async () => {
          steps += 1;
          if (steps === 1) void microtasks(queue).then(() => loop.wake());
          return null;
        },
        error => assert.fail(String(error)),
      );
      loop.start();
      await microtasks(100);
      assert.equal(steps, 2, `woken after ${queue} queue`);
      await loop.stop();
    }
  });

  test('that failed waits for a moment, also where it was woken meanwhile', async () => {
    const clock = new ManualClock(START);
    const failures: unknown[] = [];
    const loop = new Loop(
      clock,
      async () => {
        loop.wake();
        throw new Error('away');
      },
      error => failures.push(error),
    );
    loop.start();
    await microtasks(100);
    assert.equal(failures.length, 1);
    await clock.advance(249);
    assert.equal(failures.length, 1);
    await clock.advance(1);
    assert.equal(failures.length, 2);
    await loop.stop();
  });

  test('whose clock is set back does not wait for that hour to come again', async () => {
    const clock = new ManualClock(START);
    let steps = 0;
    const loop = new Loop(
      clock,
      async () => {
        steps += 1;
        return clock.now() + 600_000;
      },
      error => assert.fail(String(error)),
    );
    loop.start();
    await clock.advance(60_000);
    await clock.jump(START - 3_600_000);
    await clock.advance(539_000);
    assert.equal(steps, 1);
    await clock.advance(3_000);
    assert.equal(steps, 2);
    await loop.stop();
  });

  test('looks at the clock while its step waits for the store: that is no downtime', async () => {
    const clock = new ManualClock(START);
    const gaps: number[][] = [];
    const downtime = new DowntimeDetector(START, (...gap) => gaps.push(gap));
    const store = Promise.withResolvers<null>();
    let looks = 0;
    const loop = new Loop(
      clock,
      () => store.promise,
      error => assert.fail(String(error)),
      now => {
        looks += 1;
        downtime.look(now);
      },
    );
    loop.start();
    await clock.advance(20_000);
    store.resolve(null);
    await clock.advance(1_000);
    assert.deepEqual(gaps, []);
    assert.equal(downtime.unseenUntil, START);
    const stopped = loop.stop();
    const before = looks;
    await clock.advance(10_000);
    await stopped;
    assert.equal(looks, before, 'it still looks');
  });

  test('that is stopped during a step looks no more', async () => {
    const clock = new ManualClock(START);
    const store = Promise.withResolvers<null>();
    let looks = 0;
    const loop = new Loop(
      clock,
      () => store.promise,
      error => assert.fail(String(error)),
      () => {
        looks += 1;
      },
    );
    loop.start();
    const stopped = loop.stop();
    const before = looks;
    await clock.advance(10_000);
    assert.equal(looks, before);
    store.resolve(null);
    await stopped;
  });

  test('steps no more once it is stopped, and stops when its step has ended', async () => {
    let end = () => {};
    let steps = 0;
    const loop = new Loop(
      new ManualClock(START),
      async () => {
        steps += 1;
        await new Promise<void>(resolve => {
          end = resolve;
        });
        return 0;
      },
      error => assert.fail(String(error)),
    );
    loop.start();
    let hasStopped = false;
    const stopped = loop.stop().then(() => {
      hasStopped = true;
    });
    await microtasks(20);
    assert.equal(hasStopped, false);
    end();
    await stopped;
    loop.wake();
    await microtasks(20);
    assert.equal(steps, 1);
  });
});
