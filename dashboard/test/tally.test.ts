import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachId, refusalText } from '../src/change/tally.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

test('a failure in the middle keeps nothing else from being done, and is told with its name', async () => {
  const tally = await forEachId(
    ids(20),
    async id => {
      if (id === 'id-7') throw new Error('It is locked.');
    },
    { atOnce: 8 },
  );
  assert.equal(tally.done.length, 19);
  assert.deepEqual(
    tally.refused.map(({ id }) => id),
    ['id-7'],
  );
});

test('no more than asked for are under way at once', async () => {
  let [now, most] = [0, 0];
  await forEachId(
    ids(30),
    async () => {
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      now -= 1;
    },
    { atOnce: 8 },
  );
  assert.equal(most, 8);
});

test('what has not begun when it is undone does not begin', async () => {
  const stop = new AbortController();
  const begun: string[] = [];
  const work = async (id: string) => {
    begun.push(id);
    if (begun.length === 3) stop.abort();
  };
  const { done } = await forEachId(ids(10), work, { atOnce: 1, signal: stop.signal });
  assert.deepEqual([begun, done], [ids(3), ids(3)]);
});

test('requests about one schedule leave in the order in which they were asked for', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = forEachId(['one'], () => promise.then(() => order.push('pause')), { atOnce: 8 });
  const second = forEachId(['one'], async () => order.push('resume'), { atOnce: 8 });
  const other = forEachId(['other'], async () => order.push('other'), { atOnce: 8 });
  await other;
  resolve();
  await Promise.all([first, second]);
  assert.deepEqual(order, ['other', 'pause', 'resume']);
});

test('a message names what was not done, and why, once for each reason', () => {
  const text = (count: number, reason: (index: number) => string) =>
    refusalText(
      ids(count).map((id, index) => ({ id, error: reason(index) })),
      'paused',
      id => id.toUpperCase(),
      String,
    );
  assert.equal(
    text(1, () => 'It is gone.'),
    'ID-0 was not paused. It is gone.',
  );
  assert.equal(
    text(5, () => 'It is gone.'),
    'ID-0, ID-1, ID-2 and 2 more were not paused. It is gone.',
  );
  assert.equal(
    text(2, index => (index === 0 ? 'It is gone.' : 'It is locked.')),
    'ID-0 was not paused. It is gone. ID-1 was not paused. It is locked.',
  );
});
