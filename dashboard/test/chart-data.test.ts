import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf, decadesIn, paddedRange, powersOfTen } from '../src/chart/chart-data.ts';

test('bars stand on each other, lines do not', () => {
  const bars = (values: (number | null)[]) => ({ kind: 'bars' as const, values });
  assert.deepEqual(barsOf([bars([1, 2]), bars([3, null])], false), [
    [1, 2],
    [4, 2],
  ]);
  const line = { kind: 'line' as const, values: [0, 5, null] };
  assert.deepEqual(barsOf([line, line], false), [line.values, line.values]);
  assert.deepEqual(barsOf([line], true), [[1, 5, null]], 'less than 1 has no place on it');
});

test('the bars of the first and the last minute are whole', () => {
  assert.deepEqual(paddedRange(60, 3_600), [30, 3_630]);
});

test('a scale of powers of ten has a decade at least', () => {
  assert.deepEqual(powersOfTen(3, 4_000), [1, 10_000]);
  assert.deepEqual(powersOfTen(10, 10), [10, 100]);
  assert.deepEqual(powersOfTen(0, 0), [1, 10]);
  assert.deepEqual(decadesIn(1, 10_000), [1, 10, 100, 1_000, 10_000]);
});
