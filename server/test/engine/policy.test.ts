import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SendResult } from '../../src/outbound/send.ts';
import { World } from '../support/engine/world.ts';

/** The policy of a schedule, from its firing to the history of its run. */

const HOURLY = { interval: '0 * * * *' };
const SECOND = 1_000;
const UNMET = '/ok was false, and must be true.';
const json = { pointer: '/ok', equals: true };

describe('success', () => {
  test('a 2xx that fails a condition is tried again, and the run says which failed', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ headers }) =>
      headers['punctual-attempt'] === '1' ? { responseStatus: 200, unmet: UNMET } : 200;
    await world.schedule({ ...HOURLY, policy: { success: { json } } });
    await world.clock.advance(10 * SECOND);
    const [run] = await world.runs();
    assert.deepEqual(world.times(), ['12:00:00', '12:00:05']);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
    assert.deepEqual(
      run!.attempts.map(({ error }) => error),
      [UNMET, undefined],
    );
  });

  test('it fails for good where a 500 would, and its callback tells the condition', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = ({ url }) =>
      url.endsWith('/hook') ? { responseStatus: 200, unmet: UNMET } : 200;
    const url = 'https://example.com/callback';
    const webhook = { id: 'a', type: 'WEBHOOK' as const, name: '', url };
    const integrations = [
      { ...webhook, includeScheduleUrlInCallback: false, callOnSuccess: false },
    ];
    const policy = { success: { json }, retryStatuses: ['503'] };
    await world.schedule({ ...HOURLY, integrations, policy });
    await world.clock.advance(10 * SECOND);
    assert.deepEqual(await world.history(), ['12:00:00 failed']);
    const callback = JSON.parse(world.sent.find(sent => sent.url === url)!.body!);
    assert.equal(callback.type, 'schedule.run.failed');
    assert.deepEqual([callback.data.run.responseStatus, callback.data.run.error], [200, UNMET]);
  });

  test('a status that is listed succeeds, and a 200 that is not listed fails', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    const policy = { maxRetries: 0, success: { statuses: ['304'] } };
    world.answer = ({ at }) => (new Date(at).getUTCHours() === 12 ? 304 : 200);
    await world.schedule({ ...HOURLY, policy });
    await world.clock.advance(3_700 * SECOND);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded', '13:00:00 failed']);
  });
});

describe('retries', () => {
  for (const trigger of ['schedule', 'manual'] as const) {
    test(`a run of trigger ${trigger} is tried after the delays of its policy`, async () => {
      const world = await World.start('2026-03-01T11:59:59Z');
      world.answer = () => 503;
      const policy = { retryDelaysSeconds: [1, 60], maxRetries: 3 };
      const interval = trigger === 'schedule' ? HOURLY.interval : '0 0 1 1 *';
      const { id } = await world.schedule({ interval, policy });
      await world.clock.advance(SECOND);
      if (trigger === 'manual') await world.trigger(id);
      const from = world.clock.now();
      await world.clock.advance(300 * SECOND);
      assert.deepEqual(
        world.sent.map(({ at }) => (at - from) / SECOND),
        [0, 1, 61, 121],
      );
    });
  }

  test('none starts later than retryForSeconds after the nominal time, and the run says so', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 503;
    const policy = { retryDelaysSeconds: [5], maxRetries: 10, retryForSeconds: 12 };
    await world.schedule({ ...HOURLY, policy });
    await world.clock.advance(60 * SECOND);
    assert.deepEqual(world.times(), ['12:00:00', '12:00:05', '12:00:10']);
    const [run] = await world.runs();
    assert.deepEqual(
      [run!.status, run!.reason],
      [
        'failed',
        'It was not tried again: the next attempt would have been at 2026-03-01T12:00:15.000Z, and retries end at 2026-03-01T12:00:12.000Z.',
      ],
    );
  });

  const ended = 'It was not tried again: its retries ended at 2026-03-01T12:01:00.000Z.';

  test('down time does not bring a retry later than that', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 503;
    await world.schedule({ ...HOURLY, policy: { retryForSeconds: 60 } });
    await world.clock.advance(2 * SECOND);
    await world.crash(120 * SECOND);
    await world.clock.advance(2 * SECOND);
    assert.deepEqual(world.times(), ['12:00:00']);
    const [run] = await world.runs();
    assert.deepEqual([run!.status, run!.reason], ['failed', ended]);
    await world.clock.advanceTo('2026-03-01T13:00:00Z');
    assert.deepEqual(world.times(), ['12:00:00', '13:00:00']);
  });

  test('nor one of a manual run', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 503;
    const { id } = await world.schedule({ ...HOURLY, policy: { retryForSeconds: 60 } });
    await world.trigger(id);
    await world.clock.advance(2 * SECOND);
    await world.crash(120 * SECOND);
    await world.clock.advance(2 * SECOND);
    assert.deepEqual(world.times(), ['12:00:00']);
    const [run] = await world.runs();
    assert.deepEqual([run!.trigger, run!.status, run!.reason], ['manual', 'failed', ended]);
  });

  test('a request that was cut off is sent again however late it is', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => 'hang';
    await world.schedule({ ...HOURLY, policy: { retryForSeconds: 1 } });
    await world.clock.advance(2 * SECOND);
    world.answer = () => 200;
    await world.crash(120 * SECOND);
    await world.clock.advance(2 * SECOND);
    assert.deepEqual(await world.history(), ['12:00:00 succeeded']);
  });
});

describe('keepResponse', () => {
  const answer: Partial<SendResult> = {
    responseStatus: 503,
    responseHeaders: { 'retry-after': '60', 'x-private': 'a' },
    responseBody: 'a private answer',
  };

  for (const trigger of ['schedule', 'manual'] as const) {
    test(`none, trigger ${trigger}: the store never has headers or body, and Retry-After counts`, async () => {
      const world = await World.start('2026-03-01T12:00:00Z');
      world.answer = () => answer;
      const interval = trigger === 'schedule' ? '1 0 12 * * *' : HOURLY.interval;
      const { id } = await world.schedule({
        interval,
        policy: { keepResponse: 'none', maxRetries: 1 },
      });
      if (trigger === 'manual') await world.trigger(id);
      await world.clock.advance(30 * SECOND);
      const [going] = await world.runs();
      await world.clock.advance(60 * SECOND);
      const [run] = await world.runs();
      assert.equal(world.sent.length, 2);
      assert.equal(world.sent[1]!.at - world.sent[0]!.at, 60 * SECOND);
      assert.deepEqual([going!.status, run!.status], ['retrying', 'failed']);
      for (const { attempts } of [going!, run!]) {
        for (const attempt of attempts) {
          assert.equal(attempt.responseStatus, 503);
          assert.ok(!('responseHeaders' in attempt) && !('responseBody' in attempt));
        }
      }
    });
  }

  test('headers: no body', async () => {
    const world = await World.start('2026-03-01T11:59:59Z');
    world.answer = () => ({ ...answer, responseStatus: 200 });
    await world.schedule({ ...HOURLY, policy: { keepResponse: 'headers' } });
    await world.clock.advance(10 * SECOND);
    const [attempt] = (await world.runs())[0]!.attempts;
    assert.deepEqual(attempt!.responseHeaders, answer.responseHeaders);
    assert.ok(!('responseBody' in attempt!));
  });
});
