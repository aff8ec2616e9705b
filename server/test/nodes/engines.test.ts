import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { LeaseDeadline } from '../../src/outbound/lease-deadline.ts';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { ClaimResult } from '../../src/store/contract/queue.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { ManualClock } from '../support/clock.ts';
import { aClient, stored, triggered } from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

const SECOND = 1_000;
const EVERY_MINUTE = { interval: '* * * * *' };

/** An engine of its own on the shared database: its clock is moved, its network answers 200. */
class Node {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly engine: Engine;
  /** The ids of the schedules that it fired. */
  readonly fired: string[] = [];
  /** Requests wait for a connection while this is pending. */
  connecting: Promise<void> = Promise.resolve();
  /** Requests get no answer while this is pending. */
  answering: Promise<void> = Promise.resolve();
  /** What the nodes agree on is not known while this is pending. */
  agreeing: Promise<void> = Promise.resolve();

  private constructor(store: Store, now: number) {
    this.store = store;
    this.clock = new ManualClock(now);
    const shared = store.cluster!;
    const looked: typeof shared.looked = shared.looked.bind(shared);
    shared.looked = (...since) => this.agreeing.then(() => looked(...since));
    const silent = new Proxy({}, { get: () => () => {} }) as EngineObserver;
    this.engine = new Engine({
      store,
      clock: this.clock,
      random: () => 0,
      observer: silent,
      maxInFlight: 100,
      maxInFlightPerHost: 100,
      retention: { runsDays: 36_500, failedRunsDays: 36_500 },
      leaseDeadline: new LeaseDeadline(60 * SECOND),
      send: async ({ headers, permit }) => {
        await this.connecting;
        if (permit?.start() === false) {
          return { outcome: 'cancelled', startedAt: this.clock.now(), durationMs: 0, phases: {} };
        }
        this.fired.push(headers[headers.indexOf('Punctual-Schedule-Id') + 1]!);
        const startedAt = this.clock.now();
        await this.answering;
        return { outcome: 'response', responseStatus: 200, startedAt, durationMs: 1, phases: {} };
      },
    });
  }

  static async start(now: number): Promise<Node> {
    const node = await Node.open(now);
    await node.engine.start();
    return node;
  }

  /** Its engine is not started yet. */
  static async open(now: number): Promise<Node> {
    const node = new Node(await openPostgres(url), now);
    nodes.push(node);
    return node;
  }

  async stop(): Promise<void> {
    const stopped = this.engine.stop(0);
    await this.clock.advance(0);
    await stopped;
    await this.store.close();
  }
}

let url: string;
let nodes: Node[] = [];
let api: Store;
let caller: Caller;
let now: number;

beforeEach(async () => {
  url = await server.createDatabase(template);
  api = await openPostgres(url);
  caller = await aClient(api);
  now = await api.cluster!.now();
});

afterEach(async () => {
  for (const node of nodes) await node.stop();
  nodes = [];
  await api.close();
  await server.dropDatabase(url);
});

/** Tries again until it is true, for 10 s; `work` may move clocks. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  while (!(await isTrue())) {
    assert.ok(Date.now() < giveUpAt, 'it does not happen');
    await sleep(5);
  }
}

/** Times a minute apart, the nearest half a minute from now: none of them is claimed ahead meanwhile. */
function aroundNow(agoMs = 0) {
  const first = now - (now % SECOND) - 30 * SECOND - agoMs;
  const interval = `${new Date(first).getUTCSeconds()} * * * * *`;
  return { interval, first, second: first + 60 * SECOND };
}

const historyOf = async (scheduleId: string) =>
  (await api.runs.list(caller.clientRowId, { scheduleId }, 100)).map(({ status }) => status);

describe('a schedule that another process has made', () => {
  test('is fired at once by a node that listens, without its clock moving', async () => {
    const node = await Node.start(now);
    const { engine } = node;
    const { promise: heard, resolve } = Promise.withResolvers<void>();
    const listening = node.store.cluster!.listen({
      wake: dueAt => engine.wake(dueAt),
      changed: (...change) => engine.changed(...change),
      wakeOutbox: id => engine.wakeOutbox(id),
      rotated: clientRowId => engine.rotated(clientRowId),
      listening: () => resolve(),
    });
    await heard;
    const { id } = await stored(api, caller, EVERY_MINUTE, { first: now, second: null });
    await until(() => node.fired.includes(id));
    await listening.close();
  });

  test('is fired within half a second by one that does not', async () => {
    const node = await Node.start(now);
    await until(
      async () => (await runOn(url, 'SELECT looked_at FROM watch'))[0]!.looked_at !== '0',
    );
    const { id } = await stored(api, caller, EVERY_MINUTE, { first: now, second: null });
    const lookedAt = node.clock.now();
    await until(async () => {
      if (node.clock.now() < lookedAt + 500) await node.clock.advance(50);
      return node.fired.includes(id);
    });
  });
});

describe('a time that passed while another node was awake', () => {
  const storedNotCaughtUp = async () => {
    const { interval, ...start } = aroundNow();
    return (await stored(api, caller, { interval, policy: { catchUpSeconds: 0 } }, start)).id;
  };
  /** As a node does that looks all the time, and is too busy to claim. */
  const someoneLooks = () => api.cluster!.looked(now - 3_600 * SECOND, 5 * SECOND);

  test('is fired late by one that joins, also where catching up is turned off', async () => {
    await someoneLooks();
    const id = await storedNotCaughtUp();
    const node = await Node.start(now);
    await until(() => node.fired.includes(id));
  });

  test('and while none was, it is missed', async () => {
    await someoneLooks();
    await runOn(url, 'UPDATE watch SET looked_at = looked_at - 60000');
    const id = await storedNotCaughtUp();
    await Node.start(now);
    await until(async () => (await historyOf(id)).length > 0);
    assert.deepEqual(await historyOf(id), ['missed']);
  });

  test('is fired late by one that wakes after a minute', async () => {
    const node = await Node.start(now - 60 * SECOND);
    await node.clock.advance(0);
    await someoneLooks();
    await node.clock.jump(now);
    const id = await storedNotCaughtUp();
    node.engine.wake(now);
    await node.clock.advance(1_000);
    await until(() => node.fired.includes(id));
  });
});

describe('a request that ends right after a gap', () => {
  test('is settled when the nodes agree whether it was one: its next times passed unseen', async () => {
    const node = await Node.start(now - 600 * SECOND);
    const answer = Promise.withResolvers<void>();
    const agreement = Promise.withResolvers<void>();
    node.answering = answer.promise;
    const { interval, ...start } = aroundNow(600 * SECOND);
    const { id } = await stored(api, caller, { interval }, start);
    node.engine.wake(start.first);
    await until(() => node.fired.includes(id));
    await runOn(url, 'UPDATE watch SET looked_at = looked_at - 600000');
    node.agreeing = agreement.promise;
    await node.clock.jump(now);
    node.engine.wake(now);
    answer.resolve();
    await node.clock.advance(100);
    assert.deepEqual(await historyOf(id), ['running']);
    agreement.resolve();
    await until(async () => {
      await node.clock.advance(100);
      return node.fired.length === 2;
    });
    const history = await historyOf(id);
    assert.equal(history.filter(status => status === 'missed').length, 9);
  });
});

describe('a claim that took longer than the node may count on it', () => {
  for (const part of ['queue', 'outbox'] as const) {
    test(`is not sent but given back, and claimed anew: the ${part}`, async t => {
      let later = 0;
      const real = performance.now.bind(performance);
      t.mock.method(performance, 'now', () => real() + later);
      const node = await Node.open(now);
      const work = node.store[part];
      type Result = object[] | ClaimResult;
      const claim = work.claim.bind(work) as (...parameters: unknown[]) => Promise<Result>;
      const renew = work.renew.bind(work);
      let renewals = 0;
      let firedByThen: number | null = null;
      Object.assign(work, {
        async renew(keys: never[]) {
          renewals += 1;
          return renew(keys);
        },
        async claim(...parameters: unknown[]) {
          if (later > 0) firedByThen ??= node.fired.length;
          const result = await claim(...parameters);
          const claims = 'claims' in result ? result.claims : result;
          if (claims.length > 0 && later === 0) {
            // The database's answer is long on its way, and the node renews meanwhile.
            later = 61 * SECOND;
            const before = renewals;
            await until(async () => {
              await node.clock.advance(500);
              return renewals > before + 1;
            });
          }
          return result;
        },
      });
      await node.engine.start();
      const isManual = part === 'outbox';
      const schedule = await stored(
        api,
        caller,
        EVERY_MINUTE,
        isManual ? null : { first: now, second: null },
      );
      if (isManual) await triggered(api, caller, schedule, now);
      void node.clock.advance(600);
      await until(async () => {
        await node.clock.advance(50);
        return node.fired.length > 0;
      });
      assert.equal(firedByThen, 0, 'nothing was sent of the first claim');
      assert.deepEqual(node.fired, [schedule.id]);
      const [run] = await api.runs.list(caller.clientRowId, { scheduleId: schedule.id }, 10);
      assert.equal(run!.attempts.length <= 1, true);
    });
  }
});

describe('a request that waits for a connection', () => {
  for (const part of ['queue', 'outbox'] as const) {
    test(`is called back when another node has taken it over: the ${part}`, async () => {
      const node = await Node.start(now);
      const work = node.store[part];
      const renew = work.renew.bind(work) as (keys: unknown[]) => Promise<unknown[]>;
      const renewed: number[] = [];
      Object.assign(work, {
        async renew(keys: unknown[]) {
          const held = await renew(keys);
          renewed.push(held.length);
          return held;
        },
      });
      const connected = Promise.withResolvers<void>();
      node.connecting = connected.promise;
      const isManual = part === 'outbox';
      const start = isManual ? null : { first: now, second: null };
      const schedule = await stored(api, caller, EVERY_MINUTE, start);
      if (isManual) await triggered(api, caller, schedule, now);
      await until(async () => {
        await node.clock.advance(50);
        return node.engine.inFlight === 1;
      });
      await until(async () => {
        // Again and again: a renewal may be on its way.
        await runOn(url, `UPDATE ${part} SET lease_until = lease_until - interval '60 seconds'`);
        return (await api[part].recover(now)) === 1;
      });
      if (isManual) assert.equal((await api.outbox.claim(now + SECOND, 10)).length, 1);
      else assert.equal((await api.queue.claim(now + SECOND, 10, 0)).claims.length, 1);
      await until(async () => {
        await node.clock.advance(500);
        return renewed.slice(-1)[0] === 0 && node.clock.now() > now + 5 * SECOND;
      });
      connected.resolve();
      await until(async () => {
        await node.clock.advance(50);
        return node.engine.inFlight === 0;
      });
      assert.deepEqual(node.fired, []);
    });
  }
});

describe('PostgreSQL: until when no node looked', () => {
  test('is where the first of them looks again, and stays so for the others', async () => {
    const looked = (since: number) => api.cluster!.looked(since, 5 * SECOND);
    const isSetBack = (ms: number) => runOn(url, `UPDATE watch SET looked_at = looked_at - ${ms}`);
    assert.equal(await looked(now), now, 'nobody has ever looked');
    assert.equal(await looked(now + 1), now);
    assert.equal(await looked(now - 60 * SECOND), now);
    await isSetBack(60 * SECOND);
    assert.equal(await looked(now - 60 * SECOND), now, 'one has looked all the time');
    await isSetBack(60 * SECOND);
    assert.equal(await looked(now + 2), now + 2);
    assert.equal(await looked(now + 3), now + 2);
    const [row] = await runOn(url, 'SELECT looked_at FROM watch');
    assert.ok(Math.abs(Number(row!.looked_at) - (await api.cluster!.now())) < 10 * SECOND);
  });
});
