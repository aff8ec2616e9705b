import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DowntimeDetector } from '../../src/engine/services/downtime.ts';

const SECOND = 1_000;

describe('a gap in which nobody looked', () => {
  test('ends where this process looks again, where it has the store for itself', () => {
    const gaps: number[][] = [];
    const watch = new DowntimeDetector(0, (...gap) => gaps.push(gap));
    for (let now = 0; now <= 20 * SECOND; now += 5 * SECOND) watch.look(now);
    assert.equal(watch.unseenUntil, 0);
    watch.look(25 * SECOND + 1);
    assert.equal(watch.unseenUntil, 25 * SECOND + 1);
    assert.deepEqual(gaps, [[20 * SECOND, 25 * SECOND + 1]]);
  });

  test('tells when this process had looked before, as far as the clock is not set back behind it', () => {
    const watch = new DowntimeDetector(2 * SECOND, () => {});
    for (let now = 2 * SECOND; now <= 20 * SECOND; now += SECOND) watch.look(now);
    assert.equal(watch.unseen.awake, undefined);
    watch.look(30 * SECOND);
    const first = { from: 2 * SECOND, until: 20 * SECOND };
    assert.deepEqual(watch.unseen.awake, [first]);
    watch.look(40 * SECOND);
    assert.deepEqual(watch.unseen.awake, [first, { from: 30 * SECOND, until: 30 * SECOND }]);
    watch.look(25 * SECOND);
    assert.deepEqual(watch.unseen.awake, [first]);
    watch.look(12 * SECOND);
    assert.deepEqual(watch.unseen.awake, [{ ...first, until: 12 * SECOND }]);
  });

  test('is over where the clock is set back: what comes from then on is seen', () => {
    const watch = new DowntimeDetector(7_200 * SECOND, () => {});
    watch.look(7_201 * SECOND);
    watch.look(3_600 * SECOND);
    assert.equal(watch.unseenUntil, 3_600 * SECOND);
    watch.look(3_601 * SECOND);
    assert.equal(watch.unseenUntil, 3_600 * SECOND);
  });
});

/** A node on a store that others share; `answer` is what they agree on. */
function shared(now: number) {
  const gaps: number[][] = [];
  const told: number[] = [];
  const node = { answer: (since: number): Promise<number> => Promise.resolve(since), gaps, told };
  const watch = new DowntimeDetector(
    now,
    (...gap) => gaps.push(gap),
    since => {
      told.push(since);
      return node.answer(since);
    },
  );
  return { node, watch };
}

describe('a gap in which this node did not look, and others did', () => {
  test('is none: neither for one that joins nor for one that wakes', async () => {
    const { node, watch } = shared(100 * SECOND);
    node.answer = () => Promise.resolve(7 * SECOND);
    await watch.agreed();
    assert.equal(watch.unseenUntil, 7 * SECOND);
    watch.look(101 * SECOND);
    watch.look(150 * SECOND);
    await watch.agreed();
    assert.equal(watch.unseenUntil, 7 * SECOND);
    assert.equal(watch.unseen.awake, undefined);
    assert.deepEqual(node.gaps, []);
  });

  test('is one until when none of them looked', async () => {
    const { node, watch } = shared(0);
    await watch.agreed();
    node.answer = () => Promise.resolve(40 * SECOND);
    watch.look(60 * SECOND);
    await watch.agreed();
    assert.equal(watch.unseenUntil, 40 * SECOND);
    assert.deepEqual(node.gaps, [[0, 40 * SECOND]]);
    assert.deepEqual(watch.unseen.awake, [{ from: 0, until: 0 }]);
  });

  test('is not decided about before the store has answered for it', async () => {
    const { node, watch } = shared(0);
    await watch.agreed();
    const before = Promise.withResolvers<number>();
    node.answer = () => before.promise;
    watch.look(2 * SECOND);
    watch.look(60 * SECOND);
    assert.equal(watch.unseenUntil, 0);
    const agreed = watch.agreed();
    node.answer = since => Promise.resolve(since);
    before.resolve(0);
    await agreed;
    assert.equal(watch.unseenUntil, 60 * SECOND, 'the first answer was of before the gap');
    node.answer = () => Promise.reject(new Error('away'));
    watch.look(120 * SECOND);
    await assert.rejects(watch.agreed());
    assert.equal(watch.unseenUntil, 60 * SECOND);
  });

  test('the others are told once a second since when this one has looked, also when nothing is asked', async () => {
    const { node, watch } = shared(0);
    for (let now = 0; now < 5 * SECOND; now += 250) {
      watch.look(now);
      await new Promise(setImmediate);
    }
    assert.deepEqual(node.told, [0, 0, 0, 0, 0]);
    watch.look(60 * SECOND);
    assert.deepEqual(node.told.at(-1), 60 * SECOND);
    await watch.agreed();
  });
});
