import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const DOWN = 'https://down.example/hook';

/** A world in which one host answers nothing, and its breaker is open. */
async function broken(): Promise<World> {
  const world = await World.start('2026-03-01T12:00:00Z');
  world.answer = ({ url }) =>
    url.startsWith(DOWN) ? { outcome: 'connectionError', error: 'Refused.' } : 200;
  await world.schedule({ interval: '* * * * * *', url: DOWN, policy: { maxRetries: 0 } });
  await world.clock.advance(30_500);
  return world;
}

const openIn = async ({ store, clientRowId, clock }: World) =>
  (await store.stats.openBreakers(clientRowId, clock.now(), 10)).map(
    ({ origin, since }) => `${origin} ${new Date(since).toISOString().slice(11, 19)}`,
  );
const changesIn = async ({ store, clientRowId }: World) =>
  (await store.stats.breakersSince(clientRowId, 0, 10)).map(({ change }) => change);

const toldIn = ({ told }: World) => told.filter(line => line.startsWith('breaker '));

describe('what an engine tells of its breakers', () => {
  test('it ends with the engine: a pause leaves none open, and what ends later opens none', async () => {
    const world = await broken();
    assert.deepEqual(toldIn(world), ['breaker opened: https://down.example']);
    await Promise.all([world.engine.stop(1_000), world.clock.advance(1)]);
    const told = [
      'breaker opened: https://down.example',
      'breaker forgotten: https://down.example',
    ];
    assert.deepEqual(toldIn(world), told);
    await world.clock.advance(10_000);
    assert.deepEqual(toldIn(world), told);
  });

  test('it answers again', async () => {
    const world = await broken();
    world.answer = () => 200;
    await world.clock.advance(10_000);
    assert.deepEqual(toldIn(world), [
      'breaker opened: https://down.example',
      'breaker closed: https://down.example',
    ]);
  });

  test('a request without a file descriptor is told of, and says nothing of its host', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => ({ outcome: 'connectionError', unsent: 'noDescriptor' });
    await world.schedule({ interval: '* * * * * *', url: DOWN, policy: { maxRetries: 0 } });
    await world.clock.advance(30_500);
    assert.deepEqual(toldIn(world), []);
    assert.equal(world.told.filter(line => line === 'no descriptor').length, 30);
  });

  test('a host that nothing was to be sent to for a day is forgotten, and begins anew', async () => {
    const world = await broken();
    const [run] = await world.runs();
    await world.change(run!.scheduleId, { status: 'disabled' });
    await world.clock.jump(world.clock.now() + 25 * 60 * MINUTE);
    await world.clock.advance(1_000);
    const told = [
      'breaker opened: https://down.example',
      'breaker forgotten: https://down.example',
    ];
    assert.deepEqual(toldIn(world), told);
    await world.change(run!.scheduleId, { status: 'enabled' });
    await world.clock.advance(5_000);
    assert.deepEqual(toldIn(world), told, 'it takes twenty faults again');
    await world.clock.advance(30_000);
    assert.deepEqual(toldIn(world), [...told, 'breaker opened: https://down.example']);
  });
});

describe('what an engine notes of its breakers', () => {
  test('opening and closing stand in the store, with the first request that got no answer', async () => {
    const world = await broken();
    assert.deepEqual(await openIn(world), ['https://down.example 12:00:01']);
    assert.deepEqual(await changesIn(world), ['opened']);
    world.answer = () => 200;
    await world.clock.advance(10_000);
    assert.deepEqual(await openIn(world), []);
    assert.deepEqual(await changesIn(world), ['opened', 'closed']);
  });

  test('an open one stays open for as long as something is to be sent to its host', async () => {
    const world = await broken();
    await world.clock.advance(6 * MINUTE);
    assert.deepEqual(await openIn(world), ['https://down.example 12:00:01']);
    assert.deepEqual(await changesIn(world), ['opened']);
  });

  test('writes are few: one when it opens, and one a minute', async context => {
    const world = await broken();
    const note = context.mock.method(world.store.breakers, 'note').mock;
    await world.clock.advance(10 * MINUTE);
    assert.equal(note.callCount(), 10);
  });

  test('one to whose host nothing was to be sent for a day is no longer told of', async () => {
    const world = await broken();
    const [run] = await world.runs();
    await world.change(run!.scheduleId, { status: 'disabled' });
    const later = async (minutes: number) => {
      await world.clock.jump(world.clock.now() + minutes * MINUTE);
      await world.clock.advance(1_000);
    };
    await later(23 * 60);
    assert.equal((await openIn(world)).length, 1);
    await later(70);
    assert.deepEqual(await openIn(world), []);
  });

  test('a stop closes them; a start closes those that a crash has left', async () => {
    const stopped = await broken();
    await Promise.all([stopped.engine.stop(1_000), stopped.clock.advance(1)]);
    assert.deepEqual(await openIn(stopped), []);

    const world = await broken();
    const [record] = await world.store.stats.openBreakers(world.clientRowId, 0, 1);
    const { clientRowId } = world;
    const left = { ...record!, id: 'left', clientRowId, origin: 'https://left.example' };
    await world.store.breakers.note([left], world.clock.now() + 60 * MINUTE);
    assert.equal((await openIn(world)).length, 2);
    world.answer = () => 200;
    await world.crash();
    assert.deepEqual(await openIn(world), []);
  });

  test('a store that does not take them holds up no firing, and has them when it is back', async context => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { note } = world.store.breakers;
    context.mock.method(world.store.breakers, 'note', () => Promise.reject(new Error('full')));
    world.answer = ({ url }) => (url.startsWith(DOWN) ? { outcome: 'timeout' } : 200);
    const policy = { maxRetries: 0 };
    await world.schedule({ interval: '* * * * * *', url: DOWN, policy });
    await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(60_500);
    assert.ok(world.told.includes('store failed: full'));
    assert.equal(world.times().length, 60);
    assert.deepEqual(await openIn(world), []);
    world.store.breakers.note = note;
    await world.clock.advance(1_000);
    assert.deepEqual(await openIn(world), ['https://down.example 12:00:01']);
    assert.deepEqual(await changesIn(world), ['opened']);
  });
});

test('a time that is skipped or missed is told when that is decided', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  const policy = { catchUpSeconds: 0 };
  await world.schedule({ interval: '* * * * *', policy });
  world.answer = () => 'hang';
  await world.clock.advance(2 * MINUTE);
  await world.release();
  await world.clock.advance(1_000);
  world.answer = () => 200;
  await world.crash(3 * MINUTE);
  await world.clock.advance(1_000);
  const ended = await world.store.stats.endedSince(world.clientRowId, 0, 20);
  const told = ended.map(({ status, scheduledFor, endedAt }) => [
    status,
    new Date(scheduledFor).toISOString().slice(14, 19),
    new Date(endedAt).toISOString().slice(14, 19),
  ]);
  assert.deepEqual(told, [
    ['skipped', '02:00', '02:00'],
    ['succeeded', '01:00', '02:00'],
    ['missed', '03:00', '05:01'],
    ['missed', '04:00', '05:01'],
    ['missed', '05:00', '05:01'],
  ]);
});
