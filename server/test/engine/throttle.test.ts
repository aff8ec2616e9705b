import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { DestinationLimits } from '../../src/domain/destination/destination.ts';
import { Throttle } from '../../src/engine/fairness/throttle.ts';
import { Throttles } from '../../src/engine/fairness/throttles.ts';
import { TokenBucket } from '../../src/engine/fairness/token-bucket.ts';

const SECOND = 1_000;
const START = Date.UTC(2026, 2, 1, 12);

/** How many start from `from` to `until`, asked every `everyMs`. */
function startedBetween(throttle: Throttle, from: number, until: number, everyMs = 10): number {
  let count = 0;
  for (let now = from; now < until; now += everyMs) {
    while (throttle.mayStart(now)) {
      throttle.start();
      throttle.end(true);
      count += 1;
    }
  }
  return count;
}

describe('a token bucket', () => {
  test('brings one second at once, and then its rate', () => {
    const bucket = new TokenBucket(10, START);
    const taken = (now: number) => {
      let count = 0;
      for (; bucket.has(now); count += 1) bucket.take();
      return count;
    };
    assert.deepEqual(
      [0, 99, 100, 1_000, 60_000].map(ms => taken(START + ms)),
      [10, 0, 1, 9, 10],
    );
  });

  test('says when the next one comes, and then it is there, at any rate', () => {
    for (const perSecond of [0.01, 0.3, 1, 3, 7, 1_000 / 3, 10_000]) {
      const bucket = new TokenBucket(perSecond, START);
      while (bucket.has(START)) bucket.take();
      let now = START;
      for (let round = 0; round < 100; round += 1) {
        const next = bucket.nextAt(now);
        assert.ok(next > now, `${perSecond} a second, at ${next - START} ms`);
        assert.ok(next - now === 1 || !bucket.has(next - 1), 'not before');
        assert.ok(bucket.has(next), `${perSecond} a second, at ${next - START} ms`);
        while (bucket.has(next)) bucket.take();
        now = next;
      }
    }
  });

  test('a clock that is set back brings nothing, and goes on from there', () => {
    const bucket = new TokenBucket(1, START);
    bucket.take();
    assert.equal(bucket.has(START - 60 * SECOND), false);
    assert.equal(bucket.has(START - 59 * SECOND), true);
  });

  test('never holds more than one second brings, also where the rate changes', () => {
    const bucket = new TokenBucket(100, START);
    bucket.setRate(2, START);
    let count = 0;
    for (; bucket.has(START); count += 1) bucket.take();
    assert.equal(count, 2);
    bucket.putBack();
    bucket.putBack();
    bucket.putBack();
    assert.equal(bucket.isFull(START), true);
  });
});

describe('a throttle', () => {
  let engines: number;
  const throttleOf = (limits: DestinationLimits) => {
    const throttle = new Throttle(() => engines);
    throttle.setLimits(limits, START);
    return throttle;
  };
  beforeEach(() => {
    engines = 1;
  });

  test('lets through what a second brings, after the first burst', () => {
    const throttle = throttleOf({ perSecond: 5 });
    assert.equal(startedBetween(throttle, START, START + 10 * SECOND), 5 + 49);
  });

  test('lets one through in 100 s at the least rate there is', () => {
    const throttle = throttleOf({ perSecond: 0.01 });
    assert.equal(startedBetween(throttle, START, START + 250 * SECOND, 500), 3);
    assert.equal(throttle.nextStartAt(START + 250 * SECOND), START + 300 * SECOND);
  });

  test('keeps as many in flight as it may, and waits for one to end', () => {
    const throttle = throttleOf({ maxConcurrent: 2 });
    for (const may of [true, true, false]) {
      assert.equal(throttle.mayStart(START), may);
      if (may) throttle.start();
    }
    assert.equal(throttle.nextStartAt(START), Number.POSITIVE_INFINITY);
    throttle.end(true);
    assert.equal(throttle.mayStart(START), true);
  });

  test('both hold where both are set', () => {
    const throttle = throttleOf({ maxConcurrent: 1, perSecond: 2 });
    throttle.start();
    assert.equal(throttle.isOpen(START), false);
    throttle.end(true);
    throttle.start();
    throttle.end(true);
    assert.equal(throttle.isOpen(START), false);
    assert.equal(throttle.nextStartAt(START), START + 500);
  });

  test('a request that was never sent does not count', () => {
    const throttle = throttleOf({ perSecond: 1 });
    for (let round = 0; round < 10; round += 1) {
      assert.equal(throttle.mayStart(START), true);
      throttle.start();
      throttle.end(false);
    }
  });

  test('takes its share where several engines live: of slots rounded up, of the rate exactly', () => {
    engines = 3;
    const slots = throttleOf({ maxConcurrent: 4 });
    slots.start();
    assert.equal(slots.isOpen(START), true);
    slots.start();
    assert.equal(slots.isOpen(START), false);
    const rate = throttleOf({ perSecond: 30 });
    assert.equal(startedBetween(rate, START, START + 10 * SECOND), 10 + 99);
  });

  test('limits that change count at once', () => {
    const throttle = throttleOf({ maxConcurrent: 1 });
    throttle.start();
    throttle.setLimits({ maxConcurrent: 2 }, START);
    assert.equal(throttle.isOpen(START), true);
    throttle.setLimits({ perSecond: 1 }, START);
    throttle.start();
    assert.equal(throttle.isOpen(START), false);
    engines = 4;
    assert.equal(throttle.isOpen(START), false);
    assert.equal(throttle.isOpen(START + 3_999), false);
    assert.equal(throttle.isOpen(START + 4_000), true);
  });

  test('keeps what it gets through in 5 s, and postpones each of the others to about its turn', () => {
    const throttle = throttleOf({ perSecond: 2 });
    startedBetween(throttle, START, START + 1);
    throttle.beginSecond(START, true);
    assert.equal(throttle.surplus(START, 13), 3);
    const dues = [0, 1, 2].map(() => throttle.postpone(START) - START);
    assert.deepEqual(dues, [5_000, 5_500, 6_000]);
    assert.equal(throttle.postponedCount(START), 3);
    assert.equal(throttle.postponedCount(START + 5_500), 1);
  });

  test('looks at each again within half a minute, however slow it is', () => {
    const throttle = throttleOf({ perSecond: 0.01 });
    startedBetween(throttle, START, START + 1);
    assert.equal(throttle.surplus(START, 1), 1);
    assert.equal(throttle.postpone(START), START + 30 * SECOND);
  });

  test('where all slots are taken, keeps by how many requests ended in the last seconds', () => {
    const throttle = throttleOf({ maxConcurrent: 2 });
    throttle.start();
    throttle.start();
    throttle.beginSecond(START, true);
    assert.equal(throttle.surplus(START, 100), 0, 'nothing is known of the last second');
    for (let ended = 0; ended < 3; ended += 1) {
      throttle.end(true);
      throttle.start();
    }
    throttle.beginSecond(START, false);
    assert.equal(throttle.surplus(START, 100), 74);
    for (let second = 0; second < 5; second += 1) throttle.beginSecond(START, false);
    assert.equal(throttle.surplus(START, 100), 98, 'as many as there are slots at least');
    assert.equal(throttle.postpone(START), START + 5 * SECOND);
  });

  test('is not full: nothing is in excess', () => {
    assert.equal(throttleOf({ maxConcurrent: 1, perSecond: 1 }).surplus(START, 1_000), 0);
  });
});

describe('throttles', () => {
  test('one for each destination of each client', () => {
    const throttles = new Throttles();
    const one = throttles.of(1, 'a', { perSecond: 1 }, START);
    assert.equal(throttles.of(1, 'a', { perSecond: 1 }, START), one);
    assert.notEqual(throttles.of(1, 'b', { perSecond: 1 }, START), one);
    assert.notEqual(throttles.of(2, 'a', { perSecond: 1 }, START), one);
  });

  test('those that rest are forgotten when there are many, and no other', () => {
    const throttles = new Throttles();
    const busy = throttles.of(1, 'busy', { perSecond: 0.01 }, START);
    busy.mayStart(START);
    busy.start();
    for (let n = 0; n < 5_000; n += 1) throttles.of(1, `${n}`, { perSecond: 1 }, START + SECOND);
    assert.ok(throttles.size < 2_500, `${throttles.size}`);
    assert.equal(throttles.of(1, 'busy', { perSecond: 0.01 }, START + SECOND), busy);
  });

  test('an engine that is not seen counts for some looks: after an outage nobody is seen at first', () => {
    const throttles = new Throttles();
    throttles.noteEngines(3);
    const throttle = throttles.of(1, 'a', { maxConcurrent: 3 }, START);
    const slots = () => {
      let count = 0;
      for (; throttle.isOpen(START); count += 1) throttle.start();
      for (let left = count; left > 0; left -= 1) throttle.end(true);
      return count;
    };
    assert.equal(slots(), 1);
    for (let look = 0; look < 4; look += 1) throttles.noteEngines(1);
    assert.equal(slots(), 1);
    throttles.noteEngines(1);
    assert.equal(slots(), 3);
  });

  test('says that a limit held a time back, while it knows', () => {
    const throttles = new Throttles();
    const throttle = throttles.of(1, 'billing', { perSecond: 1 }, START);
    startedBetween(throttle, START, START + 1);
    const why = (since: number) => throttles.whyHeldBack(1, 'billing', since);
    assert.equal(why(START), 'it waited for the limits of the destination "billing"');
    assert.equal(why(START + 1), null);
    assert.equal(throttles.whyHeldBack(2, 'billing', START), null);
  });
});
