import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startOf } from '../../src/domain/run/start.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');
/** Just before the schedule's time, by the clock; written just after it. */
const READ_AT = NOON + MINUTE - 2;
/** The new times have the one that was just sent. */
const EVERY_HALF = { interval: '*/30 * * * * *' };

describe('a change that is written after a time that is one of its new times as well', () => {
  const changedLate = async (world: World, id: string) => {
    await world.clock.advance(5);
    await world.change(id, EVERY_HALF, READ_AT);
  };

  /** A request is under way, which the test may end; others are answered. */
  const changedWhileUnderWay = async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE);
    await changedLate(world, id);
    world.answer = () => 200;
    return world;
  };

  test('does not fire it again where it has ended', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE);
    await changedLate(world, id);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:30', '12:02:00']);
    assert.deepEqual((await world.history()).slice(0, 2), [
      '12:01:00 succeeded',
      '12:01:30 succeeded',
    ]);
  });

  test('leaves its run in history where it ends after the change', async () => {
    const world = await changedWhileUnderWay();
    await world.release();
    await world.clock.advance(100);
    assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
    await world.clock.advance(40_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:30']);
  });

  test('leaves it its retry, at the time of that', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 503;
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE);
    world.answer = () => 200;
    await changedLate(world, id);
    await world.clock.advance(4_990);
    assert.deepEqual(world.times(), ['12:01:00']);
    await world.clock.advance(30_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:05', '12:01:30']);
    assert.deepEqual(await world.history(), ['12:01:00 succeeded', '12:01:30 succeeded']);
  });

  test('leaves it its retry also where the attempt ends after the change', async () => {
    const world = await changedWhileUnderWay();
    await world.release(503);
    await world.clock.advance(35_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:05', '12:01:30']);
  });

  test('leaves it its retry also where the clock was set back just before', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '0 0 1 1 *' });
    await world.clock.jump('2026-03-01T12:00:55Z');
    await world.clock.advance(1_000);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.jump('2026-03-01T12:00:53Z');
    await world.clock.advance(7_000);
    await changedLate(world, id);
    world.answer = () => 200;
    await world.release(503);
    await world.clock.advance(30_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:05', '12:01:30']);
  });

  test('does not make it unsent where the process ends then', async () => {
    const world = await changedWhileUnderWay();
    await world.crash(10);
    await world.clock.advance(1_000);
    const [run] = await world.runs();
    assert.deepEqual(
      run!.attempts.map(({ number, outcome }) => [number, outcome]),
      [
        [1, 'lost'],
        [2, 'response'],
      ],
    );
    await world.clock.advance(31_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:00', '12:01:30']);
  });

  test('nor where it was disabled', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE);
    await world.clock.advance(5);
    await world.change(id, { status: 'disabled' }, READ_AT);
    await world.crash(10);
    await world.clock.advance(1_000);
    const [run] = await world.runs();
    assert.deepEqual(
      [run!.status, run!.attempts.map(({ outcome }) => outcome)],
      ['failed', ['lost']],
    );
  });
});

describe('a change that takes a claim back, whose request waits for a connection', () => {
  for (const status of ['enabled', 'disabled'] as const) {
    test(`does not say that its run was going: ${status}`, async () => {
      const world = await World.start('2026-03-01T12:00:00Z');
      const { id } = await world.schedule({ interval: '* * * * * *' });
      world.congested = true;
      await world.clock.advance(3_500);
      await world.change(id, { interval: '0 0 1 1 *', status });
      await world.decongest();
      await world.clock.advance(100);
      assert.deepEqual(world.times(), []);
      assert.deepEqual(await world.history(), []);
    });
  }

  for (const [name, earlierAt] of [
    ['the process dies before the claim is given back', null],
    ['it dies so after two changes, the first of them before its time', '2026-03-01T12:00:01.600Z'],
  ] as const) {
    test(`nor where ${name}`, async () => {
      const world = await World.start('2026-03-01T12:00:00Z');
      const { id } = await world.schedule({ interval: '*/2 * * * * *' });
      await world.clock.advance(1_500);
      world.markFault = new Error('The disk is full.');
      const { store, clientRowId, clock } = world;
      // As another process writes it.
      const written = async (status: Schedule['status']) => {
        const { schedule, version } = (await store.schedules.find(clientRowId, id))!;
        const next = { ...schedule, status, updatedAt: clock.now() };
        const requeue = { changedAt: clock.now(), start: startOf(next, clock.now()) };
        await store.schedules.update(clientRowId, next, version, requeue);
      };
      if (earlierAt !== null) {
        await clock.advanceTo(earlierAt);
        await written('enabled');
      }
      await clock.advanceTo('2026-03-01T12:00:06.500Z');
      await written('disabled');
      const skipped = ['12:00:04 skipped', '12:00:06 skipped'];
      assert.deepEqual(
        (await world.history()).filter(run => !run.startsWith('12:00:02')),
        skipped,
      );
      world.markFault = null;
      await world.crash();
      await clock.advance(1_000);
      assert.deepEqual(await world.history(), []);
    });
  }
});

describe('a change during the attempt of a manual run that fails', () => {
  const failedUnder = async (before: string, after: string) => {
    const world = await World.start('2026-03-01T12:00:01Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: before });
    await world.trigger(id);
    world.answer = () => 200;
    await world.change(id, { interval: after });
    await world.release(503);
    await world.clock.advance(15_000);
    return world;
  };

  test('leaves it its retry where the next time comes after that', async () => {
    const world = await failedUnder('*/4 * * * * *', '0 0 1 1 *');
    assert.deepEqual(await world.history(), ['12:00:01 succeeded']);
    assert.deepEqual(world.times(), ['12:00:01', '12:00:06']);
    assert.equal(world.told.filter(event => event.startsWith('run')).length, 1);
  });

  test('takes its retry where the next time comes before that', async () => {
    const world = await failedUnder('0 0 1 1 *', '*/4 * * * * *');
    assert.equal((await world.history())[0], '12:00:01 failed');
    assert.deepEqual(world.times().slice(0, 2), ['12:00:01', '12:00:04']);
  });
});

test('a retry waits as long as it was to where two changes bring a next time before it, and take it away', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  world.answer = () => ({ responseStatus: 503, responseHeaders: { 'retry-after': '40' } });
  const { id } = await world.schedule({ interval: '* * * * *' });
  await world.clock.advance(MINUTE);
  world.answer = () => 200;
  await world.change(id, { interval: '*/10 * * * * *' });
  await world.change(id, { interval: '*/5 * * * *' });
  await world.clock.advance(MINUTE);
  assert.deepEqual(world.times(), ['12:01:00', '12:01:40']);
  assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
});

describe('a change that a slow store writes after the clock was set back', () => {
  test('counts its times from then on, and loses none', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * * *', status: 'disabled' });
    await world.clock.advance(1_500);
    await world.clock.jump('2026-03-01T12:40:00.500Z');
    await world.clock.advance(1_000);
    const readAt = world.clock.now();
    await world.clock.jump('2026-03-01T12:00:02.500Z');
    // Within a second the step is seen. Rows are counted anew, and again two seconds later.
    await world.clock.advance(1_000);
    assert.match(world.told.join(), /clock -/);
    await world.change(id, { status: 'enabled' }, readAt);
    await world.clock.advanceTo('2026-03-01T12:00:06.500Z');
    assert.deepEqual(world.times(), ['12:00:04', '12:00:05', '12:00:06']);
  });
});
