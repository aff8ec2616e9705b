import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmClaims } from '../../src/engine/delivery/confirm-claims.ts';
import type { FiringJob } from '../../src/engine/delivery/job.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const firing = (scheduleRowId: number, agoMs: number) =>
  ({ kind: 'schedule', claim: { scheduleRowId, claimedAt: NOW - agoMs } }) as FiringJob;
const fresh = firing(1, 100);
const [held, dropped] = [firing(2, 101), firing(3, 101)];

/** @param leaseDeadline undefined: the store is of one node */
function sources(leaseDeadline?: never) {
  const asked: string[] = [];
  return {
    asked,
    leaseDeadline,
    downtime: { agreed: async () => void asked.push('others') },
    queue: {
      async confirm(claims: { scheduleRowId: number }[]) {
        asked.push(`claims ${claims.map(({ scheduleRowId }) => scheduleRowId)}`);
        return [2];
      },
    },
  };
}
const SHARED = {} as never;

test('a node asks first whether others looked, and then about old claims', async () => {
  const shared = sources(SHARED);
  const isConfirmed = await confirmClaims([fresh, held, dropped], NOW, shared);
  assert.deepEqual(shared.asked, ['others', 'claims 2,3']);
  assert.deepEqual([fresh, held, dropped].map(isConfirmed), [true, true, false]);
});

test('claims that are fresh are not asked about', async () => {
  const shared = sources(SHARED);
  const isConfirmed = await confirmClaims([fresh], NOW, shared);
  assert.deepEqual(shared.asked, ['others']);
  assert.ok(isConfirmed(fresh));
});

test('a node with a store of its own asks nobody', async () => {
  const own = sources();
  const isConfirmed = await confirmClaims([dropped], NOW, own);
  assert.deepEqual(own.asked, []);
  assert.ok(isConfirmed(dropped));
});
