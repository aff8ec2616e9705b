import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runId } from '../../src/domain/id.ts';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;

describe('firing', () => {
  test('a schedule fires at each of its times, on the instant and once', async () => {
    const world = await World.start('2026-03-01T12:00:30Z');
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(3 * MINUTE);
    assert.deepEqual(
      world.sent.map(sent => new Date(sent.at).toISOString()),
      ['2026-03-01T12:01:00.000Z', '2026-03-01T12:02:00.000Z', '2026-03-01T12:03:00.000Z'],
    );
    assert.deepEqual(await world.history(), [
      '12:01:00 succeeded',
      '12:02:00 succeeded',
      '12:03:00 succeeded',
    ]);
    assert.equal(world.sent[0]!.headers['webhook-id'], runId(id, world.sent[0]!.at));
  });

  test('a schedule that is written while the engine sleeps is not overslept', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '0 0 1 1 *' });
    await world.clock.advance(10_500);
    await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(1_000);
    assert.deepEqual(world.times(), ['12:00:11']);
  });

  test('a timer that calls back a millisecond early starts nothing early', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    world.engine.wake(0);
    await world.clock.advance(MINUTE - 1);
    world.engine.wake(0);
    await world.clock.advance(0);
    assert.deepEqual(world.times(), []);
    await world.clock.advance(1);
    assert.deepEqual(world.times(), ['12:01:00']);
  });

  test('hundreds that are due at one instant are all sent, though claims are bounded', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    for (let i = 0; i < 700; i++) await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(MINUTE + 500);
    assert.equal(world.sent.length, 700);
    assert.equal(new Set(world.sent.map(sent => sent.headers['webhook-id'])).size, 700);
  });

  test('the clock set back fires nothing twice', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(2 * MINUTE);
    await world.clock.jump('2026-03-01T12:00:30Z');
    await world.clock.advanceTo('2026-03-01T12:03:00Z');
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00', '12:03:00']);
  });

  test('02:30 daily in Berlin fires at 03:00 on 29 March 2026, when 02:30 does not exist', async () => {
    const world = await World.start('2026-03-29T00:20:00Z');
    await world.schedule({ interval: '30 2 * * *', timezone: 'Europe/Berlin' });
    await world.clock.advanceTo('2026-03-29T01:40:00Z');
    assert.deepEqual(world.times(), ['01:00:00']);
  });
});

describe('retries', () => {
  test('a failing run is tried after 5 s, 30 s and 2 min under one id, and then has failed', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 503;
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(10 * MINUTE);
    assert.deepEqual(world.times(), ['12:00:00', '12:00:05', '12:00:35', '12:02:35']);
    assert.equal(new Set(world.sent.map(sent => sent.headers['webhook-id'])).size, 1);
    assert.deepEqual(
      world.sent.map(sent => sent.headers['punctual-attempt']),
      ['1', '2', '3', '4'],
    );
    assert.deepEqual(await world.history(), ['12:00:00 failed']);
  });

  test('a run between attempts shows as retrying with the attempts so far', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 500;
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    const [run] = await world.runs();
    assert.equal(run?.status, 'retrying');
    assert.equal(run?.attempts.length, 1);
    assert.equal(run?.attempts[0]?.error, 'The target answered 500.');
  });

  test("a retry that would come after the schedule's next time is not made, and the run says why", async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ at }) => (at % MINUTE === 0 ? 500 : 200);
    await world.schedule({ interval: '*/2 * * * * *' });
    await world.clock.advance(2_500);
    const [run] = await world.runs();
    assert.equal(run?.status, 'failed');
    assert.match(run?.reason ?? '', /next time is 2026-03-01T12:00:02.000Z/);
  });

  test('a retry that succeeds ends the run as succeeded', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ headers }) => (headers['punctual-attempt'] === '1' ? 503 : 200);
    await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(10 * MINUTE);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
    assert.equal((await world.runs())[0]?.attempts.length, 2);
  });
});

describe('overlap', () => {
  test('times that come while a run is going are skipped, each with the reason', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ interval: '* * * * *' });
    await world.clock.advance(3 * MINUTE + 10_000);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), [
      '12:00:00 succeeded',
      '12:01:00 skipped',
      '12:02:00 skipped',
      '12:03:00 skipped',
      '12:04:00 succeeded',
    ]);
    assert.match((await world.runs())[1]?.reason ?? '', /2026-03-01T12:00:00.000Z was still going/);
  });

  test('a manual run waits, queued, while a request of its schedule is in flight', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '0 * * * *' });
    await world.clock.advance(2_000);
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.deepEqual(await world.history(), ['12:00:00 running', '12:00:01 queued']);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(1_000);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded', '12:00:01 succeeded']);
  });

  test("a time that comes during a manual run's request is skipped", async () => {
    const world = await World.start('2026-03-01T11:59:50Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '* * * * *' });
    await world.trigger(id);
    await world.clock.advance(15_000);
    assert.equal(world.sent.length, 1);
    world.answer = () => 200;
    await world.release();
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), [
      '11:59:50 succeeded',
      '12:00:00 skipped',
      '12:01:00 succeeded',
    ]);
  });

  test('two manual runs of one schedule go one after the other', async () => {
    const world = await World.start('2026-03-01T11:59:50Z');
    world.answer = () => 'hang';
    const { id } = await world.schedule({ interval: '0 0 1 1 *' });
    await world.trigger(id);
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.equal(world.sent.length, 1);
    await world.release();
    await world.clock.advance(1_000);
    assert.equal(world.sent.length, 2);
  });
});

describe('callbacks', () => {
  const integration = {
    id: '01890000-0000-7000-8000-000000000001',
    type: 'WEBHOOK',
    name: 'w',
    url: 'https://callback.example/',
    includeScheduleUrlInCallback: false,
    callOnSuccess: false,
  } as const;

  test('a run that fails its last attempt calls back even when callOnSuccess is false', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ url }) => (url.startsWith('https://callback') ? 200 : 404);
    await world.schedule({ interval: '0 * * * *', integrations: [integration] });
    await world.clock.advance(2_000);
    assert.deepEqual(world.times('https://callback'), ['12:00:00']);
    const body = JSON.parse(world.sent[1]!.body!);
    assert.equal(body.type, 'schedule.run.failed');
    assert.equal(body.data.run.responseStatus, 404);
    assert.equal('scheduleUrl' in body.data, false);
  });

  test('no callback is made between retries, nor on success unless asked for', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ headers, url }) =>
      headers['punctual-attempt'] === '1' && !url.startsWith('https://callback') ? 503 : 200;
    const asked = { ...integration, url: 'https://callback.example/asked', callOnSuccess: true };
    await world.schedule({ interval: '0 * * * *', integrations: [integration, asked] });
    await world.clock.advance(4_000);
    assert.deepEqual(world.times('https://callback'), []);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times('https://callback.example/asked'), ['12:00:05']);
    assert.deepEqual(world.times('https://callback'), ['12:00:05']);
  });

  test('a retry leaves at its time, also where others were looked for just before', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ headers }) => (headers['punctual-attempt'] === '1' ? 503 : 200);
    const first = await world.schedule({ interval: '0 13 * * *' });
    const second = await world.schedule({ interval: '0 13 * * *' });
    await world.trigger(first.id);
    await world.clock.advance(4_700);
    await world.trigger(second.id);
    await world.clock.advance(10_000);
    const starts = world.sent.map(({ at }) => at - world.sent[0]!.at);
    assert.deepEqual(starts, [0, 4_700, 5_000, 9_700]);
  });

  test('a callback that fails is retried like a run, under its own unchanged id', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ url }) => (url.startsWith('https://callback') ? 500 : 404);
    await world.schedule({ interval: '0 * * * *', integrations: [integration] });
    await world.clock.advance(10 * MINUTE);
    assert.deepEqual(world.times('https://callback'), [
      '12:00:00',
      '12:00:05',
      '12:00:35',
      '12:02:35',
    ]);
    const calls = world.sent.filter(sent => sent.url.startsWith('https://callback'));
    assert.equal(new Set(calls.map(call => call.headers['webhook-id'])).size, 1);
    assert.notEqual(calls[0]!.headers['webhook-id'], world.sent[0]!.headers['webhook-id']);
    const [run] = await world.runs();
    const [callback] = await world.store.runs.callbacks(world.clientRowId, run!.id);
    assert.equal(callback?.status, 'failed');
    assert.equal(callback?.attempts.length, 4);
  });
});
