import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PunctualError } from '../../src/domain/errors.ts';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;

/** Makes the next `times` calls of a store's function fail, as a full disk does. */
function failing<Part extends object>(part: Part, name: keyof Part, times: number): void {
  const original = part[name] as (...parameters: unknown[]) => Promise<unknown>;
  let left = times;
  Object.assign(part, {
    [name]: async (...parameters: unknown[]) => {
      if (left-- > 0) throw new PunctualError('store_unavailable', 'The disk is full.');
      return original(...parameters);
    },
  });
}

describe('a store that fails for a while', () => {
  test('what ended meanwhile is kept and written when it is back; nothing fires twice', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    failing(world.store.queue, 'settle', 5);
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(10_000);
    assert.deepEqual(world.times(), ['12:00:00']);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
    assert.ok(world.told.includes('store failed: The disk is full.'));
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:00:00', '12:01:00']);
  });

  test('while ends cannot be written, nothing new is claimed', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    failing(world.store.queue, 'settle', 100);
    await world.schedule({ interval: '0 12 * * *' });
    await world.schedule({ interval: '5 0 12 * * *' });
    await world.clock.advance(8_000);
    assert.deepEqual(world.times(), ['12:00:00']);
    await world.clock.advance(MINUTE);
    assert.equal(world.times().length, 2);
  });

  test('a run that a target ends while nothing can be written has ended when the target said so', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 202;
    await world.schedule({
      interval: '0 * * * *',
      policy: { completion: { deadlineSeconds: 60 } },
    });
    await world.clock.advanceTo('2026-03-01T12:00:05Z');
    failing(world.store.queue, 'settle', 10);
    const sent = world.sent[0]!;
    await world.say(sent, { extendSeconds: 300 });
    await world.clock.advanceTo('2026-03-01T12:00:06Z');
    assert.ok(await world.say(sent));
    await world.clock.advanceTo('2026-03-01T12:00:20Z');
    const [run] = await world.runs();
    assert.equal(run!.status, 'succeeded');
    assert.equal(run!.finishedAt, Date.parse('2026-03-01T12:00:06Z'));
  });

  test('a claim that fails is tried again, and fires late', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    failing(world.store.queue, 'claim', 3);
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(5_000);
    assert.equal(world.sent.length, 1);
  });

  test('rows that were claimed and could not be decided about are given back, not forgotten', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    await world.schedule({ interval: '0 * * * *' });
    failing(world.store.queue, 'settle', 1);
    await world.crash(2 * 60 * MINUTE);
    await world.clock.advance(2_000);
    assert.deepEqual(await world.history(), [
      '12:00:00 missed',
      '13:00:00 succeeded',
      '14:00:00 succeeded',
    ]);
  });

  test('a callback whose end cannot be written is not lost and not sent again', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    failing(world.store.outbox, 'settle', 3);
    const { id } = await world.schedule({ interval: '0 0 1 1 *' });
    await world.trigger(id);
    await world.clock.advance(5_000);
    assert.deepEqual(await world.history(), ['11:59:59 succeeded']);
    assert.equal(world.sent.length, 1);
  });

  test('an engine that stops while the store fails comes to its end at the limit', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    failing(world.store.queue, 'settle', Number.POSITIVE_INFINITY);
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    const stopped = world.engine.stop(3_000);
    await world.clock.advance(3_000);
    await stopped;
    const before = world.told.length;
    await world.clock.advance(MINUTE);
    assert.equal(world.told.length, before, 'it still tries');
  });
});

test('what was given back, and claimed anew, is not given back again where others of its batch fail', async () => {
  const world = await World.start('2026-03-01T11:59:00Z');
  const interval = '0 12 * * *';
  const given = await world.schedule({ interval });
  const changed = await world.schedule({ interval });
  world.answer = () => 'hang';
  await world.clock.advance(59_900);
  failing(world.store.queue, 'reread', 1);
  await Promise.all([
    world.change(given.id, { label: 'another' }),
    world.change(changed.id, { interval: '1 12 * * *' }),
  ]);
  await world.clock.advance(10_000);
  assert.ok(world.told.includes('store failed: The disk is full.'));
  assert.equal(world.sent.length, 1);
});

test('a manual run that cannot be decided about is told of, and the engine goes on', async () => {
  const world = await World.start('2026-03-01T11:59:59Z');
  world.answer = () => 'hang';
  const { id } = await world.schedule({ interval: '0 13 * * *' });
  const claim = world.store.outbox.claim.bind(world.store.outbox);
  world.store.outbox.claim = async (...parameters) => {
    const claims = await claim(...parameters);
    for (const each of claims) {
      if (each.kind === 'manual') Object.assign(each.schedule, { timezone: 'Mars/Phobos' });
    }
    return claims;
  };
  await world.trigger(id);
  await world.release();
  assert.ok(world.told.includes(`row failed: ${id}`), world.told.join('\n'));
});

test('a request that cannot be built is tried again a minute later', async () => {
  const world = await World.start('2026-03-01T11:59:58Z');
  const { queue } = world.store;
  const claim = queue.claim.bind(queue);
  let isSpoilt = true;
  queue.claim = async (...parameters) => {
    const result = await claim(...parameters);
    for (const { schedule } of isSpoilt ? result.claims : []) {
      Object.assign(schedule, { signingSecret: undefined });
    }
    return result;
  };
  const { id } = await world.schedule({ interval: '0 * * * *' });
  await world.clock.advance(10_000);
  assert.ok(world.told.includes(`row failed: ${id}`), world.told.join('\n'));
  isSpoilt = false;
  await world.clock.advance(MINUTE);
  assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
});

test('a schedule that cannot be decided about is left alone, and the others go on', async () => {
  const world = await World.start('2026-03-01T11:59:59Z');
  const bad = await world.schedule({ interval: '0 * * * *' });
  await world.schedule({ interval: '0 * * * *' });
  world.answer = ({ headers }) => (headers['punctual-schedule-id'] === bad.id ? 'hang' : 200);
  await world.clock.advance(2_000);
  // As if the time zone had gone with an update of the system.
  await world.breakHanging('Mars/Phobos');
  await world.release();
  await world.clock.advance(2_000);
  assert.ok(world.told.includes(`row failed: ${bad.id}`), world.told.join('\n'));
  await world.clock.advance(60 * MINUTE);
  assert.equal(world.sent.length, 3);
});
