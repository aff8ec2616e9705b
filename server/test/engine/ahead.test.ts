import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;

/** Before the minute: what is due at it has been claimed. */
const HELD = MINUTE - 400;

describe('what is claimed ahead of its time', () => {
  test('is claimed before it, together, and sent at it', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    for (let i = 0; i < 30; i++) await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    assert.equal(await world.store.queue.nextDueAt(), null);
    assert.deepEqual([world.sent.length, world.engine.inFlight], [0, 0]);
    await world.clock.advance(399);
    assert.equal(world.sent.length, 0);
    await world.clock.advance(1);
    assert.equal(world.sent.length, 30);
    assert.deepEqual([...new Set(world.times())], ['12:01:00']);
  });

  test('is signed with the time at which it leaves', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE);
    const [sent] = world.sent;
    assert.equal(sent!.headers['webhook-timestamp'], String(sent!.at / 1_000));
  });

  test('is not sent where the schedule is deleted in between', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    await world.change(id, { status: 'deleted' });
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual([world.sent, await world.history()], [[], []]);
  });

  test('is sent as the schedule says by then', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    await world.change(id, { url: 'https://example.com/changed' });
    await world.clock.advance(400);
    assert.deepEqual(world.times('https://example.com/changed'), ['12:01:00']);
    assert.equal(world.sent.length, 1);
  });

  test('goes by its new times where they are changed', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    await world.change(id, { interval: '30 * * * * *' });
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:30']);
    assert.deepEqual(await world.history(), ['12:01:30 succeeded']);
  });

  test('makes way for a manual run, and fires at its time when that has ended', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    await world.trigger(id);
    await world.clock.advance(30);
    assert.deepEqual(world.times(), ['12:00:59']);
    await world.clock.advance(370);
    assert.deepEqual(world.times(), ['12:00:59', '12:01:00']);
  });

  test('makes way for a manual run, and is skipped while that goes on', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    world.answer = () => 'hang';
    await world.trigger(id);
    await world.clock.advance(1_000);
    await world.release();
    await world.clock.advance(30);
    assert.deepEqual(world.times(), ['12:00:59']);
    assert.deepEqual((await world.history()).sort(), ['12:00:59 succeeded', '12:01:00 skipped']);
  });

  test('an every-second schedule leaves manual runs their turn', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(5_250);
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.equal(world.sent.length, 7);
    assert.equal((await world.history()).filter(run => run.endsWith('succeeded')).length, 7);
  });

  test('is given back by a stop, and nothing is recorded as lost', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    const dueAt = world.clock.now() + 400;
    const stopped = world.engine.stop(10_000);
    await world.clock.advance(30);
    await stopped;
    assert.equal(await world.store.queue.nextDueAt(), dueAt);
    assert.deepEqual(await world.runs(), []);
  });

  test('is not lost where the process ends and is back before its time', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    await world.crash(100);
    await world.clock.advance(1_000);
    const [run] = await world.runs();
    assert.deepEqual(
      run!.attempts.map(({ outcome }) => outcome),
      ['response'],
    );
    assert.deepEqual(world.times(), ['12:01:00']);
  });

  test('is not lost where the process ends before its time and is back after it, and fires late', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(HELD);
    await world.crash(10_000);
    await world.clock.advance(1_000);
    const [run] = await world.runs();
    assert.deepEqual(
      run!.attempts.map(({ number, outcome }) => [number, outcome]),
      [[1, 'response']],
    );
    assert.deepEqual(world.times(), ['12:01:09']);
  });

  test('is lost where the process ends after its time', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE);
    world.answer = () => 200;
    await world.crash(10_000);
    await world.clock.advance(1_000);
    const [run] = await world.runs();
    assert.deepEqual(
      run!.attempts.map(({ outcome }) => outcome),
      ['lost', 'response'],
    );
  });

  test('is not lost where the process sends others just before, and ends before its time', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    const retried = 'https://example.com/retried';
    world.answer = ({ url }) => (url === retried ? 'hang' : 200);
    await world.schedule({ interval: '0 * * * *', url: retried });
    await world.schedule({ interval: '*/5 * * * * *' });
    await world.clock.advance(1_050);
    await world.release(503);
    world.answer = () => 200;
    await world.clock.advance(4_970);
    assert.deepEqual(world.times(retried), ['12:00:00']);
    await world.crash(10);
    await world.clock.advance(1_000);
    const [run] = (await world.runs()).filter(({ attempts }) => attempts.length > 1);
    assert.deepEqual(
      run!.attempts.map(({ outcome, startedAt }) => [outcome, new Date(startedAt).toISOString()]),
      [
        ['response', '2026-03-01T12:00:00.000Z'],
        ['response', '2026-03-01T12:00:05.050Z'],
      ],
    );
  });

  test('is lost where it was sent before another one that was late, and the process ends', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    for (let i = 0; i < 76; i++) await world.schedule({ interval: '* * * * *' });
    await world.otherClient();
    const other = 'https://example.org/other';
    await world.schedule({ interval: '5 1 * * * *', url: other });
    await world.clock.advance(MINUTE + 5_100);
    assert.deepEqual([world.sent.length, world.times(other)], [76, ['12:01:05']]);
    await world.release();
    await world.clock.advance(100);
    assert.equal(world.sent.length, 77);
    world.answer = () => 200;
    await world.crash();
    await world.clock.advance(1_000);
    const outcomes = (await world.runs()).at(-1)!.attempts.map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['lost', 'response']);
  });

  test('is missed where the machine sleeps over its time and catching up is turned off', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *', policy: { catchUpSeconds: 0 } });
    await world.clock.advance(HELD);
    await world.clock.jump('2026-03-01T12:01:30Z');
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:02:00']);
    assert.deepEqual(await world.history(), ['12:01:00 missed', '12:02:00 succeeded']);
  });

  test('waits at its time for room, and no more are under way than are allowed', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    for (let i = 0; i < 150; i++) await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE + 100);
    assert.deepEqual([world.sent.length, world.engine.inFlight], [75, 75]);
    for (let i = 0; i < 60; i++) await world.release();
    await world.clock.advance(100);
    assert.deepEqual([world.sent.length, world.engine.inFlight], [135, 75]);
  });

  test('where many of a client cannot leave, no more of its are claimed', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    for (let i = 0; i < 2_100; i++) await world.schedule({ interval: '1 1 * * * *' });
    for (let i = 0; i < 10; i++) await world.schedule({ interval: '5 1 * * * *' });
    await world.clock.advance(MINUTE + 10_000);
    assert.equal(world.sent.length, 75);
    assert.equal(await world.store.queue.depth(world.clock.now()), 10);
  });

  test('what waits for room is not sent before its time by a clock that is set back', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    for (let i = 0; i < 76; i++) await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE + 100);
    world.answer = () => 200;
    await world.clock.jump('2026-03-01T12:00:30Z');
    await world.release();
    await world.clock.advance(20_000);
    assert.equal(world.sent.length, 75);
    await world.clock.advance(15_000);
    assert.equal(world.sent.length, 76);
  });

  test('where it cannot be marked that they are sent, they wait, and their places are free again', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    for (let i = 0; i < 60; i++) await world.schedule({ interval: '* * * * *' });
    world.markFault = new Error('disk');
    await world.clock.advance(MINUTE + 10_000);
    assert.deepEqual([world.sent.length, world.told.includes('store failed: disk')], [0, true]);
    world.markFault = null;
    await world.clock.advance(1_000);
    assert.equal(world.sent.length, 60);
  });

  test('a request that waits for a connection for long is signed anew', async () => {
    const world = await World.start('2026-03-01T11:59:00Z');
    world.congested = true;
    const { id } = await world.schedule({ interval: '0 * * * *' });
    const manual = await world.schedule({ interval: '0 0 1 1 *', url: 'https://example.org/' });
    await world.trigger(manual.id);
    await world.clock.advance(MINUTE + 59_000);
    assert.equal(world.engine.inFlight, 2);
    await world.clock.advance(3 * MINUTE);
    await world.decongest();
    await world.clock.advance(1_000);
    assert.equal(world.sent.length, 2);
    for (const { at, headers } of world.sent) {
      const ageMs = at - Number(headers['webhook-timestamp']) * 1_000;
      assert.ok(ageMs < MINUTE + 2_000, `${ageMs} ms old`);
    }
    assert.ok(world.sent.some(({ headers }) => headers['punctual-schedule-id'] === id));
    assert.deepEqual(await world.history(), ['11:59:00 succeeded', '12:00:00 succeeded']);
  });

  test('a request that had to wait for room is signed with the time at which it leaves', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    for (let i = 0; i < 76; i++) await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE + 20_000);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(100);
    const sent = world.sent[75]!;
    assert.equal(sent.headers['webhook-timestamp'], String(Math.floor(sent.at / 1_000)));
  });
});
