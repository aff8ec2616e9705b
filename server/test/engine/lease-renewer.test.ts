import assert from 'node:assert/strict';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { LeaseRenewer } from '../../src/engine/services/lease-renewer.ts';
import { LeaseDeadline, monotonicMs } from '../../src/outbound/lease-deadline.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { ManualClock } from '../support/clock.ts';

const SECOND = 1_000;
const LEASE_MS = 10 * SECOND;

let clock: ManualClock;
let isAway: boolean;
let told: string[];
/** By how much the store's clock was set. */
let setMs: number;
let leaseDeadline: LeaseDeadline;
/** A renewal ends with it: the process may be frozen meanwhile. */
let renewal: Promise<void>;

beforeEach(t => {
  clock = new ManualClock(0);
  // Time is one here: the monotonic one and the one that nodes share.
  (t as TestContext).mock.method(performance, 'now', () => clock.now());
  isAway = false;
  told = [];
  setMs = 0;
  leaseDeadline = new LeaseDeadline(7_500);
  renewal = Promise.resolve();
});

function newRenewer(): LeaseRenewer {
  const recover = async () => {
    told.push(`takes over at ${clock.now() / SECOND}`);
    return 1;
  };
  const observer = { takenOver() {}, storeFailed() {} } as unknown as EngineObserver;
  return new LeaseRenewer({
    store: {
      queue: { recover },
      outbox: { recover: async () => 0 },
      cluster: { now: async () => clock.now() + setMs },
    } as unknown as Store,
    leaseMs: LEASE_MS,
    leaseDeadline,
    clock,
    observer,
    async renew() {
      if (isAway) throw new Error('The database is away.');
      await renewal;
    },
    wake() {},
  });
}

describe('a node among others', () => {
  test('renews and looks for what nobody holds five times in a lease', async () => {
    const renewer = newRenewer();
    renewer.start();
    await clock.advance(LEASE_MS - 1);
    assert.deepEqual(
      told,
      [0, 2, 4, 6, 8].map(at => `takes over at ${at}`),
    );
    assert.equal(leaseDeadline.isOver, false);
    await renewer.stop();
  });

  test('after an outage waits one lease before it takes over, so that all can renew', async () => {
    const renewer = newRenewer();
    renewer.start();
    await clock.advance(1 * SECOND);
    told = [];
    isAway = true;
    await clock.advance(29 * SECOND);
    isAway = false;
    await clock.advance(2 * LEASE_MS);
    const [first] = told;
    const at = Number(/[\d.]+$/.exec(first!)![0]);
    assert.ok(at >= 40 && at < 43, `it takes over at ${at}`);
    await renewer.stop();
  });

  test("where the store's clock was set, waits one lease before it takes over, so that all can renew", async () => {
    const renewer = newRenewer();
    renewer.start();
    await clock.advance(LEASE_MS - 1);
    told = [];
    setMs = 3_600 * SECOND;
    await clock.advance(LEASE_MS);
    assert.deepEqual(told, []);
    await clock.advance(2 * SECOND);
    assert.deepEqual(told, ['takes over at 20']);
    await renewer.stop();
  });

  test('holds nothing for longer than its lease, counted from when it asked', async () => {
    const renewer = newRenewer();
    renewer.start();
    await clock.advance(2 * SECOND + 1);
    isAway = true;
    await clock.advance(7_400);
    assert.equal(leaseDeadline.isOver, false);
    await clock.advance(200);
    assert.equal(leaseDeadline.isOver, true);
    isAway = false;
    await clock.advance(SECOND);
    assert.equal(leaseDeadline.isOver, false);
    await renewer.stop();
  });

  test('renews again at once after a renewal that outlasted its lease', async () => {
    const renewer = newRenewer();
    renewer.start();
    await clock.advance(1 * SECOND);
    const frozen = Promise.withResolvers<void>();
    renewal = frozen.promise;
    await clock.advance(11 * SECOND);
    renewal = Promise.resolve();
    frozen.resolve();
    await clock.advance(1);
    assert.equal(leaseDeadline.isOver, false);
    await renewer.stop();
  });

  test('a renewal that took longer than the leaseDeadline renews nothing', () => {
    leaseDeadline.renewed(monotonicMs());
    const askedAt = monotonicMs();
    assert.equal(leaseDeadline.isOverSince(askedAt), false);
    assert.equal(leaseDeadline.isOverSince(askedAt - 7_500), true);
    leaseDeadline.renewed(askedAt - 7_500);
    assert.equal(leaseDeadline.isOver, true);
  });
});
