import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isSessionLive,
  isUseWorthNoting,
  SESSION_IDLE_MS,
  SESSION_MS,
} from '../../src/domain/access/session.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;
const live = (createdAt: number, lastUsedAt: number, now: number) =>
  isSessionLive({ createdAt, lastUsedAt }, now);

test('a session counts for 12 h at most, and until 30 min after its last use', () => {
  assert.equal(live(NOON, NOON, NOON), true);
  assert.equal(live(NOON, NOON, NOON + SESSION_IDLE_MS - 1), true);
  assert.equal(live(NOON, NOON, NOON + SESSION_IDLE_MS), false);
  const end = NOON + SESSION_MS;
  assert.equal(live(NOON, end - 1, end - 1), true);
  assert.equal(live(NOON, end - 1, end), false);
});

test('one that begins ahead of the clock does not count, but for what clocks may differ', () => {
  assert.equal(live(NOON + MINUTE, NOON + MINUTE, NOON), true);
  assert.equal(live(NOON + MINUTE + 1, NOON + MINUTE + 1, NOON), false);
  assert.equal(live(Date.UTC(2030, 0), Date.UTC(2030, 0), NOON), false);
});

test('a use that was noted ahead of the clock makes it last no longer than 12 h', () => {
  assert.equal(live(NOON, NOON + SESSION_MS, NOON + SESSION_MS - 1), true);
  assert.equal(live(NOON, NOON + 2 * SESSION_MS, NOON + SESSION_MS), false);
});

test('a use is noted a minute after the one before, and where that was ahead of the clock', () => {
  const times = { createdAt: NOON, lastUsedAt: NOON };
  const worth = [0, MINUTE - 1, MINUTE, -MINUTE + 1, -MINUTE].map(ms =>
    isUseWorthNoting(times, NOON + ms),
  );
  assert.deepEqual(worth, [false, false, true, false, true]);
});
