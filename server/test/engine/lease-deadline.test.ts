import assert from 'node:assert/strict';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { newId } from '../../src/domain/id.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { LeaseDeadline } from '../../src/outbound/lease-deadline.ts';
import type { Cluster } from '../../src/store/contract/cluster.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { ManualClock } from '../support/clock.ts';
import { aClient, aSchedule } from '../support/store/backend.ts';

/** A node whose leases cannot be renewed: after its deadline no request starts, and what it claims goes back. */

const SECOND = 1_000;
const LEASE_MS = 10 * SECOND;

let clock: ManualClock;
let store: Store;
let engine: Engine;
let canRenew: boolean;
/** When rows were asked for, ms since the start. */
let asked: number[];
let sent: number[];

beforeEach(async t => {
  clock = new ManualClock(0);
  (t as TestContext).mock.method(performance, 'now', () => clock.now());
  canRenew = true;
  asked = [];
  sent = [];
  store = sharedStore(openSqlite(':memory:'));
  engine = new Engine({
    expand: periodsOf,
    fetchText: async () => '',
    store,
    clock,
    random: () => 0,
    observer: new Proxy({}, { get: () => () => {} }) as EngineObserver,
    maxInFlight: 100,
    maxInFlightPerHost: 100,
    retention: { runsDays: 36_500, failedRunsDays: 36_500 },
    leaseDeadline: new LeaseDeadline(7_500),
    send: async ({ permit }) => {
      const startedAt = clock.now();
      const rest = { startedAt, durationMs: 0, phases: {} };
      if (permit?.start() === false) return { outcome: 'cancelled', ...rest };
      sent.push(startedAt);
      return { outcome: 'response', responseStatus: 200, ...rest };
    },
  });
});

/** As one that nodes share: only renewals are refused. */
function sharedStore(own: Store): Store {
  const { queue, outbox } = own;
  const cluster = {
    leaseMs: LEASE_MS,
    now: async () => clock.now(),
    looked: async () => 0,
    engineLives: async () => 1,
    engineStopped: async () => {},
  } as unknown as Cluster;
  return {
    ...own,
    cluster,
    queue: {
      ...queue,
      claim(...parameters) {
        asked.push(clock.now());
        return queue.claim(...parameters);
      },
      async renew(claims) {
        if (!canRenew) throw new Error('The row is locked.');
        return claims.map(({ scheduleRowId }) => scheduleRowId);
      },
      recover: async () => 0,
    },
    outbox: {
      ...outbox,
      claim(...parameters) {
        asked.push(clock.now());
        return outbox.claim(...parameters);
      },
      recover: async () => 0,
    },
  };
}

describe('a node whose lease deadline is over', () => {
  test('claims nothing, and goes on with its next renewal', async () => {
    const { clientRowId } = await aClient(store);
    const schedule = aSchedule({ interval: '* * * * * *', createdAt: 0 });
    const start = { first: 1 * SECOND, second: 2 * SECOND };
    await store.schedules.insert(clientRowId, [{ schedule, start }]);
    await engine.start();
    await clock.advance(5 * SECOND);
    canRenew = false;
    await clock.advance(10 * SECOND);
    const run = { id: newId(clock.now()), scheduledFor: clock.now() };
    await store.outbox.insertManual(clientRowId, schedule.id, run);
    engine.wakeOutbox(schedule.id);
    asked = [];
    sent = [];
    await clock.advance(10 * SECOND);
    assert.deepEqual({ asked, sent }, { asked: [], sent: [] });
    canRenew = true;
    await clock.advance(1 * SECOND);
    assert.ok(sent.length > 0);
    await engine.stop(0);
  });
});
