import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import type { Integration } from '../../src/domain/schedule/schedule.ts';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const DOWN = 'https://down.example/hook';
const UP = 'https://up.example/hook';

/** Requests to `DOWN` hang, all others are answered. */
async function halfDown(): Promise<World> {
  const world = await World.start('2026-03-01T12:00:00Z');
  world.answer = ({ url }) => (url.startsWith(DOWN) ? 'hang' : 200);
  return world;
}

/** A webhook that is called when a run succeeded, too. */
const integrations = (url: string): Integration[] => [
  {
    id: newId(0),
    name: '',
    type: 'WEBHOOK',
    url,
    callOnSuccess: true,
    includeScheduleUrlInCallback: false,
  },
];

describe('fairness', () => {
  test('every request says whose it is: where they wait for a connection, clients take queue', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    const integration = {
      id: '00000000-0000-4000-8000-000000000001',
      type: 'WEBHOOK' as const,
      name: '',
      url: 'https://callback.example/',
      includeScheduleUrlInCallback: false,
      callOnSuccess: true,
    };
    for (let client = 0; client < 2; client += 1) {
      if (client > 0) await world.otherClient();
      const { id } = await world.schedule({ interval: '0 * * * *', integrations: [integration] });
      await world.trigger(id);
    }
    await world.clock.advance(5_000);
    const counts = Map.groupBy(world.sent, ({ clientRowId }) => clientRowId);
    assert.deepEqual(
      [...counts].map(([key, sent]) => [typeof key, sent.length]),
      [
        ['number', 4],
        ['number', 4],
      ],
    );
  });

  test("a client's thousand firings do not delay another client's one at the same instant", async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    for (let i = 0; i < 1_000; i++) await world.schedule({ interval: '* * * * *', url: UP });
    await world.otherClient();
    await world.schedule({ interval: '* * * * *', url: 'https://other.example/' });
    await world.clock.advance(MINUTE);
    const place = world.sent.findIndex(({ url }) => url.startsWith('https://other.example'));
    assert.ok(place >= 0 && place < 3, `it was sent as number ${place}`);
  });

  test('a client of which everything hangs leaves slots for others, every second', async () => {
    const world = await halfDown();
    for (let i = 0; i < 700; i++) await world.schedule({ interval: '* * * * *', url: DOWN });
    await world.otherClient();
    await world.schedule({ interval: '* * * * * *', url: UP });
    await world.clock.advance(2 * MINUTE);
    assert.equal(world.times(UP).length, 120);
    assert.equal(new Set(world.times(UP)).size, 120);
    assert.equal(world.engine.inFlight < 100, true);
  });

  test('a host that hangs takes no more than its slots, and the others of the client go on', async () => {
    const world = await halfDown();
    world.mostPerHost = 10;
    await world.crash();
    for (let i = 0; i < 50; i++) await world.schedule({ interval: '* * * * *', url: DOWN });
    for (let i = 0; i < 50; i++) await world.schedule({ interval: '* * * * *', url: UP });
    await world.clock.advance(MINUTE);
    assert.deepEqual([world.times(UP).length, world.times(DOWN).length], [50, 10]);
  });

  test('what a full host had no place for is postponed, and is sent when it has; nothing is lost', async () => {
    const world = await halfDown();
    world.mostPerHost = 10;
    await world.crash();
    for (let i = 0; i < 80; i++) await world.schedule({ interval: '1 * * * *', url: DOWN });
    await world.clock.advance(MINUTE + 3_000);
    assert.equal(world.times(DOWN).length, 10);
    const nextDueAt = await world.store.queue.nextDueAt();
    assert.ok(nextDueAt !== null && nextDueAt > world.clock.now(), 'they are in the queue again');
    for (let round = 0; round < 8; round++) {
      for (let i = 0; i < 10; i++) await world.release();
      await world.clock.advance(8_000);
    }
    assert.equal(world.times(DOWN).length, 80);
    const statuses = (await world.history()).map(run => run.split(' ')[1]);
    assert.deepEqual([...new Set(statuses)], ['succeeded']);
    assert.equal(statuses.length, 80);
  });

  test('what a busy host gets through in time is not postponed, however many there are', async () => {
    const world = await halfDown();
    world.mostPerHost = 10;
    await world.crash();
    for (let i = 0; i < 60; i++) await world.schedule({ interval: '1 1 * * * *', url: DOWN });
    await world.clock.advance(MINUTE + 1_000);
    for (let tenth = 0; tenth < 25; tenth++) {
      await world.release();
      await world.release();
      await world.clock.advance(100);
    }
    assert.equal(world.times(DOWN).length, 60);
    assert.ok(
      world.times(DOWN).every(time => time < '12:01:05'),
      'none went back for 5 s',
    );
  });

  test('a host that answers nothing is left alone, history says why, and it is called again when it is back', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = ({ url }) =>
      url.startsWith(DOWN) ? { outcome: 'connectionError', error: 'Refused.' } : 200;
    await world.schedule({ interval: '* * * * * *', url: DOWN, policy: { maxRetries: 0 } });
    await world.clock.advance(30_500);
    assert.ok(world.told.includes('breaker opened: https://down.example'));
    // 20 until it opened, then one every 5 s.
    assert.equal(world.times(DOWN).length, 22);
    const runs = await world.runs();
    assert.equal(runs.length, 30);
    assert.match(
      runs.at(-2)!.attempts[0]!.error!,
      /^It was not sent: the breaker of https:\/\/down\.example is open\. The last \d+ requests/,
    );
    assert.equal(runs.at(-2)!.status, 'failed');
    world.answer = () => 200;
    await world.clock.advance(10_000);
    assert.ok(world.told.includes('breaker closed: https://down.example'));
    const statuses = (await world.runs()).slice(-4).map(({ status }) => status);
    assert.deepEqual(statuses, ['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  });

  test('callbacks to a host that hangs leave slots for others', async () => {
    const world = await halfDown();
    for (let i = 0; i < 300; i++) {
      await world.schedule({ interval: '1 1 * * * *', url: UP, integrations: integrations(DOWN) });
    }
    const other = 'https://other.example/';
    await world.schedule({ interval: '9 1 * * * *', url: UP, integrations: integrations(other) });
    await world.clock.advance(MINUTE + 11_000);
    assert.deepEqual([world.times(DOWN).length, world.times(other).length], [50, 1]);
  });

  test("one client's breaker is not another's", async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = ({ url }) => (url.startsWith(`${UP}/slow`) ? { outcome: 'timeout' } : 200);
    await world.schedule({ interval: '* * * * * *', url: `${UP}/slow` });
    await world.clock.advance(30_500);
    await world.otherClient();
    await world.schedule({ interval: '* * * * * *', url: `${UP}/fast` });
    await world.clock.advance(5_000);
    assert.ok(world.told.includes('breaker opened: https://up.example'));
    assert.equal(world.times(`${UP}/fast`).length, 5);
  });
});

describe('fairness between firings, manual runs and callbacks', () => {
  const CLIENTS = 12;
  const OTHER = 'https://other.example/';

  /** Makes as many schedules for each of several clients, so that no client's own share is the bound. */
  async function flood(
    world: World,
    count: number,
    fields: Parameters<World['schedule']>[0],
    made = async (_id: string): Promise<unknown> => null,
  ) {
    for (let client = 0; client < CLIENTS; client++) {
      await world.otherClient();
      for (let i = 0; i < count; i++) await made((await world.schedule(fields)).id);
    }
  }

  /** All slots of a kind are taken but for those that are left for a client that has none. */
  function assertFull(taken: number, slots: number): void {
    assert.ok(taken > slots * 0.95 && taken <= slots, `${taken} of ${slots} slots are taken`);
  }

  /** Of a client of its own: a firing each second, and each calls back. */
  async function other(world: World, interval = '* * * * * *'): Promise<string> {
    await world.otherClient();
    const { id } = await world.schedule({
      interval,
      url: UP,
      integrations: integrations(OTHER),
    });
    return id;
  }

  test('firings that hang in every slot leave callbacks and manual runs theirs', async () => {
    const world = await halfDown();
    await flood(world, 50, { interval: '1 1 * * * *', url: DOWN });
    const id = await other(world, '0 0 1 1 *');
    await world.clock.advance(MINUTE + 3_000);
    assertFull(world.times(DOWN).length, 100);
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.deepEqual([world.times(UP).length, world.times(OTHER).length], [1, 1]);
  });

  test('callbacks that hang in all of their slots leave firings and manual runs theirs', async () => {
    const world = await halfDown();
    await flood(world, 50, { interval: '1 1 * * * *', url: UP, integrations: integrations(DOWN) });
    await world.clock.advance(MINUTE + 10_000);
    assertFull(world.times(DOWN).length, 150);
    world.sent.length = 0;
    const id = await other(world);
    await world.clock.advance(10_000);
    assert.equal(new Set(world.times(UP)).size, 10, 'a firing each second');
    await world.trigger(id);
    await world.clock.advance(500);
    assert.ok(world.times(UP).length > 10, 'and the manual run at once');
  });

  test('manual runs that hang in all of their slots leave firings and callbacks theirs', async () => {
    const world = await halfDown();
    await flood(world, 20, { interval: '0 0 1 1 *', url: DOWN }, id => world.trigger(id));
    await world.clock.advance(5_000);
    assertFull(world.times(DOWN).length, 150);
    await other(world);
    await world.clock.advance(10_000);
    assert.deepEqual([world.times(UP).length, world.times(OTHER).length], [10, 10]);
  });

  test('nothing of a flood is lost: all of it ends when its host answers again', async () => {
    const world = await halfDown();
    await flood(world, 30, { interval: '1 1 * * * *', url: UP, integrations: integrations(DOWN) });
    await world.clock.advance(MINUTE + 10_000);
    world.answer = () => 200;
    for (let hanging = world.times(DOWN).length; hanging > 0; hanging--) await world.release();
    await world.clock.advance(30_000);
    const ends = world.told.filter(line => line === 'callback succeeded');
    assert.deepEqual([ends.length, world.times(DOWN).length], [360, 360]);
  });

  test('the breaker that firings opened refuses callbacks to the same host, too', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = ({ url }) => (url.startsWith(DOWN) ? { outcome: 'timeout' } : 200);
    await world.schedule({ interval: '* * * * * *', url: DOWN, policy: { maxRetries: 0 } });
    await world.clock.advance(30_500);
    assert.equal(world.told.filter(line => line.startsWith('breaker opened')).length, 1);
    const before = world.times(`${DOWN}/callback`).length;
    await world.schedule({
      interval: '31 * * * * *',
      url: UP,
      integrations: integrations(`${DOWN}/callback`),
    });
    await world.clock.advance(2_000);
    assert.deepEqual([before, world.times(`${DOWN}/callback`).length], [0, 0]);
    assert.equal(await world.store.outbox.depth(), 1, 'it waits for its retry');
  });
});
