import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DueQueue } from '../../src/engine/delivery/due-queue.ts';
import {
  ConcurrencyLimits,
  type HostState,
  originOf,
} from '../../src/engine/fairness/concurrency.ts';
import type { FairItem } from '../../src/engine/fairness/fair-queue.ts';
import type { LinkedItem } from '../../src/engine/fairness/linked-list.ts';

/** Jobs that wait for one host: how many claims they cost, and whether slots are free meanwhile. */

interface Waiting extends FairItem, LinkedItem<Waiting> {
  dueAt: number;
  host: HostState | null;
}

const TICK_MS = 50;
const POSTPONED_MS = 5_000;

const waiting = (dueAt: number): Waiting => ({
  kind: 'schedule',
  clientRowId: 1,
  origin: originOf('https://a.example'),
  dueAt,
  host: null,
  list: null,
  previous: null,
  next: null,
});

/** @returns also when the last request ended, and for how many ms of slots nothing followed although jobs were postponed */
function sendAll(jobs: number, slots: number, lengthOf: (index: number) => number) {
  const breakers = { opened() {}, closed() {}, forgotten() {} };
  const limits = new ConcurrencyLimits({
    maxInFlight: 2_000,
    maxInFlightPerHost: slots,
    breakers,
  });
  const queue = new DueQueue<Waiting>();
  queue.addAll(Array.from({ length: jobs }, () => waiting(0)));
  const room = () => limits.room('schedule');
  const acquire = (job: Waiting) => {
    job.host = limits.acquire(job, room());
    return job.host !== null;
  };
  let flying: { host: HostState; until: number }[] = [];
  let postponed: number[] = [];
  let [started, claims, idleMs, now, lookAt] = [0, jobs, 0, 0, 0];
  for (; started < jobs || flying.length > 0; now += TICK_MS) {
    for (const { host, until } of flying)
      if (until <= now) limits.release('schedule', host, 'response', now);
    flying = flying.filter(({ until }) => until > now);
    const back = postponed.filter(dueAt => dueAt <= now);
    postponed = postponed.filter(dueAt => dueAt > now);
    claims += back.length;
    queue.addAll(back.map(waiting));
    for (const { host } of queue.take(now, jobs, room, acquire)) {
      flying.push({ host: host!, until: now + lengthOf(started) });
      started += 1;
    }
    idleMs += Math.min(postponed.length, slots - flying.length) * TICK_MS;
    if (now < lookAt) continue;
    for (const _ of queue.takeSurplus(now, limits)) postponed.push(now + POSTPONED_MS);
    lookAt = queue.nextLookAt();
  }
  return { claims, idleMs, endedAt: now - TICK_MS };
}

describe('jobs that wait for a full host', () => {
  for (const lengthMs of [100, 1_400, 2_000, 2_400, 4_900, 10_000]) {
    test(`a slot is taken at once where each request takes ${lengthMs} ms`, () => {
      for (const slots of [1, 3, 40]) {
        const { idleMs, endedAt } = sendAll(slots * 10, slots, () => lengthMs);
        assert.deepEqual({ slots, idleMs, endedAt }, { slots, idleMs: 0, endedAt: 10 * lengthMs });
      }
    });
  }

  test('the same where requests take longer and shorter', () => {
    const lengthOf = (index: number) => 100 + ((index * 7_919) % 40) * 100;
    for (const slots of [3, 40])
      assert.equal(sendAll(slots * 10, slots, lengthOf).idleMs, 0, `${slots}`);
  });

  test('the same where there are hundreds of slots', () => {
    const { idleMs, endedAt } = sendAll(2_500, 500, () => 2_000);
    assert.deepEqual({ idleMs, endedAt }, { idleMs: 0, endedAt: 10_000 });
  });

  test('what takes no longer than five seconds is claimed once', () => {
    assert.equal(sendAll(400, 40, () => 500).claims, 400);
    assert.equal(sendAll(200, 40, () => 1_000).claims, 200);
  });
});
