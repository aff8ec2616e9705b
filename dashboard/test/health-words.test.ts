import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecentOutcome, ScheduleHealth } from '@punctual/client';
import {
  badInARow,
  countdown,
  inARowText,
  shareText,
  stripText,
  totalText,
} from '../src/board/health-words.ts';
import { forgetView, keepView, keptViews } from '../src/board/kept-views.ts';

const STATUSES = { s: 'succeeded', f: 'failed', k: 'skipped', m: 'missed' } as const;
const outcomes = (letters: string): RecentOutcome[] =>
  [...letters].map((letter, index) => ({
    id: String(index),
    status: STATUSES[letter as keyof typeof STATUSES],
    scheduledFor: '2026-06-01T00:00:00.000Z',
  }));

test('a strip is told in words, and failures in a row with a plus where there may be more', () => {
  assert.equal(stripText(outcomes('ssfs')), 'Last 4: 3 succeeded, 1 failed');
  assert.equal(stripText([]), 'It has not run yet');
  assert.equal(badInARow(outcomes('fkmsf')), 2);
  assert.equal(inARowText(outcomes('fs')), null);
  assert.equal(inARowText(outcomes('ffs')), '2 in a row');
  assert.equal(inARowText(outcomes('fff')), '3 in a row');
  assert.equal(inARowText(outcomes('kfmks')), 'after 2 failures');
  assert.equal(inARowText(outcomes('f'.repeat(30))), '30+ in a row');
});

test('a share is never rounded to all or to none', () => {
  const share = (succeeded24h: number, ended24h: number) =>
    shareText({ succeeded24h, ended24h } as ScheduleHealth);
  assert.deepEqual(
    [share(0, 0), share(5, 5), share(9_999, 10_000), share(1, 10_000), share(0, 9), share(2, 3)],
    [null, '100 %', '99.9 %', '0.1 %', '0 %', '67 %'],
  );
});

test('a countdown ends at its time, and a total says whether it is exact', () => {
  const now = Date.parse('2026-06-01T00:00:00Z');
  assert.equal(countdown('2026-06-01T00:00:12Z', now), 'in 12 s');
  assert.equal(countdown('2026-05-31T23:59:59Z', now), 'now');
  assert.equal(totalText({ count: 1, isExact: true }), '1 schedule');
  assert.equal(totalText({ count: 10_000, isExact: false }), '10,000+ schedules');
});

test('views are kept by their names for one client, and a broken shelf has none', () => {
  const kept = new Map<string, string>();
  const shelf = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  keepView('a', { name: 'b', search: 'sort=worst' }, shelf);
  keepView('a', { name: 'a', search: 'status=disabled' }, shelf);
  keepView('a', { name: 'b', search: 'sort=next' }, shelf);
  assert.deepEqual(keptViews('a', shelf), [
    { name: 'a', search: 'status=disabled' },
    { name: 'b', search: 'sort=next' },
  ]);
  assert.deepEqual(keptViews('other', shelf), []);
  assert.deepEqual(
    forgetView('a', 'a', shelf).map(({ name }) => name),
    ['b'],
  );
  kept.set('punctual views a', '{"no":1}');
  assert.deepEqual(keptViews('a', shelf), []);
  kept.set('punctual views a', 'nonsense');
  assert.deepEqual(keptViews('a', shelf), []);
});
