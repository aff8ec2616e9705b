import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRulesSeen, markRulesSeen } from '../src/frame/seen-rules.ts';
import { stateOf, tagText } from '../src/schedule/schedule-state.ts';

const now = Date.parse('2026-11-24T12:00:00Z');

test('a schedule is snoozed until its pause ends, and completed only where the service ended it', () => {
  const pausedUntil = '2026-11-24T12:00:01.000Z';
  assert.equal(stateOf({ status: 'enabled' }, now), 'enabled');
  assert.equal(stateOf({ status: 'enabled', pausedUntil }, now), 'snoozed');
  assert.equal(stateOf({ status: 'enabled', pausedUntil }, now + 1_000), 'enabled');
  assert.equal(stateOf({ status: 'disabled', pausedUntil }, now), 'disabled');
  assert.equal(stateOf({ status: 'disabled', statusReason: 'completed' }, now), 'completed');
  assert.equal(stateOf({ status: 'deleted', statusReason: 'completed' }, now), 'deleted');
  assert.equal(stateOf({ status: 'disabled', statusReason: 'targetGone' }, now), 'targetGone');
});

test('a tag without a value is its key', () => {
  assert.deepEqual([tagText(['team', 'billing']), tagText(['eu', ''])], ['team:billing', 'eu']);
});

test('a report of zones stays closed for its release only, and a browser without storage shows it', () => {
  const kept = new Map<string, string>();
  const shelf = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  markRulesSeen('2026f', shelf);
  assert.deepEqual(
    ['2026f', '2026g'].map(each => isRulesSeen(each, shelf)),
    [true, false],
  );
  const broken = {
    getItem: () => {
      throw new Error('There is no storage.');
    },
    setItem: () => {
      throw new Error('There is no storage.');
    },
  };
  markRulesSeen('2026f', broken);
  assert.equal(isRulesSeen('2026f', broken), false);
});
