import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToldTexts } from '../src/form/editor/told-texts.ts';

test('a text that comes back after the next key does not take the place of the editor’s', () => {
  const told = new ToldTexts('');
  assert.deepEqual([told.typed('a'), told.typed('ab')], [true, true]);
  assert.deepEqual([told.came('a'), told.came('ab')], [false, false]);
});

test('of several keys only the last text may come back', () => {
  const told = new ToldTexts('');
  told.typed('a');
  told.typed('ab');
  assert.equal(told.came('ab'), false);
  assert.equal(told.came('a'), true);
});

test('another text takes its place, and is not told again', () => {
  const told = new ToldTexts('a');
  told.typed('ab');
  assert.equal(told.came('pasted'), true);
  assert.equal(told.typed('pasted'), false);
  assert.equal(told.typed('pasted!'), true);
});

test('a key that is taken back at once is told as well', () => {
  const told = new ToldTexts('a');
  assert.deepEqual([told.typed('ab'), told.typed('a')], [true, true]);
});
