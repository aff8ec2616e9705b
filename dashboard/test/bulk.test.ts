import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schedule } from '@punctual/client';
import { type Bulk, type Progress, patchesBack, runBulk } from '../src/board/bulk.ts';

const schedules = Array.from(
  { length: 2_530 },
  (_, index) =>
    ({ id: `s${index}`, status: index % 10 === 0 ? 'disabled' : 'enabled' }) as Schedule,
);

/** @param failAt the patch that is refused: the first is 1 */
function aBulk(failAt = Number.POSITIVE_INFINITY) {
  const patched: string[][] = [];
  const bulk: Bulk = {
    async page(cursor) {
      const from = Number(cursor ?? 0);
      const nextCursor = from + 100 < schedules.length ? { nextCursor: String(from + 100) } : {};
      return { items: schedules.slice(from, from + 100), ...nextCursor };
    },
    isToChange: ({ status }) => status === 'enabled',
    async patch(ids) {
      if (patched.length + 1 === failAt) throw new Error('refused');
      patched.push(ids);
    },
  };
  return { bulk, patched };
}

const quiet = new AbortController().signal;

test('all that a filter finds are changed, a thousand at a time, and the rest is left alone', async () => {
  const { bulk, patched } = aBulk();
  const told: Progress[] = [];
  const { done, left, error } = await runBulk(bulk, quiet, progress => told.push(progress));
  assert.deepEqual(
    patched.map(({ length }) => length),
    [1_000, 1_000, 277],
  );
  assert.deepEqual([done.length, left, error], [2_277, 0, undefined]);
  assert.ok(!patched.flat().includes('s10'), 'one that is paused already');
  assert.deepEqual(told[0], { found: 100, of: null, done: 0 });
  assert.deepEqual(told.at(-1), { found: 2_530, of: 2_277, done: 2_000 });
});

test('a failure in the middle says what was done, and what was not', async () => {
  const { bulk } = aBulk(2);
  const { done, left, error } = await runBulk(bulk, quiet, () => {});
  assert.deepEqual([done.length, left, (error as Error).message], [1_000, 1_277, 'refused']);
});

test('it is cancelled before the next request; before the first nothing is changed', async () => {
  const { bulk, patched } = aBulk();
  const stop = new AbortController();
  const second = await runBulk(bulk, stop.signal, ({ done }) => {
    if (done === 1_000) stop.abort();
  });
  assert.deepEqual([second.done.length, second.left, second.error], [2_000, 277, undefined]);
  const early = new AbortController();
  early.abort();
  const none = await runBulk(bulk, early.signal, () => {});
  assert.deepEqual([none.done.length, patched.length], [0, 2]);
});

test('an undo brings each schedule back to what it was', () => {
  const snoozed = schedules.map((schedule, index) => ({
    ...schedule,
    ...(index < 3 && { pausedUntil: '2026-06-01T00:00:00.000Z' }),
  }));
  const patches = patchesBack(snoozed.slice(0, 1_500), 'pausedUntil');
  assert.deepEqual(
    patches.map(({ ids, patch }) => [ids.length, patch]),
    [
      [3, { pausedUntil: '2026-06-01T00:00:00.000Z' }],
      [1_000, { pausedUntil: null }],
      [497, { pausedUntil: null }],
    ],
  );
  assert.deepEqual(patchesBack(schedules.slice(1, 3), 'status'), [
    { ids: ['s1', 's2'], patch: { status: 'enabled' } },
  ]);
});
