import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EventFeed } from '../../src/api/events/feed.ts';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const START = '2026-03-01T12:00:00Z';
const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);

/** Status, reason and version, as they stand. */
async function stateOf(world: World, id: string): Promise<string> {
  const { schedule, version } = (await world.store.schedules.find(world.clientRowId, id))!;
  const { status, statusReason } = schedule;
  return `${status} ${statusReason ?? 'by a caller'}, version ${version}`;
}

const ENABLED = 'enabled by a caller, version 1';
const COMPLETED = 'disabled completed, version 2';
const COMPLETED_AND_GONE = 'deleted completed, version 2';

describe('a one-off', () => {
  for (const [afterCompletion, completed] of [
    ['disable', COMPLETED],
    ['delete', COMPLETED_AND_GONE],
  ] as const) {
    test(`fires once, and completes when its run has ended: ${afterCompletion}`, async () => {
      const world = await World.start(START);
      world.answer = () => 'hang';
      const { id } = await world.schedule({
        interval: 'at(2026-03-01T12:01:00)',
        timing: { afterCompletion },
      });
      await world.clock.advance(2 * MINUTE);
      assert.equal(await stateOf(world, id), ENABLED, 'its run goes on');
      await world.release();
      await world.clock.advance(MINUTE);
      assert.equal(await stateOf(world, id), completed);
      const { updatedAt } = (await world.found(id))!;
      assert.equal(updatedAt, at('12:02:00'));
      await world.clock.advance(3 * MINUTE);
      assert.deepEqual(world.times(), ['12:01:00']);
      assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
      assert.equal(await stateOf(world, id), completed);
    });
  }

  test('waits for the retries of its run', async () => {
    const world = await World.start(START);
    world.answer = () => 503;
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.clock.advanceTo('2026-03-01T12:03:34Z');
    assert.equal(await stateOf(world, id), ENABLED);
    await world.clock.advance(2_000);
    assert.equal(await stateOf(world, id), COMPLETED);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:05', '12:01:35', '12:03:35']);
    assert.deepEqual(await world.history(), ['12:01:00 failed']);
  });

  test('completes where its time is skipped behind a manual run', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.trigger(id);
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual(await world.history(), ['12:00:00 running', '12:01:00 skipped']);
    assert.equal(await stateOf(world, id), COMPLETED);
    await world.release();
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded', '12:01:00 skipped']);
  });

  test('completes where its time is missed', async () => {
    const world = await World.start(START);
    const { id } = await world.schedule({
      interval: 'at(2026-03-01T12:01:00)',
      policy: { catchUpSeconds: 0 },
      timing: { afterCompletion: 'delete' },
    });
    await world.crash(2 * MINUTE);
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), ['12:01:00 missed']);
    assert.equal(await stateOf(world, id), COMPLETED_AND_GONE);
    assert.deepEqual(world.times(), []);
  });

  test('fires late where it passed during a crash, and completes', async () => {
    const world = await World.start(START);
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.crash(2 * MINUTE);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:02:00']);
    assert.equal(await stateOf(world, id), COMPLETED);
  });

  test('that was cut off is sent again under its id, and completes once', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.clock.advance(MINUTE + 10);
    world.answer = () => 200;
    await world.crash(1_000);
    await world.clock.advance(MINUTE);
    assert.equal(world.sent.length, 2);
    assert.equal(new Set(world.sent.map(sent => sent.headers['webhook-id'])).size, 1);
    assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
    assert.equal(await stateOf(world, id), COMPLETED);
  });

  test('that was disabled meanwhile is not completed', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.clock.advance(MINUTE + 10);
    await world.change(id, { status: 'disabled' });
    await world.release();
    await world.clock.advance(MINUTE);
    assert.equal(await stateOf(world, id), 'disabled by a caller, version 2');
  });

  test('whose time is changed while its run ends goes on, and completes with the last', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.clock.advance(MINUTE + 10);
    await world.change(id, { interval: 'at(2026-03-01T12:05:00)' });
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(MINUTE);
    assert.equal(await stateOf(world, id), 'enabled by a caller, version 2');
    await world.clock.advance(5 * MINUTE);
    assert.equal(await stateOf(world, id), 'disabled completed, version 3');
    assert.deepEqual(world.times(), ['12:01:00', '12:05:00']);
  });

  test('that is enabled anew just before its settlement is written is not completed', async () => {
    const world = await World.start(START);
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    const { queue } = world.store;
    const settle = queue.settle.bind(queue);
    let settlements = 0;
    queue.settle = async given => {
      settlements += 1;
      // Between the decision and the write: the fence does not hold any more.
      if (settlements === 1) await world.change(id, { interval: 'at(2026-03-01T12:05:00)' });
      return settle(given);
    };
    await world.clock.advance(MINUTE + 10);
    assert.ok(settlements > 1, 'it was decided anew');
    assert.equal(await stateOf(world, id), 'enabled by a caller, version 2');
    await world.clock.advance(5 * MINUTE);
    assert.equal(await stateOf(world, id), 'disabled completed, version 3');
    assert.deepEqual(world.times(), ['12:01:00', '12:05:00']);
  });

  test('that another change renamed while its run went on completes as it now says', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.clock.advance(MINUTE + 10);
    const { schedule, version } = (await world.store.schedules.find(world.clientRowId, id))!;
    const renamed = { ...schedule, label: 'renamed', updatedAt: world.clock.now() };
    await world.store.schedules.update(world.clientRowId, renamed, version, 'keep');
    await world.release();
    await world.clock.advance(MINUTE);
    assert.equal(await stateOf(world, id), 'disabled completed, version 3');
    assert.equal((await world.found(id))!.label, 'renamed');
  });
});

describe('a completion', () => {
  test('is told once as schedule.changed', async () => {
    const world = await World.start(START);
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    const feed = new EventFeed(world.store, world.clock, error => assert.fail(String(error)));
    const told: string[] = [];
    await world.clock.advance(10_000);
    const leave = feed.join(world.clientRowId, events => {
      for (const { type, data } of events) {
        const { status, statusReason } = data as { status: string; statusReason?: string };
        told.push([type, status, statusReason].filter(Boolean).join(' '));
      }
    });
    await world.clock.advance(2 * MINUTE);
    leave();
    assert.deepEqual(told.sort(), ['run.ended succeeded', 'schedule.changed disabled completed']);
    assert.equal((await world.found(id))!.statusReason, 'completed');
  });

  test('comes with the last of maxRuns, and none fires after it', async () => {
    const world = await World.start(START);
    const { id } = await world.schedule({ interval: '* * * * *', timing: { maxRuns: 3 } });
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00', '12:03:00']);
    assert.equal(await stateOf(world, id), COMPLETED);
  });

  test('counts times that were skipped or missed', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *', timing: { maxRuns: 4 } });
    await world.clock.advance(2 * MINUTE + 10_000);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(100);
    await world.crash(2 * MINUTE);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(await world.history(), [
      '12:01:00 succeeded',
      '12:02:00 skipped',
      '12:03:00 missed',
      '12:04:00 succeeded',
    ]);
    assert.equal(await stateOf(world, id), COMPLETED);
  });

  test('comes where the last times are skipped behind a run that goes on', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const timing = { endsAt: at('12:03:00') };
    const { id } = await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advance(5 * MINUTE);
    assert.equal(await stateOf(world, id), ENABLED);
    await world.release();
    await world.clock.advance(1_000);
    assert.deepEqual(await world.history(), ['12:01:00 succeeded', '12:02:00 skipped']);
    assert.equal(await stateOf(world, id), COMPLETED);
  });

  test('takes manual runs as before, and with afterCompletion delete none that waits', async () => {
    const world = await World.start(START);
    const { id } = await world.schedule({ interval: 'at(2026-03-01T12:01:00)' });
    await world.clock.advance(2 * MINUTE);
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00']);

    world.answer = () => 'hang';
    const timing = { afterCompletion: 'delete' } as const;
    const gone = await world.schedule({ interval: 'at(2026-03-01T12:03:00)', timing });
    await world.clock.advance(MINUTE);
    await world.trigger(gone.id);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(1_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00', '12:03:00']);
    assert.equal(await stateOf(world, gone.id), COMPLETED_AND_GONE);
    assert.match((await world.runs()).at(-1)!.reason!, /deleted before this run could be sent/);
  });
});

describe('bounds', () => {
  test('nothing fires before startsAt, nor at endsAt', async () => {
    const world = await World.start(START);
    const timing = { startsAt: at('12:02:00'), endsAt: at('12:04:00') };
    await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:02:00', '12:03:00']);
    assert.deepEqual(await world.history(), ['12:02:00 succeeded', '12:03:00 succeeded']);
  });

  test('a retry beyond endsAt is made, and the schedule completes behind it', async () => {
    const world = await World.start(START);
    world.answer = ({ headers }) => (headers['punctual-attempt'] === '3' ? 200 : 503);
    const timing = { endsAt: at('12:01:01') };
    const { id } = await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advanceTo('2026-03-01T12:01:34Z');
    assert.equal(await stateOf(world, id), ENABLED);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:05', '12:01:35']);
    assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
    assert.equal(await stateOf(world, id), COMPLETED);
  });

  test('a rate fires by elapsed time from its anchor, also through a crash', async () => {
    const world = await World.start('2026-03-01T12:00:00.400Z');
    await world.schedule({ interval: 'rate(90 seconds)', timing: { maxRuns: 4 } });
    await world.clock.advance(2 * MINUTE);
    await world.crash(MINUTE);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(await world.history(), [
      '12:01:31 succeeded',
      '12:03:01 succeeded',
      '12:04:31 succeeded',
      '12:06:01 succeeded',
    ]);
  });

  test('a window moves every time by its offset', async () => {
    const world = await World.start(START);
    const timing = { windowSeconds: 50, maxRuns: 2 };
    const { timing: resolved } = await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advance(5 * MINUTE);
    const offsetMs = resolved!.offsetMs!;
    assert.deepEqual(
      world.sent.map(sent => sent.at),
      [at('12:00:00') + offsetMs, at('12:01:00') + offsetMs].map(time =>
        // Without an offset noon itself has passed.
        offsetMs === 0 ? time + MINUTE : time,
      ),
    );
  });
});

describe('a pause', () => {
  test('ends by itself, and no time within it is caught up with', async () => {
    const world = await World.start(START);
    const timing = { pausedUntil: at('12:03:30') };
    const { id } = await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advanceTo('2026-03-01T12:05:10Z');
    assert.deepEqual(world.times(), ['12:04:00', '12:05:00']);
    assert.deepEqual(await world.history(), ['12:04:00 succeeded', '12:05:00 succeeded']);
    assert.equal(await stateOf(world, id), ENABLED);
  });

  test('that ends while the service is down leaves only the times behind it', async () => {
    const world = await World.start(START);
    await world.schedule({ interval: '* * * * *', timing: { pausedUntil: at('12:02:30') } });
    await world.crash(4 * MINUTE + 10_000);
    await world.clock.advance(10_000);
    assert.deepEqual(world.times(), ['12:04:10']);
    assert.deepEqual(await world.history(), ['12:03:00 missed', '12:04:00 succeeded']);
  });

  test('ends the retries of a run, and the run says so', async () => {
    const world = await World.start(START);
    world.answer = () => 503;
    const { id } = await world.schedule({ interval: '*/10 * * * *' });
    await world.clock.advance(10 * MINUTE + 6_000);
    await world.change(id, { timing: { pausedUntil: at('12:25:00') } });
    await world.clock.advance(10 * MINUTE);
    assert.deepEqual(world.times(), ['12:10:00', '12:10:05']);
    const [run] = await world.runs();
    assert.equal(run!.status, 'failed');
    assert.match(run!.reason!, /the schedule is paused until 2026-03-01T12:25:00/);
    world.answer = () => 200;
    await world.clock.advance(10 * MINUTE);
    assert.deepEqual(await world.history(), ['12:10:00 failed', '12:30:00 succeeded']);
  });

  test('lets the retry come that starts behind it', async () => {
    const world = await World.start(START);
    world.answer = ({ headers }) => (headers['punctual-attempt'] === '1' ? 503 : 200);
    const { id } = await world.schedule({ interval: '*/10 * * * *' });
    await world.clock.advance(10 * MINUTE + 1_000);
    await world.change(id, { timing: { pausedUntil: at('12:10:04') } });
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
    assert.deepEqual(world.times(), ['12:10:00', '12:10:05']);
  });

  test('lets manual runs and the request in flight go on', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE + 10);
    await world.change(id, { timing: { pausedUntil: at('12:30:00') } });
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(MINUTE);
    await world.trigger(id);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(await world.history(), ['12:01:00 succeeded', '12:02:00 succeeded']);
  });
});

describe('a calendar freeze', () => {
  const FREEZE = { from: '2026-03-01T12:02:00Z', to: '2026-03-01T12:05:00Z' };

  test('takes its times away without a record', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', FREEZE);
    await world.schedule({ interval: '* * * * *', timing: { exclude: ['freeze'] } });
    await world.clock.advance(6 * MINUTE + 10);
    assert.deepEqual(await world.history(), [
      '12:01:00 succeeded',
      '12:05:00 succeeded',
      '12:06:00 succeeded',
    ]);
  });

  test('that is lifted lets its schedules fire at once', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', FREEZE);
    await world.schedule({ interval: '* * * * *', timing: { exclude: ['freeze'] } });
    await world.clock.advance(2 * MINUTE + 30_000);
    await world.calendar('freeze', { from: '2026-03-02', to: '2026-03-03' });
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:03:00']);
  });

  test('that comes over the last times completes the schedule', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', { from: '2026-03-02', to: '2026-03-03' });
    const timing = { exclude: ['freeze'], endsAt: at('12:04:00') };
    const { id } = await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advance(MINUTE + 30_000);
    await world.calendar('freeze', FREEZE);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00']);
    assert.equal(await stateOf(world, id), COMPLETED);
  });

  test('that comes over the last times while a run goes on completes with that run', async () => {
    const world = await World.start(START);
    world.answer = () => 'hang';
    await world.calendar('freeze', { from: '2026-03-02', to: '2026-03-03' });
    const timing = { exclude: ['freeze'], endsAt: at('12:04:00') };
    const { id } = await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advance(MINUTE + 30_000);
    await world.calendar('freeze', FREEZE);
    await world.clock.advance(10_000);
    assert.equal((await world.found(id))!.status, 'enabled');
    await world.release();
    await world.clock.advance(MINUTE);
    assert.equal((await world.found(id))!.statusReason, 'completed');
    assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
  });
});
