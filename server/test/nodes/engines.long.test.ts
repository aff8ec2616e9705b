import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CalendarSource } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { knowCalendar } from '../../src/domain/calendar/known-calendars.ts';
import { newId } from '../../src/domain/id.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { EngineObserver } from '../../src/engine/observer.ts';
import { LeaseDeadline } from '../../src/outbound/lease-deadline.ts';
import type { Caller } from '../../src/store/contract/keys.ts';
import type { ClaimResult } from '../../src/store/contract/queue.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { ManualClock } from '../support/clock.ts';
import { WatchedStore } from '../support/nodes/watched-store.ts';
import { aClient, stored, triggered } from '../support/store/backend.ts';
import { runOn, startPostgres } from '../support/store/postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());
const template = await server.createDatabase();
await (await openPostgres(template)).close();

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NO_EVENTS = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n';
const EVERY_MINUTE = { interval: '* * * * *' };

/** An engine of its own on the shared database: its clock is moved, its network answers 200. */
class Node {
  readonly store: Store;
  readonly #watched: WatchedStore;
  readonly clock: ManualClock;
  readonly engine: Engine;
  /** The ids of the schedules that it fired. */
  readonly fired: string[] = [];
  /** Requests wait for a connection while this is pending. */
  connecting: Promise<void> = Promise.resolve();
  /** Requests get no answer while this is pending. */
  answering: Promise<void> = Promise.resolve();
  /** What the target says with its answers. */
  control: string | undefined;
  /** What the nodes agree on is not known while this is pending. */
  agreeing: Promise<void> = Promise.resolve();

  private constructor(store: Store, now: number) {
    this.#watched = new WatchedStore(store);
    this.store = this.#watched.store;
    this.clock = new ManualClock(now);
    const shared = store.cluster!;
    const looked: typeof shared.looked = shared.looked.bind(shared);
    shared.looked = (...since) => this.agreeing.then(() => looked(...since));
    const silent = new Proxy({}, { get: () => () => {} }) as EngineObserver;
    this.engine = new Engine({
      expand: periodsOf,
      fetchText: async url => {
        fetched.push(url);
        return NO_EVENTS;
      },
      store: this.store,
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
        const says = this.control === undefined ? {} : { control: this.control };
        return {
          ...{ outcome: 'response', responseStatus: 200, startedAt, durationMs: 1, phases: {} },
          ...says,
        };
      },
    });
  }

  static async start(now: number, level?: number): Promise<Node> {
    const node = await Node.open(now, level);
    await node.engine.start();
    return node;
  }

  /** Its engine is not started yet. */
  static async open(now: number, level?: number): Promise<Node> {
    const own = level === undefined ? {} : { level };
    const node = new Node(await openPostgres(url, own), now);
    nodes.push(node);
    return node;
  }

  /** Resolves when it waits for no answer of the database. */
  idle(): Promise<void> {
    return this.#watched.idle();
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
/** The urls of calendars that any node has fetched. */
let fetched: string[] = [];
let api: Store;
let caller: Caller;
let now: number;

beforeEach(async () => {
  url = await server.createDatabase(template);
  // A node that takes over cuts longer leases: it takes this one for a clock that was set back.
  api = await openPostgres(url, { leaseMs: 20 * SECOND });
  caller = await aClient(api);
  now = await api.cluster!.now();
});

afterEach(async () => {
  for (const node of nodes) await node.stop();
  nodes = [];
  fetched = [];
  await api.close();
  await server.dropDatabase(url);
});

/** Tries again until it is true; `isTrue` may move clocks. The limit is only against a test that hangs for ever. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
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

describe('calendars of several nodes', () => {
  const periods = (from: number, to: number) => [{ from, to, isLocal: false, summary: '' }];
  const put = async (source: CalendarSource, from: number, to: number) => {
    const version = newId(now);
    const made = { version, name: 'x', periods: periods(from, to), source };
    await api.calendars.put(caller.clientRowId, made, now, now + DAY);
    return version;
  };

  test('one of them reads a url, once a day', async () => {
    await put({ kind: 'url', url: 'https://a.example/x.ics', ics: '' }, now, now + 1);
    const both = [await Node.start(now), await Node.start(now)];
    await Promise.all(both.map(({ clock }) => clock.jump(now + DAY + 1)));
    await until(async () => {
      await Promise.all(both.map(({ clock }) => clock.advance(60 * SECOND)));
      return (await api.calendars.find(caller.clientRowId, 'x'))!.updatedAt !== undefined;
    });
    await Promise.all(both.map(({ clock }) => clock.advance(60 * SECOND)));
    assert.equal(fetched.length, 1);
  });

  test('all hear of a calendar that another process has put, and count each schedule once', async () => {
    const periodsSource: CalendarSource = { kind: 'periods', periods: [] };
    const first = await put(periodsSource, 0, 1);
    knowCalendar({ version: first, name: 'x', periods: periods(0, 1) });
    const timing = { exclude: ['x'], calendars: [first] };
    const { first: due, interval } = aroundNow(-HOUR);
    const schedules = [];
    for (let count = 0; count < 200; count += 1) {
      schedules.push(await stored(api, caller, { interval, timing }, { first: due, second: null }));
    }
    const both = [await Node.start(now), await Node.start(now)];
    const version = await put(periodsSource, now, now + 2 * DAY);
    await until(async () => {
      await Promise.all(both.map(({ clock }) => clock.advance(500)));
      return (await api.calendars.nextRecount()) === null;
    });
    for (const { id } of schedules) {
      const { schedule, version: changes } = (await api.schedules.find(caller.clientRowId, id))!;
      assert.deepEqual([schedule.timing!.calendars, changes], [[version], 2]);
    }
    assert.ok((await api.queue.nextDueAt())! >= now + 2 * DAY);
  });
});

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
      listening: isListening => isListening && resolve(),
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

describe('a schedule that its target disables', () => {
  test('is disabled for all nodes, which hear of it', async () => {
    const [one, other] = [await Node.start(now), await Node.start(now)];
    const heard: string[] = [];
    const { promise: listening, resolve } = Promise.withResolvers<void>();
    const listener = other.store.cluster!.listen({
      wake: () => {},
      changed: id => heard.push(id),
      wakeOutbox: () => {},
      rotated: () => {},
      listening: isListening => isListening && resolve(),
    });
    await listening;
    one.control = 'disable';
    const { id } = await stored(api, caller, EVERY_MINUTE, {
      first: now + 60 * SECOND,
      second: now + 120 * SECOND,
    });
    await until(async () => {
      await one.clock.advance(SECOND);
      return (await api.schedules.find(caller.clientRowId, id))!.schedule.status === 'disabled';
    });
    await until(() => heard.includes(id));
    await other.clock.advance(300 * SECOND);
    assert.deepEqual([one.fired, other.fired], [[id], []]);
    assert.deepEqual(await historyOf(id), ['succeeded']);
    await listener.close();
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
      let renewals = 0;
      let lostAt: number | null = null;
      Object.assign(work, {
        async renew(keys: unknown[]) {
          const held = await renew(keys);
          renewals += 1;
          if (held.length < keys.length) lostAt ??= renewals;
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
      // No renewal and no look for what others left is on its way.
      await node.idle();
      await until(async () => {
        // Again and again: a renewal may be on its way.
        await runOn(url, `UPDATE ${part} SET lease_until = lease_until - interval '60 seconds'`);
        return (await api[part].recover(now)) === 1;
      });
      if (isManual) assert.equal((await api.outbox.claim(now + SECOND, 10)).length, 1);
      else assert.equal((await api.queue.claim(now + SECOND, 10, 0)).claims.length, 1);
      await until(async () => {
        await node.clock.advance(500);
        // The next renewal begins when the node has dealt with the one that told it of the loss.
        return lostAt !== null && renewals > lostAt;
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

describe('nodes of two levels', () => {
  /** Due, and each of them needs the newer level. */
  const storedNew = async () => {
    const { interval, ...start } = aroundNow();
    const rate = { interval: 'rate(1 minute)', timing: { startsAt: start.first } };
    const once = { interval: `at(${new Date(start.first).toISOString().slice(0, 19)}Z)` };
    const ids = new Set<string>();
    for (const fields of [once, rate, { interval, delivery: { body: 'x' } }]) {
      ids.add((await stored(api, caller, fields, start)).id);
    }
    return ids;
  };
  const storedPlain = async () => {
    const { interval, ...start } = aroundNow();
    return (await stored(api, caller, { interval }, start)).id;
  };
  /** Lets a second and a half of each node pass, also of its looks at the database: the clocks wait for its answers. */
  const pass = async (...those: Node[]) => {
    for (let step = 0; step < 30; step++) {
      await Promise.all(those.map(node => node.clock.advance(50)));
      await Promise.all(those.map(node => node.idle()));
    }
  };
  const countClaims = ({ store: { queue } }: Node) => {
    const claim = queue.claim.bind(queue);
    const counted = { count: 0 };
    queue.claim = (...parameters) => {
      counted.count += 1;
      return claim(...parameters);
    };
    return counted;
  };

  test('the older one fires plain schedules, and neither takes nor waits for others', async () => {
    const newIds = await storedNew();
    const older = await Node.start(now, 0);
    const plain = await storedPlain();
    older.engine.wake(now);
    await until(async () => {
      await older.clock.advance(50);
      return (await older.store.queue.nextDueAt()) === aroundNow().second;
    });
    const claims = countClaims(older);
    await pass(older);
    assert.deepEqual(older.fired, [plain]);
    assert.ok(claims.count <= 6, `it looked ${claims.count} times`);
    const newer = await Node.start(now);
    await until(async () => {
      await pass(older, newer);
      return newer.fired.length >= newIds.size;
    });
    assert.deepEqual(new Set(newer.fired), newIds);
    assert.equal(newer.fired.length, newIds.size);
    assert.deepEqual(older.fired, [plain]);
  });

  test('where the newer one has gone, its rows wait until one is back', async () => {
    const older = await Node.start(now, 0);
    const gone = await Node.start(now);
    gone.answering = new Promise(() => {});
    const newIds = await storedNew();
    gone.engine.wake(now);
    await until(async () => {
      await gone.clock.advance(50);
      return gone.fired.length === newIds.size;
    });
    await gone.idle();
    // It stops responding: its leases pass, and whoever looks takes note.
    await runOn(url, "UPDATE queue SET lease_until = lease_until - interval '60 seconds'");
    gone.store.queue.renew = async () => [];
    await until(async () => {
      await older.clock.advance(500);
      const rows = await runOn(url, "SELECT count(*) AS open FROM queue WHERE state = 'lost'");
      return rows[0]!.open === String(newIds.size);
    });
    older.engine.wake(now);
    await pass(older);
    assert.deepEqual(older.fired, []);
    const back = await Node.start(await api.cluster!.now());
    await until(async () => {
      await back.clock.advance(50);
      return back.fired.length >= newIds.size;
    });
    assert.deepEqual(new Set(back.fired), newIds);
    assert.deepEqual(older.fired, []);
  });
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
