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

  test('a client of which everything hangs leaves places for others, every second', async () => {
    const world = await halfDown();
    for (let i = 0; i < 700; i++) await world.schedule({ interval: '* * * * *', url: DOWN });
    await world.otherClient();
    await world.schedule({ interval: '* * * * * *', url: UP });
    await world.clock.advance(2 * MINUTE);
    assert.equal(world.times(UP).length, 120);
    assert.equal(new Set(world.times(UP)).size, 120);
    assert.equal(world.engine.inFlight < 100, true);
  });

  test('a host that hangs takes no more than its places, and the others of the client go on', async () => {
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
    for (let i = 0; i < 25; i++) await world.schedule({ interval: '1 * * * *', url: DOWN });
    await world.clock.advance(MINUTE + 3_000);
    assert.equal(world.times(DOWN).length, 10);
    const nextDueAt = await world.store.queue.nextDueAt();
    assert.ok(nextDueAt !== null && nextDueAt > world.clock.now(), 'they are in the queue again');
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 10 && i < 25 - round * 10; i++) await world.release();
      await world.clock.advance(8_000);
    }
    assert.equal(world.times(DOWN).length, 25);
    const statuses = (await world.history()).map(run => run.split(' ')[1]);
    assert.deepEqual([...new Set(statuses)], ['succeeded']);
    assert.equal(statuses.length, 25);
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

  test('callbacks to a host that hangs leave places for others', async () => {
    const world = await halfDown();
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
