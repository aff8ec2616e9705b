import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { comparedInTurn, twiceAMinute } from '../../bench/rounds.ts';

const roundsOf = (...rates: number[]) => ({ rounds: rates.map(perSecond => ({ perSecond })) });

describe('several that take turns', () => {
  test('a machine that is twice as fast in one turn makes none of them faster than the others', () => {
    assert.deepEqual(comparedInTurn([roundsOf(100, 200, 50), roundsOf(100, 200, 50)]), [1, 1]);
  });

  test('one that is slower in each turn is so by as much in the mean', () => {
    assert.deepEqual(comparedInTurn([roundsOf(90, 180), roundsOf(110, 220)]), [0.9, 1.1]);
  });

  test('each has its own second of every half minute', () => {
    assert.deepEqual(twiceAMinute(9), {
      interval: '9,39 * * * * *',
      everyMs: 30_000,
      offsetMs: 9_000,
    });
  });
});
