import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedTogether } from '../src/schedule/asked-together.ts';

const answered = (asked: string[][]) => (intervals: string[]) => {
  asked.push(intervals);
  return Promise.resolve({
    items: intervals.map(interval => ({ interval, words: `words of ${interval}` })),
  });
};

test('intervals of one moment are asked for at once, each one time', async () => {
  const asked: string[][] = [];
  const wordsOf = askedTogether(answered(asked));
  const words = await Promise.all(['a', 'b', 'a'].map(wordsOf));
  assert.deepEqual(words, ['words of a', 'words of b', 'words of a']);
  assert.deepEqual(asked, [['a', 'b']]);
  assert.equal(await wordsOf('c'), 'words of c');
  assert.deepEqual(asked[1], ['c']);
});

test('a question holds 100 intervals at most', async () => {
  const asked: string[][] = [];
  const wordsOf = askedTogether(answered(asked));
  await Promise.all(Array.from({ length: 230 }, (_, index) => wordsOf(`${index}`)));
  assert.deepEqual(
    asked.map(({ length }) => length),
    [100, 100, 30],
  );
});

test('a refusal reaches everybody who asked, and the next one asks again', async () => {
  let isAway = true;
  const asked: string[][] = [];
  const wordsOf = askedTogether(intervals =>
    isAway ? Promise.reject(new Error('away')) : answered(asked)(intervals),
  );
  const both = await Promise.allSettled([wordsOf('a'), wordsOf('b')]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isAway = false;
  assert.equal(await wordsOf('a'), 'words of a');
});
