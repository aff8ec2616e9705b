import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pause } from '@punctual/client';
import { pauseAfter, type SeenPause } from '../src/frame/pause.ts';

const since = '2026-11-22T12:00:00.000Z';
const ofNode: Pause = { since, by: 'setting' };
const ofAll: Pause = { since, by: 'command' };

const after = (before: SeenPause | null, told: Pause | undefined, now: number) =>
  pauseAfter(before, told, now)?.by ?? null;

test('a pause of all nodes is gone with the first answer that knows none', () => {
  const seen = pauseAfter(null, ofAll, 0);
  assert.deepEqual(seen, { ...ofAll, seenAt: 0 });
  assert.equal(after(seen, undefined, 3_000), null);
});

test('a pause of one node stays while a balancer leads the page to others in between', () => {
  const seen = pauseAfter(null, ofNode, 0);
  assert.equal(after(seen, undefined, 3_000), 'setting');
  assert.equal(after(seen, undefined, 10_000), null);
  assert.equal(after(seen, ofAll, 3_000), 'command');
});
