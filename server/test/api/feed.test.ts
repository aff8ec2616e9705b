import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventFeed } from '../../src/api/events/feed.ts';
import type { StatsStore } from '../../src/store/contract/stats.ts';
import { ManualClock } from '../support/clock.ts';

const NOON = Date.UTC(2026, 5, 1, 12);

/** A run that ended a moment ago and is written a moment later. */
const LATE = {
  id: '01a1fab2-4d00-7c3e-9a51-64f7c2a1b083',
  scheduleId: '01a1faac-acec-77cd-97c5-0fd16a7f4646',
  scheduledFor: NOON - 200,
  trigger: 'schedule',
  status: 'succeeded',
  attempts: [],
  endedAt: NOON - 100,
};

async function heard(lastEventId?: string): Promise<number> {
  const clock = new ManualClock(NOON);
  let isWritten = false;
  const store = {
    endedSince: async (_: number, after: number) =>
      isWritten && LATE.endedAt > after ? [LATE] : [],
    changedSince: async () => [],
    breakersSince: async () => [],
  } as unknown as StatsStore;
  const schedules = { names: async () => [] };
  const feed = new EventFeed({ stats: store, schedules }, clock, error =>
    assert.fail(String(error)),
  );
  let count = 0;
  const known = lastEventId === undefined ? undefined : [lastEventId];
  const leave = feed.join(1, events => (count += events.length), known);
  isWritten = true;
  await clock.advance(8_000);
  leave();
  return count;
}

test('who comes back is told once of what ended before that and is written after it', async () => {
  assert.equal(await heard(`${NOON - 2_000}-x`), 1);
});

test('who comes for the first time is not', async () => {
  assert.equal(await heard(), 0);
});
