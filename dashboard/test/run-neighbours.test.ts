import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run, RunQuery } from '@punctual/client';
import fc from 'fast-check';
import { neighboursOf } from '../src/run/run-neighbours.ts';

const START = Date.UTC(2026, 0, 1);

/** A list as the service answers it: newest first, 100 at most. */
function service(times: number[]) {
  const runs = [...times]
    .sort((a, b) => b - a)
    .map(at => ({ id: String(at), scheduledFor: new Date(START + at).toISOString() }) as Run);
  let looks = 0;
  const list = async ({ from, to, limit = 20 }: RunQuery) => {
    looks += 1;
    const found = runs.filter(
      ({ scheduledFor }) =>
        (from === undefined || scheduledFor >= from) && (to === undefined || scheduledFor < to),
    );
    const isMore = found.length > limit;
    return { items: found.slice(0, limit), ...(isMore && { nextCursor: 'x' }) };
  };
  const around = (at: number, now: number) => {
    const scheduledFor = new Date(START + at).toISOString();
    return neighboursOf(list, { scheduleId: 's', scheduledFor }, START + now);
  };
  return { around, looks: () => looks };
}

test('the neighbours of a run are the nearest, whatever lies between', async () => {
  const times = fc.uniqueArray(
    fc.oneof(
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 0, max: 3_600_000 }),
      fc.integer({ min: 0, max: 60 * 86_400_000 }),
    ),
    { minLength: 1, maxLength: 400 },
  );
  await fc.assert(
    fc.asyncProperty(times, fc.nat(), async (all, which) => {
      const at = all[which % all.length]!;
      const found = await service(all).around(at, 61 * 86_400_000);
      const before = Math.max(...all.filter(time => time < at));
      const after = Math.min(...all.filter(time => time > at));
      assert.deepEqual(found, {
        ...(Number.isFinite(before) && { before: String(before) }),
        ...(Number.isFinite(after) && { after: String(after) }),
      });
    }),
  );
});

test('among 5,000 runs of every second, two looks are enough', async () => {
  const { around, looks } = service(Array.from({ length: 5_000 }, (_, n) => n * 1_000));
  assert.deepEqual(await around(2_000_000, 5_000_000), { before: '1999000', after: '2001000' });
  assert.equal(looks(), 2);
});
