import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { Client } from 'pg';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import type { DestinationLimits } from '../../src/domain/destination/destination.ts';
import { newId } from '../../src/domain/id.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { LeaseDeadline } from '../../src/outbound/lease-deadline.ts';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { ManualClock } from '../support/clock.ts';
import { skipUnlessLong } from '../support/long.ts';
import { WatchedStore } from '../support/nodes/watched-store.ts';
import { aClient, stored } from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

/** The limits of a destination hold for all engines of one PostgreSQL together, within the share of one. */

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

const SECOND = 1_000;
const LEASE_MS = 10 * SECOND;
/** A tenth of it, which is left in one test, is longer than a busy machine stands still. */
const LONG_LEASE_MS = 600 * SECOND;
/** In this many steps time passes for all nodes alike. */
const STEP_MS = 100;

let url: string;
let nodes: Node[] = [];
let api: Store;
let caller: Caller;
let now: number;
/** When requests left, by any node. */
let sent: number[];
let inFlight: number;
let mostInFlight: number;

/** An engine of its own on the shared database; its network answers after a while, by its clock. */
class Node {
  readonly store: Store;
  readonly #watched: WatchedStore;
  readonly clock: ManualClock;
  readonly engine: Engine;

  constructor(store: Store, answersAfterMs: number) {
    this.#watched = new WatchedStore(store);
    this.store = this.#watched.store;
    this.clock = new ManualClock(now);
    const silent = new Proxy({}, { get: () => () => {} }) as EngineObserver;
    this.engine = new Engine({
      expand: periodsOf,
      fetchText: async () => '',
      store: this.store,
      clock: this.clock,
      random: () => 0,
      observer: silent,
      maxInFlight: 1_000,
      maxInFlightPerHost: 1_000,
      retention: { runsDays: 36_500, failedRunsDays: 36_500 },
      leaseDeadline: new LeaseDeadline(60 * SECOND),
      send: async ({ permit }) => {
        const startedAt = this.clock.now();
        if (permit?.start() === false) {
          return { outcome: 'cancelled', startedAt, durationMs: 0, phases: {} };
        }
        sent.push(startedAt);
        inFlight += 1;
        mostInFlight = Math.max(mostInFlight, inFlight);
        await new Promise<void>(resolve => this.clock.after(answersAfterMs, resolve));
        inFlight -= 1;
        return { outcome: 'response', responseStatus: 200, startedAt, durationMs: 1, phases: {} };
      },
    });
  }

  /** Lets it do all that there is to do at this moment. */
  async work(): Promise<void> {
    await this.clock.advance(0);
    await this.#watched.idle();
    await this.clock.advance(0);
  }
}

async function start(count: number, answersAfterMs = 0): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const store = await openPostgres(url, { leaseMs: LEASE_MS, connections: 4 });
    nodes.push(new Node(store, answersAfterMs));
  }
  for (const { engine } of nodes) await engine.start();
}

async function limit(limits: DestinationLimits): Promise<void> {
  const change = { config: { hosts: ['target.example'], limits }, version: newId(now) };
  await api.destinations.put(caller, 'billing', null, change, now);
}

async function due(count: number): Promise<void> {
  const start = { first: now, second: now + 3_600 * SECOND };
  for (let made = 0; made < count; made += 1) {
    const delivery = { destination: 'billing' };
    await stored(api, caller, { interval: '0 * * * *', delivery }, start);
  }
}

/** The nodes work as long as there is anything to do in each moment. */
async function pass(ms: number): Promise<void> {
  for (const until = now + ms; now < until; ) {
    now += STEP_MS;
    await Promise.all(nodes.map(({ clock }) => clock.jump(now)));
    for (let turn = 0; turn < 3; turn += 1) await Promise.all(nodes.map(node => node.work()));
  }
}

beforeEach(async () => {
  url = await server.createDatabase(template);
  api = await openPostgres(url);
  caller = await aClient(api);
  now = await api.cluster!.now();
  sent = [];
  inFlight = 0;
  mostInFlight = 0;
});

afterEach(async () => {
  for (const { engine, clock, store } of nodes) {
    const stopped = engine.stop(0);
    await clock.advance(60 * SECOND);
    await stopped;
    await store.close();
  }
  nodes = [];
  await api.close();
  await server.dropDatabase(url);
});

describe('engines that share a store', () => {
  test('each counts the others for three leases after it was last seen, and not once it has stopped', async () => {
    const leaseMs = LONG_LEASE_MS;
    const opened = await Promise.all([1, 2, 3].map(() => openPostgres(url, { leaseMs })));
    const [one, two, three] = opened as [Store, Store, Store];
    assert.equal(await one.cluster!.engineLives(), 1);
    assert.equal(await two.cluster!.engineLives(), 2);
    assert.equal(await three.cluster!.engineLives(), 3);
    assert.equal(await one.cluster!.engineLives(), 3);
    await two.cluster!.engineStopped();
    assert.equal(await one.cluster!.engineLives(), 2);
    const age = (ms: number) => `UPDATE engines SET seen_at = seen_at - interval '${ms} ms'`;
    await runOn(url, age(2.9 * leaseMs));
    assert.equal(await one.cluster!.engineLives(), 2);
    await runOn(url, age(0.2 * leaseMs));
    assert.equal(await one.cluster!.engineLives(), 1);
    assert.equal(await three.cluster!.engineLives(), 2);
    await runOn(url, age(31 * leaseMs));
    await one.cluster!.engineLives();
    assert.deepEqual(await runOn(url, 'SELECT count(*) FROM engines'), [{ count: '1' }]);
    for (const store of opened) await store.close();
  });

  test('one of an older release is known by its connections, whatever it does', async () => {
    const store = await openPostgres(url);
    const session = new Client({ connectionString: url });
    await session.connect();
    for (const [name, isOlder] of [
      ['punctual', true],
      ['punctual level 1', true],
      ['punctual level 2', false],
      ['punctual level 10', false],
      ['punctual listener', false],
      ['another', false],
    ] as const) {
      await session.query(`SET application_name TO '${name}'`);
      assert.equal(await store.cluster!.hasOlderNodes(), isOlder, name);
    }
    await session.end();
    await store.close();
  });

  test('an engine is noted while it runs, and goes when it stops', async () => {
    const count = async () => (await runOn(url, 'SELECT count(*) FROM engines'))[0]!.count;
    await start(2);
    assert.equal(await count(), '2');
    const [node] = nodes as [Node];
    const { engine, store } = node;
    // What it notes of itself with its first renewal is there.
    await node.work();
    // Its clock stands still, so the limit does not end the stop.
    await engine.stop(60 * SECOND);
    assert.equal(await count(), '1');
    nodes.shift();
    await store.close();
  });

  test('an engine that stops while it notes itself is not noted after that', async () => {
    await start(1);
    const [node] = nodes as [Node];
    const { engine, clock, store } = node;
    await node.work();
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const cluster = store.cluster!;
    const { engineLives, engineStopped } = cluster;
    const order: string[] = [];
    cluster.engineLives = async () => {
      asked.resolve();
      await held.promise;
      const count = await engineLives();
      order.push('noted');
      return count;
    };
    cluster.engineStopped = () => {
      order.push('forgotten');
      return engineStopped();
    };
    await clock.advance(LEASE_MS);
    await asked.promise;
    const stopped = engine.stop(60 * SECOND);
    held.resolve();
    await stopped;
    assert.deepEqual(order, ['noted', 'forgotten']);
    assert.deepEqual(await runOn(url, 'SELECT count(*) FROM engines'), [{ count: '0' }]);
  });
});

for (const count of [1, 3]) {
  const name = `${count === 1 ? 'one engine' : 'three engines'} on one PostgreSQL`;
  describe(name, { skip: skipUnlessLong }, () => {
    test('perSecond holds for all together', async () => {
      const perSecond = 12;
      await limit({ perSecond });
      await due(200);
      await start(count);
      const from = now;
      await pass(8 * SECOND);
      assert.ok(sent.length > 0);
      for (let second = 0; second < 8; second += 1) {
        const within = sent.filter(
          at => at >= from + second * SECOND && at < from + (second + 1) * SECOND,
        );
        const burst = second === 0 ? perSecond : 0;
        const most = perSecond + burst + count;
        assert.ok(
          within.length <= most,
          `${within.length} in second ${second + 1}, ${most} at most`,
        );
      }
      const least = (perSecond * 8) / count - perSecond;
      assert.ok(sent.length >= least, `${sent.length} in 8 s, ${least} at least`);
    });

    test('maxConcurrent holds for all together', async () => {
      const maxConcurrent = 7;
      await limit({ maxConcurrent });
      await due(60);
      // Some end in each second: an engine counts them once a second, and which comes first at one instant is chance.
      await start(count, SECOND - STEP_MS);
      await pass(6 * SECOND);
      const most = Math.ceil(maxConcurrent / count) * count;
      assert.ok(mostInFlight <= most, `${mostInFlight} at once, ${most} at most`);
      assert.ok(mostInFlight >= Math.ceil(maxConcurrent / count), `${mostInFlight} at once`);
      assert.ok(sent.length >= mostInFlight * 3, `${sent.length} in 6 s`);
    });
  });
}
