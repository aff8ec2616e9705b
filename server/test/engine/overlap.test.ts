import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Answer, World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const BUFFERED = { interval: '* * * * *', policy: { overlap: 'bufferOne' as const } };

describe('overlap bufferOne', () => {
  test('the latest time that came while a run was going starts when it ends, with its nominal time', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    world.answer = () => 'hang';
    await world.schedule(BUFFERED);
    await world.clock.advanceTo('2026-03-01T12:03:30Z');
    assert.deepEqual(world.times(), ['12:01:00']);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(100);
    assert.deepEqual(world.times(), ['12:01:00', '12:03:30']);
    assert.equal(world.sent[1]!.headers['punctual-scheduled-for'], '2026-03-01T12:03:00.000Z');
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), [
      '12:01:00 succeeded',
      '12:02:00 skipped',
      '12:03:00 succeeded',
      '12:04:00 succeeded',
    ]);
    assert.equal(
      (await world.runs())[1]!.reason,
      'The run of 2026-03-01T12:01:00.000Z was still going. A later time took its place and waited.',
    );
  });

  test('the same behind a manual run', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule(BUFFERED);
    await world.trigger(id);
    await world.clock.advanceTo('2026-03-01T12:03:30Z');
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(500);
    assert.deepEqual(world.times(), ['12:00:30', '12:03:30']);
    assert.equal(world.sent[1]!.headers['punctual-scheduled-for'], '2026-03-01T12:03:00.000Z');
    assert.deepEqual(await world.history(), [
      '12:00:30 succeeded',
      '12:01:00 skipped',
      '12:02:00 skipped',
      '12:03:00 succeeded',
    ]);
  });

  test('a run that would be retried gives way to the time that waits', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    world.answer = () => 'hang';
    await world.schedule(BUFFERED);
    await world.clock.advanceTo('2026-03-01T12:02:30Z');
    world.answer = () => 200;
    await world.release(503);
    await world.clock.advance(100);
    assert.deepEqual(await world.history(), ['12:01:00 failed', '12:02:00 succeeded']);
  });

  test('a change of its times lets nothing wait that came before it', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule(BUFFERED);
    await world.clock.advanceTo('2026-03-01T12:02:30Z');
    await world.change(id, { interval: '*/10 * * * *' });
    world.answer = () => 200;
    await world.release();
    await world.clock.advanceTo('2026-03-01T12:10:01Z');
    assert.deepEqual(world.times(), ['12:01:00', '12:10:00']);
  });

  test('a time that waits survives a kill, and is caught up with', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    world.answer = () => 'hang';
    await world.schedule(BUFFERED);
    await world.clock.advanceTo('2026-03-01T12:02:30Z');
    world.congested = true;
    await world.release();
    await world.crash(1_000);
    world.answer = () => 200;
    await world.decongest();
    await world.clock.advance(1_000);
    assert.equal(world.sent.at(-1)!.headers['punctual-scheduled-for'], '2026-03-01T12:02:00.000Z');
  });
});

test('a schedule completes after the run of its target, also where the store is slow to claim its last time', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  const asking: Answer = { responseStatus: 200, control: 'again=59' };
  world.answer = () => (world.sent.length === 1 ? asking : 'hang');
  const endsAt = Date.parse('2026-03-01T12:02:30Z');
  const { id } = await world.schedule({ interval: '* * * * *', timing: { endsAt } });
  await world.clock.advanceTo('2026-03-01T12:01:58Z');
  const answered = Promise.withResolvers<void>();
  const { queue } = world.store;
  const claim = queue.claim.bind(queue);
  queue.claim = async (...given) => {
    const taken = await claim(...given);
    if (taken.claims.length > 0) await answered.promise;
    return taken;
  };
  await world.clock.advanceTo('2026-03-01T12:02:01Z');
  await world.release();
  await world.clock.advance(1_000);
  assert.equal((await world.found(id))!.status, 'enabled');
  answered.resolve();
  await world.clock.advance(1_000);
  assert.deepEqual(await world.history(), [
    '12:01:00 succeeded',
    '12:01:59 succeeded',
    '12:02:00 skipped',
  ]);
  const { statusReason, updatedAt } = (await world.found(id))!;
  assert.equal(statusReason, 'completed');
  assert.equal(new Date(updatedAt!).toISOString(), '2026-03-01T12:02:02.000Z');
});
