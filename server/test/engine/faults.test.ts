import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('crash', () => {
  test('a run in flight when the process dies is sent again first, under its id, as attempt 2', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    world.answer = () => 200;
    await world.crash(10_000);
    await world.clock.advance(1_000);
    assert.deepEqual(world.times(), ['12:00:00', '12:00:11']);
    assert.equal(world.sent[0]!.headers['webhook-id'], world.sent[1]!.headers['webhook-id']);
    const [run] = await world.runs();
    assert.deepEqual(
      run?.attempts.map(({ number, outcome }) => [number, outcome]),
      [
        [1, 'lost'],
        [2, 'response'],
      ],
    );
    assert.equal(run?.status, 'succeeded');
  });

  test('a run cut off is finished even when catching up is turned off and it is old', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '0 * * * *', policy: { catchUpSeconds: 0, maxRetries: 0 } });
    await world.clock.advance(2_000);
    world.answer = () => 200;
    await world.crash(5 * HOUR);
    await world.clock.advance(1_000);
    assert.deepEqual(await world.history(), [
      '12:00:00 succeeded',
      '13:00:00 missed',
      '14:00:00 missed',
      '15:00:00 missed',
      '16:00:00 missed',
      '17:00:00 missed',
    ]);
  });

  test('after a run that was cut off, the latest of the times that passed fires late', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(2_000);
    world.answer = () => 200;
    await world.crash(3 * MINUTE + 10_000);
    await world.clock.advance(1_000);
    assert.deepEqual(world.times(), ['12:00:00', '12:03:11', '12:03:11']);
    assert.deepEqual(await world.history(), [
      '12:00:00 succeeded',
      '12:01:00 missed',
      '12:02:00 missed',
      '12:03:00 succeeded',
    ]);
  });

  test('a retry whose time was missed while down gives way to the next time, and calls back', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 503;
    await world.schedule({ interval: '*/10 * * * *' });
    await world.clock.advance(2_000);
    world.answer = () => 200;
    await world.crash(15 * MINUTE);
    await world.clock.advance(1_000);
    assert.deepEqual(await world.history(), ['12:00:00 failed', '12:10:00 succeeded']);
    assert.match(
      (await world.runs())[0]?.reason ?? '',
      /next time, 2026-03-01T12:10:00.000Z, came/,
    );
  });

  test('a callback in flight when the process dies is sent again under its id', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ url }) => (url.startsWith('https://callback') ? 'hang' : 404);
    const integration = {
      id: '01890000-0000-7000-8000-000000000001',
      type: 'WEBHOOK',
      name: '',
      url: 'https://callback.example/',
      includeScheduleUrlInCallback: true,
      callOnSuccess: false,
    } as const;
    await world.schedule({ interval: '0 * * * *', integrations: [integration] });
    await world.clock.advance(2_000);
    world.answer = () => 200;
    await world.crash(1_000);
    await world.clock.advance(1_000);
    const calls = world.sent.filter(sent => sent.url.startsWith('https://callback'));
    assert.deepEqual(
      calls.map(call => call.headers['punctual-attempt']),
      ['1', '2'],
    );
    assert.equal(calls[0]!.headers['webhook-id'], calls[1]!.headers['webhook-id']);
  });

  test('a row is due when its manual run ends, also while the engine decides that it waits', async () => {
    const world = await World.start('2026-03-01T11:59:58Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '0 * * * *' });
    await world.trigger(id);
    const { queue } = world.store;
    const settle = queue.settle.bind(queue);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    queue.settle = async settlements => {
      await ended;
      return settle(settlements);
    };
    await world.crash(5_000);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(50);
    end();
    await world.clock.advance(50);
    assert.deepEqual(world.times(), ['11:59:58', '12:00:03', '12:00:03']);
  });

  test('a manual run in flight when the process dies is sent again before a newer time', async () => {
    const world = await World.start('2026-03-01T11:59:50Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    const manual = await world.trigger(id);
    world.answer = () => 200;
    await world.crash(30_000);
    await world.clock.advance(1_000);
    assert.deepEqual(
      world.sent.map(sent => sent.headers['webhook-id'] === manual),
      [true, true, false],
    );
    assert.deepEqual(await world.history(), ['11:59:50 succeeded', '12:00:00 succeeded']);
  });
});

describe('down time', () => {
  test('of the times that passed while down the latest fires once, late; the others are missed', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    await world.schedule({ interval: '0 * * * *' });
    await world.crash(3 * HOUR + 20 * MINUTE);
    await world.clock.advance(HOUR);
    assert.deepEqual(await world.history(), [
      '12:00:00 missed',
      '13:00:00 missed',
      '14:00:00 missed',
      '15:00:00 succeeded',
      '16:00:00 succeeded',
    ]);
    assert.deepEqual(world.times(), ['15:19:59', '16:00:00']);
  });

  test('a time older than catchUpSeconds is missed and not fired', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    await world.schedule({ interval: '0 12 * * *', policy: { catchUpSeconds: 600 } });
    await world.crash(HOUR);
    await world.clock.advance(HOUR);
    assert.deepEqual(world.times(), []);
    assert.deepEqual(await world.history(), ['12:00:00 missed']);
  });

  test('a year of an every-second schedule is one record, and the latest second fires', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * * *' });
    await world.crash(365 * 24 * HOUR);
    await world.clock.advance(0);
    const [missed, fired] = await world.runs();
    assert.equal(missed?.missed?.count, 365 * 86_400 - 1);
    assert.equal(missed?.missed?.from, Date.parse('2026-03-01T12:00:01Z'));
    assert.equal(missed?.missed?.to, Date.parse('2027-03-01T11:59:59Z'));
    assert.equal(fired?.scheduledFor, Date.parse('2027-03-01T12:00:00Z'));
    assert.equal(fired?.status, 'succeeded');
  });

  test('a suspended machine is down time: the engine says so and catches up', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    await world.schedule({ interval: '* * * * *', policy: { catchUpSeconds: 0 } });
    await world.clock.advance(MINUTE);
    await world.clock.jump('2026-03-01T12:10:30Z');
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:11:00']);
    assert.ok(
      world.told.some(line => line.startsWith('blind 12:01:30 12:10:30')),
      world.told.join(),
    );
  });
});

describe('change', () => {
  test('a new interval counts from the change; the old time is not fired', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const { id } = await world.schedule({ interval: '0 12 * * *' });
    await world.change(id, { interval: '30 12 * * *' });
    await world.clock.advance(HOUR);
    assert.deepEqual(await world.history(), ['12:30:00 succeeded']);
  });

  test('enabling does not catch up on the paused time', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.change(id, { status: 'disabled' });
    await world.clock.advance(5 * MINUTE);
    await world.change(id, { status: 'enabled' });
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), ['12:05:00 succeeded']);
  });

  test('a schedule deleted while its request waits for a connection does not start it', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.congested = true;
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(2_000);
    await world.change(id, { status: 'deleted' });
    await world.decongest();
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), []);
    assert.equal(await world.store.queue.nextDueAt(), null);
  });

  test('a manual run of a schedule that was deleted is told to have ended, sent or not', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    world.congested = true;
    const unsent = await world.schedule({ interval: '0 0 1 1 *' });
    await world.trigger(unsent.id);
    await world.change(unsent.id, { status: 'deleted' });
    await world.decongest();
    world.answer = () => 500;
    const tried = await world.schedule({ interval: '0 0 1 1 *' });
    await world.trigger(tried.id);
    await world.clock.advance(1_000);
    await world.change(tried.id, { status: 'deleted' });
    await world.clock.advance(MINUTE);
    assert.deepEqual(
      world.told.filter(line => /^(run|skipped)/.test(line)),
      ['skipped 1', 'run failed'],
    );
  });

  test('a schedule deleted during its request keeps the record of it, and fires no more', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(2_000);
    await world.change(id, { status: 'deleted' });
    await world.release();
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
    assert.equal(await world.store.queue.nextDueAt(), null);
  });

  test('a schedule disabled between attempts ends its run as failed, with the reason', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 503;
    const { id } = await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    await world.change(id, { status: 'disabled' });
    await world.clock.advance(HOUR);
    assert.deepEqual(world.times(), ['12:00:00']);
    const [run] = await world.runs();
    assert.equal(run?.status, 'failed');
    assert.match(run?.reason ?? '', /disabled/);
  });

  test('an interval changed during a request is what the next time is counted by', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(2_000);
    await world.change(id, { interval: '0 * * * *' });
    world.answer = () => 200;
    await world.clock.advance(5 * MINUTE);
    await world.release();
    await world.clock.advance(HOUR);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded', '13:00:00 succeeded']);
  });

  test('an interval changed between attempts leaves the run its retry if that comes first', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 503;
    const { id } = await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    world.answer = () => 200;
    await world.change(id, { interval: '30 * * * *' });
    await world.clock.advance(HOUR);
    assert.deepEqual(world.times(), ['12:00:00', '12:00:05', '12:30:00']);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded', '12:30:00 succeeded']);
  });
});

describe('stop', () => {
  test('a graceful stop waits for requests in flight and settles them', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(2_000);
    let stopped = false;
    const stop = world.engine.stop(30_000).then(() => {
      stopped = true;
    });
    await world.clock.advance(5_000);
    assert.equal(stopped, false);
    await world.release();
    await world.clock.advance(50);
    await stop;
    assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
  });

  test('a graceful stop gives back what has not started, as if it had never been claimed', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.congested = true;
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    const stop = world.engine.stop(30_000);
    await world.decongest();
    await world.clock.advance(50);
    await stop;
    assert.deepEqual(await world.history(), []);
    await world.crash();
    await world.clock.advance(1_000);
    assert.equal(world.sent[0]?.headers['punctual-attempt'], '1');
    assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
  });

  test('a stop without a limit waits until another one has a limit', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '0 * * * *', policy: { timeoutSeconds: 600 } });
    await world.clock.advance(2_000);
    const stopped: string[] = [];
    const first = world.engine.stop().then(() => stopped.push('first'));
    await world.clock.advance(300_000);
    assert.deepEqual([stopped, world.engine.inFlight], [[], 1]);
    const second = world.engine.stop(3_000).then(() => stopped.push('second'));
    await world.clock.advance(2_900);
    assert.deepEqual(stopped, []);
    await world.clock.advance(100);
    await Promise.all([first, second]);
    assert.equal(stopped.length, 2);
  });

  test('what is still in flight at the limit is sent again at the next start', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    const stop = world.engine.stop(3_000);
    await world.clock.advance(3_000);
    await stop;
    world.answer = () => 200;
    await world.crash();
    await world.clock.advance(1_000);
    assert.deepEqual(world.times(), ['12:00:00', '12:00:04']);
  });
});
