import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { World } from '../support/engine/world.ts';

/** The clock was ahead, and 36 to 38 were sent. It is right again, and has been for so long that no pass counts rows anew. */
async function setBack(interval: string): Promise<{ world: World; id: string }> {
  const world = await World.start('2026-03-01T12:00:00Z');
  const { id } = await world.schedule({ interval: '* * * * * *' });
  await world.clock.advance(2_500);
  await world.clock.jump('2026-03-01T12:00:35.500Z');
  await world.clock.advance(3_000);
  await world.clock.jump('2026-03-01T12:00:06.500Z');
  await world.change(id, { interval });
  await world.clock.advanceTo('2026-03-01T12:00:20.200Z');
  return { world, id };
}

/** Later times than those come first. */
function since(world: World): string[] {
  const times = world.times();
  return times.slice(times.lastIndexOf('12:00:22'));
}

describe('a change long after the clock was set back', () => {
  const every = [22, 24, 26, 28, 30, 32, 34].map(second => `12:00:${second}`);

  test('starts with its first time, and repeats none that was sent', async () => {
    const { world, id } = await setBack('* * * * * *');
    await world.change(id, { interval: '*/2 * * * * *' });
    await world.clock.advanceTo('2026-03-01T12:00:42.500Z');
    assert.deepEqual(since(world), [...every, '12:00:40', '12:00:42']);
  });

  test('does so where the schedule waited for a time beyond those that were sent', async () => {
    const { world, id } = await setBack('0 * * * * *');
    await world.change(id, { interval: '*/2 * * * * *' });
    await world.clock.advanceTo('2026-03-01T12:00:42.500Z');
    assert.deepEqual(since(world), [...every, '12:00:40', '12:00:42']);
  });

  test('does so where a run of the clock that was ahead still goes on', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '*/10 * * * * *' });
    await world.clock.jump('2026-03-01T12:00:39.500Z');
    world.answer = () => 'hang';
    await world.clock.advance(1_000);
    world.answer = () => 200;
    await world.clock.jump('2026-03-01T12:00:02.500Z');
    await world.clock.advanceTo('2026-03-01T12:00:17.200Z');
    await world.change(id, { interval: '*/2 * * * * *' });
    await world.release(503);
    await world.clock.advanceTo('2026-03-01T12:00:22.500Z');
    assert.deepEqual(since(world), ['12:00:22']);
    assert.deepEqual(world.times().slice(-3), ['12:00:18', '12:00:20', '12:00:22']);
  });

  for (const [name, silent] of [
    ['was disabled', { status: 'disabled' }],
    ['had no time for long', { interval: '0 0 * * * *' }],
  ] as const) {
    for (const when of ['before', 'after'])
      test(`does so where the schedule ${name}, and a run of the clock that was ahead ends ${when} it`, async () => {
        const world = await World.start('2026-03-01T12:00:00Z');
        const policy = { catchUpSeconds: 0 };
        const { id } = await world.schedule({ interval: '*/10 * * * * *', policy });
        await world.clock.jump('2026-03-01T12:00:39.500Z');
        world.answer = () => 'hang';
        await world.clock.advance(1_000);
        world.answer = () => 200;
        await world.clock.jump('2026-03-01T12:00:02.500Z');
        await world.clock.advance(1_000);
        await world.change(id, silent);
        await world.clock.advanceTo('2026-03-01T12:00:21.200Z');
        if (when === 'before') await world.release();
        await world.change(id, { status: 'enabled', interval: '*/2 * * * * *' });
        if (when === 'after') await world.release();
        await world.clock.advanceTo('2026-03-01T12:00:42.500Z');
        assert.deepEqual(since(world), [...every, '12:00:36', '12:00:38', '12:00:42']);
      });
  }
});

test('a run of a clock that was ahead, cut off and sent again after its time has come, hides no time before it', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  await world.schedule({ interval: '*/10 * * * * *' });
  await world.clock.jump('2026-03-01T12:00:39.500Z');
  world.answer = () => 'hang';
  await world.clock.advance(1_000);
  world.answer = () => 200;
  await world.clock.jump('2026-03-01T12:00:12.500Z');
  await world.clock.advance(5_000);
  await world.crash(24_000);
  await world.clock.advance(5_000);
  const history = await world.history();
  assert.deepEqual(
    ['12:00:20', '12:00:30', '12:00:40'].filter(at => !history.some(each => each.startsWith(at))),
    [],
  );
});

test('a record of many missed times ends with the times before the change, where that comes before rows are counted anew', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  const { id } = await world.schedule({ interval: '* * * * * *' });
  await world.clock.jump('2026-03-01T13:00:00.500Z');
  await world.clock.advance(1_000);
  await world.clock.jump('2026-03-01T12:30:00.500Z');
  await world.change(id, { interval: '0 0 * * * *' });
  await world.clock.advance(15_000);
  const [{ missed } = {}] = await world.runs();
  const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
  assert.deepEqual(missed, { count: 1_800, from: at('12:00:01'), to: at('12:30:00') });
});

describe('a run that failed under a clock that was ahead, and waits for its retry as the clock is right again', () => {
  async function waiting(interval: string) {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval, policy: { catchUpSeconds: 0 } });
    world.answer = () => 503;
    await world.clock.jump('2026-03-01T12:39:59Z');
    await world.clock.advance(2_000);
    assert.deepEqual(nominal(world), ['12:40:00']);
    await world.clock.jump('2026-03-01T12:00:02Z');
    await world.clock.advance(1_000);
    return { world, id };
  }
  const nominal = ({ sent }: World) =>
    sent.map(({ headers }) => headers['punctual-scheduled-for']!.slice(11, 19));

  test('is not sent again when its time comes', async () => {
    const { world } = await waiting('*/10 * * * *');
    world.answer = () => 200;
    await world.clock.advanceTo('2026-03-01T12:51:00Z');
    const times = ['12:10:00', '12:20:00', '12:30:00', '12:50:00'];
    assert.deepEqual(nominal(world), ['12:40:00', ...times]);
  });

  test('keeps no time back that a change brings within a minute of it', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const policy = { retryDelaysSeconds: [60] };
    const { id } = await world.schedule({ interval: '*/30 * * * * *', policy });
    world.answer = () => 503;
    await world.clock.jump('2026-03-01T12:00:29.500Z');
    await world.clock.advance(1_000);
    await world.clock.jump('2026-03-01T12:00:08.500Z');
    world.answer = () => 200;
    await world.clock.advanceTo('2026-03-01T12:00:25.200Z');
    await world.change(id, { interval: '*/2 * * * * *' });
    await world.clock.advanceTo('2026-03-01T12:00:34.500Z');
    const times = ['12:00:26', '12:00:28', '12:00:32', '12:00:34'];
    assert.deepEqual(nominal(world), ['12:00:30', ...times]);
  });

  test('keeps no time back that a change brings', async () => {
    const { world, id } = await waiting('*/40 * * * *');
    await world.clock.advance(20_000);
    await world.change(id, { interval: '*/10 * * * *' });
    world.answer = () => 200;
    await world.clock.advanceTo('2026-03-01T12:51:00Z');
    const times = nominal(world).filter(time => time !== '12:40:00');
    assert.deepEqual(times, ['12:10:00', '12:20:00', '12:30:00', '12:50:00']);
  });
});

test('a retry waits for the end of a pause, also if the clock is set back meanwhile', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  world.answer = () => 503;
  const policy = { retryDelaysSeconds: [300, 60] };
  const { id } = await world.schedule({ interval: '*/30 * * * *', policy });
  await world.clock.advanceTo('2026-03-01T12:34:59Z');
  while (world.sent.length < 2) await world.clock.advance(1_000);
  const pausedUntil = world.sent[1]!.at + 59_000;
  await world.change(id, { timing: { pausedUntil } });
  await world.clock.jump('2026-03-01T12:31:00Z');
  await world.clock.advanceTo(new Date(pausedUntil + 20_000).toISOString());
  assert.equal(world.sent.length, 3);
  assert.ok(world.sent[2]!.at >= pausedUntil, world.times().join());
});
