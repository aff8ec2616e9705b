import assert from 'node:assert/strict';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import type { EngineEvents } from '../../src/engine/events.ts';
import { Tenure } from '../../src/engine/tenure.ts';
import { monotonicMs, Term } from '../../src/outbound/ticket.ts';
import type { Store } from '../../src/store/store.ts';
import { ManualClock } from '../clock.ts';

const SECOND = 1_000;
const LEASE_MS = 10 * SECOND;

let clock: ManualClock;
let isAway: boolean;
let told: string[];
/** By how much the store's clock was set. */
let setMs: number;
let term: Term;

beforeEach(t => {
  clock = new ManualClock(0);
  // Time is one here: the monotonic one and the one that nodes share.
  (t as TestContext).mock.method(performance, 'now', () => clock.now());
  isAway = false;
  told = [];
  setMs = 0;
  term = new Term(7_500);
});

function newTenure(): Tenure {
  const recover = async () => {
    told.push(`takes over at ${clock.now() / SECOND}`);
    return 1;
  };
  const events = { takenOver() {}, storeFailed() {} } as unknown as EngineEvents;
  return new Tenure({
    store: {
      queue: { recover },
      outbox: { recover: async () => 0 },
      shared: { now: async () => clock.now() + setMs },
    } as unknown as Store,
    leaseMs: LEASE_MS,
    term,
    clock,
    events,
    async renew() {
      if (isAway) throw new Error('The database is away.');
    },
    recovered() {},
  });
}

describe('a node among others', () => {
  test('renews and looks for what nobody holds five times in a lease', async () => {
    const tenure = newTenure();
    tenure.start();
    await clock.advance(LEASE_MS - 1);
    assert.deepEqual(
      told,
      [0, 2, 4, 6, 8].map(at => `takes over at ${at}`),
    );
    assert.equal(term.isOver, false);
    await tenure.stop();
  });

  test('after an outage waits one lease before it takes over, so that all can renew', async () => {
    const tenure = newTenure();
    tenure.start();
    await clock.advance(1 * SECOND);
    told = [];
    isAway = true;
    await clock.advance(29 * SECOND);
    isAway = false;
    await clock.advance(2 * LEASE_MS);
    const [first] = told;
    const at = Number(/[\d.]+$/.exec(first!)![0]);
    assert.ok(at >= 40 && at < 43, `it takes over at ${at}`);
    await tenure.stop();
  });

  test("where the store's clock was set, waits one lease before it takes over, so that all can renew", async () => {
    const tenure = newTenure();
    tenure.start();
    await clock.advance(LEASE_MS - 1);
    told = [];
    setMs = 3_600 * SECOND;
    await clock.advance(LEASE_MS);
    assert.deepEqual(told, []);
    await clock.advance(2 * SECOND);
    assert.deepEqual(told, ['takes over at 20']);
    await tenure.stop();
  });

  test('holds nothing for longer than its term, counted from when it asked', async () => {
    const tenure = newTenure();
    tenure.start();
    await clock.advance(2 * SECOND + 1);
    isAway = true;
    await clock.advance(7_400);
    assert.equal(term.isOver, false);
    await clock.advance(200);
    assert.equal(term.isOver, true);
    isAway = false;
    await clock.advance(SECOND);
    assert.equal(term.isOver, false);
    await tenure.stop();
  });

  test('a renewal that took longer than the term renews nothing', () => {
    term.renewed(monotonicMs());
    const askedAt = monotonicMs();
    assert.equal(term.isOverSince(askedAt), false);
    assert.equal(term.isOverSince(askedAt - 7_500), true);
    term.renewed(askedAt - 7_500);
    assert.equal(term.isOver, true);
  });
});
