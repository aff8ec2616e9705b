import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Policy } from '../../src/domain/schedule/schedule.ts';
import { World } from '../support/engine/world.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Fires at 12:10, and then at 13:10. */
const HOURLY = '10 * * * *';
const started = async (policy: Policy = {}, interval = HOURLY) => {
  const world = await World.start('2026-03-01T12:09:30Z');
  world.answer = () => 202;
  const completion = { deadlineSeconds: 60 };
  const { id } = await world.schedule({ interval, policy: { completion, ...policy } });
  return { world, id };
};
/** At 12:10:05 its first request has been answered 202. */
const accepted = async (policy: Policy = {}, interval = HOURLY) => {
  const { world, id } = await started(policy, interval);
  await world.clock.advanceTo('2026-03-01T12:10:05Z');
  return { world, id, sent: world.sent[0]! };
};
/** It is kept, and the engine has decided. */
const says = async (world: World, ...said: Parameters<World['say']>) => {
  assert.ok(await world.say(...said));
  await world.clock.advance(100);
};
const last = async (world: World) => (await world.runs()).at(-1)!;

describe('a target that answers 202 says later how its run ended', () => {
  test('the run goes on until then, without a request in flight', async () => {
    const { world, sent } = await accepted();
    const run = await last(world);
    assert.equal(run.status, 'running');
    assert.equal(run.completionUntil, Date.parse('2026-03-01T12:11:00Z'));
    assert.equal(world.engine.inFlight, 0);
    assert.equal(await world.store.completions.awaiting(), 1);
    await says(world, sent, { message: 'All 12 sent.' });
    const ended = await last(world);
    assert.equal(ended.status, 'succeeded');
    assert.equal(ended.finishedAt, Date.parse('2026-03-01T12:10:05Z'));
    assert.equal(ended.completionUntil, undefined);
    assert.deepEqual(ended.attempts[0]!.completion, {
      until: Date.parse('2026-03-01T12:11:00Z'),
      endedAt: Date.parse('2026-03-01T12:10:05Z'),
      message: 'All 12 sent.',
    });
    assert.deepEqual(world.told, ['run succeeded']);
    assert.equal(await world.store.completions.awaiting(), 0);
  });

  test('a failure is final, and its message is the error', async () => {
    const { world, sent } = await accepted();
    await says(world, sent, { status: 'failed', message: 'Disk full.' });
    const run = await last(world);
    assert.equal(run.status, 'failed');
    assert.equal(run.attempts[0]!.error, 'The target said later that it failed: Disk full.');
    await world.clock.advance(10 * MINUTE);
    assert.deepEqual(world.times(), ['12:10:00']);
  });

  test('a completion before the answer counts too', async () => {
    const { world } = await started();
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    await says(world, world.sent[0]!);
    assert.equal((await last(world)).status, 'running');
    await world.release(202);
    await world.clock.advance(100);
    assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
  });

  test('an answer other than 202 counts, whatever was said before it', async () => {
    const { world } = await started({ maxRetries: 0 });
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    await says(world, world.sent[0]!);
    await world.release(500);
    await world.clock.advance(100);
    assert.deepEqual(await world.history(), ['12:10:00 failed']);
  });

  for (const outcome of ['connectionError', 'timeout'] as const) {
    const unanswered = { outcome, error: 'No answer.' };

    test(`an end that was said before it counts where no answer comes: ${outcome}`, async () => {
      const { world } = await started();
      world.answer = () => 'hang';
      await world.clock.advanceTo('2026-03-01T12:10:05Z');
      await says(world, world.sent[0]!, { message: 'Done.' });
      await world.release(unanswered);
      await world.clock.advance(100);
      const run = await last(world);
      assert.equal(run.status, 'succeeded');
      assert.equal(run.attempts[0]!.outcome, outcome);
      assert.equal(run.attempts[0]!.error, undefined);
      assert.equal(run.attempts[0]!.completion!.message, 'Done.');
      await world.clock.advance(10 * MINUTE);
      assert.deepEqual(world.times(), ['12:10:00'], 'nothing is sent again');
    });

    test(`a heartbeat is no end where no answer comes: ${outcome}`, async () => {
      const { world } = await started({ maxRetries: 1 });
      world.answer = () => 'hang';
      await world.clock.advanceTo('2026-03-01T12:10:05Z');
      await says(world, world.sent[0]!, { extendSeconds: 300 });
      await world.release(unanswered);
      await world.clock.advance(100);
      assert.equal(await world.say(world.sent[0]!), false, 'the attempt has ended');
      world.answer = () => 200;
      await world.clock.advance(5 * SECOND);
      assert.deepEqual(world.times(), ['12:10:00', '12:10:10']);
      assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
    });
  }

  test('the first end counts', async () => {
    const { world, sent } = await accepted();
    const said = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        world.say(sent, { status: index % 2 === 0 ? 'failed' : 'succeeded' }),
      ),
    );
    assert.equal(said.filter(Boolean).length, 1);
    await world.clock.advance(100);
    assert.equal(world.told.length, 1);
    assert.equal(await world.say(sent), false);
  });

  test('a 202 is a success where the policy asks for no completion', async () => {
    const world = await World.start('2026-03-01T12:09:30Z');
    world.answer = () => 202;
    await world.schedule({ interval: HOURLY });
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
    assert.equal(world.sent[0]!.headers['punctual-completion-url'], undefined);
  });
});

describe('the deadline of a completion', () => {
  test('what has passed is a timeout, and is retried as one', async () => {
    const { world, sent } = await accepted({ maxRetries: 1 });
    await world.clock.advanceTo('2026-03-01T12:11:01Z');
    const retrying = await last(world);
    assert.equal(retrying.status, 'retrying');
    assert.equal(retrying.attempts[0]!.outcome, 'timeout');
    assert.equal(
      retrying.attempts[0]!.error,
      'The target has not completed it by 2026-03-01T12:11:00.000Z.',
    );
    assert.equal(await world.say(sent), false);
    await world.clock.advanceTo('2026-03-01T12:11:06Z');
    assert.deepEqual(world.times(), ['12:10:00', '12:11:05']);
    assert.equal(await world.say(sent), false, 'a newer attempt has begun');
    await says(world, world.sent[1]!);
    assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
  });

  test('without retries it ends the run', async () => {
    const { world } = await accepted({ maxRetries: 0 });
    await world.clock.advanceTo('2026-03-01T12:11:01Z');
    assert.deepEqual(await world.history(), ['12:10:00 failed']);
  });

  test('a heartbeat moves it', async () => {
    const { world, sent } = await accepted();
    await says(world, sent, { extendSeconds: 300 });
    assert.equal((await last(world)).completionUntil, Date.parse('2026-03-01T12:15:05Z'));
    await world.clock.advanceTo('2026-03-01T12:14:00Z');
    await says(world, sent);
    assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
  });

  test('a heartbeat brings it forward as well, and none comes back from beyond it', async () => {
    const { world, sent } = await accepted({ maxRetries: 0 });
    await says(world, sent, { extendSeconds: 5 });
    await world.clock.advance(5 * SECOND);
    assert.equal(await world.say(sent, { extendSeconds: 60 }), false);
    assert.deepEqual(await world.history(), ['12:10:00 failed']);
  });

  test('a heartbeat before the answer counts from then', async () => {
    const { world } = await started({ maxRetries: 0 });
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    await says(world, world.sent[0]!, { extendSeconds: 600 });
    await world.release(202);
    await world.clock.advance(100);
    assert.equal((await last(world)).completionUntil, Date.parse('2026-03-01T12:20:05Z'));
  });

  test('it is 7 days after the start at most', async () => {
    const { world, sent } = await accepted();
    for (let day = 0; day < 6; day += 1) {
      await says(world, sent, { extendSeconds: 2 * 86_400 });
      await world.clock.jump(world.clock.now() + 86_400 * SECOND);
    }
    await says(world, sent, { extendSeconds: 604_800 });
    assert.equal((await last(world)).completionUntil, Date.parse('2026-03-08T12:10:00Z'));
  });
});

describe('a schedule whose run awaits is busy', () => {
  test('times that come are skipped when it ends', async () => {
    const { world, sent } = await accepted({ completion: { deadlineSeconds: 600 } }, '* * * * *');
    await world.clock.advanceTo('2026-03-01T12:12:30Z');
    assert.deepEqual(await world.history(), ['12:10:00 running']);
    await says(world, sent);
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), [
      '12:10:00 succeeded',
      '12:11:00 skipped',
      '12:12:00 skipped',
      '12:13:00 running',
    ]);
  });

  test('with bufferOne the latest waits, and starts when it ends', async () => {
    const policy = { completion: { deadlineSeconds: 600 }, overlap: 'bufferOne' } as const;
    const { world, sent } = await accepted(policy, '* * * * *');
    await world.clock.advanceTo('2026-03-01T12:12:30Z');
    await says(world, sent);
    await world.clock.advance(SECOND);
    assert.deepEqual(world.times(), ['12:10:00', '12:12:30']);
  });

  test('a manual run waits for it', async () => {
    const { world, id, sent } = await accepted({ completion: { deadlineSeconds: 600 } });
    await world.trigger(id);
    await world.clock.advance(5 * SECOND);
    assert.deepEqual(world.times(), ['12:10:00']);
    await says(world, sent);
    await world.clock.advance(SECOND);
    assert.deepEqual(world.times(), ['12:10:00', '12:10:10']);
  });

  test('a change of its times leaves it alone', async () => {
    const { world, id, sent } = await accepted({ completion: { deadlineSeconds: 600 } });
    await world.change(id, { interval: '*/5 * * * *' });
    await world.clock.advanceTo('2026-03-01T12:16:00Z');
    assert.equal((await world.runs())[0]!.completionUntil, Date.parse('2026-03-01T12:20:00Z'));
    await says(world, sent);
    await world.clock.advanceTo('2026-03-01T12:20:01Z');
    assert.deepEqual(await world.history(), [
      '12:10:00 succeeded',
      '12:15:00 skipped',
      '12:20:00 running',
    ]);
  });

  for (const status of ['disabled', 'deleted'] as const) {
    test(`${status} meanwhile, it may still complete`, async () => {
      const { world, id, sent } = await accepted();
      await world.change(id, { status });
      await world.clock.advance(SECOND);
      assert.equal((await last(world)).status, 'running');
      await says(world, sent);
      assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
      assert.equal(await world.store.queue.nextDueAt(), null);
    });
  }

  for (const [what, fields] of [
    ['changed', { interval: '*/5 * * * *' }],
    ['disabled', { status: 'disabled' }],
    ['paused', { timing: { pausedUntil: Date.parse('2026-03-01T12:20:00Z') } }],
  ] as const) {
    test(`${what} meanwhile, the times that came before are on record`, async () => {
      const { world, id, sent } = await accepted(
        { completion: { deadlineSeconds: 600 } },
        '* * * * *',
      );
      await world.clock.advanceTo('2026-03-01T12:12:30Z');
      await world.change(id, fields);
      await world.clock.advance(SECOND);
      await says(world, sent);
      assert.deepEqual(await world.history(), [
        '12:10:00 succeeded',
        '12:11:00 skipped',
        '12:12:00 skipped',
      ]);
      const { reason } = (await world.runs()).find(({ status }) => status === 'skipped')!;
      assert.equal(reason, 'The run of 2026-03-01T12:10:00.000Z was still going.');
    });
  }

  for (const control of ['disable', 'pause=600']) {
    test(`${control} with the 202, the times that came during the request are on record`, async () => {
      const { world } = await started({ completion: { deadlineSeconds: 600 } }, '* * * * *');
      world.answer = () => 'hang';
      await world.clock.advanceTo('2026-03-01T12:12:05Z');
      await world.release({ responseStatus: 202, control });
      await world.clock.advance(SECOND);
      await says(world, world.sent[0]!);
      await world.clock.advance(MINUTE);
      assert.deepEqual(await world.history(), [
        '12:10:00 succeeded',
        '12:11:00 skipped',
        '12:12:00 skipped',
      ]);
    });
  }

  test('disabled meanwhile, a deadline that passes is not retried', async () => {
    const { world, id } = await accepted();
    await world.change(id, { status: 'disabled' });
    await world.clock.advanceTo('2026-03-01T12:11:01Z');
    const run = await last(world);
    assert.equal(run.status, 'failed');
    assert.equal(run.reason, 'It was not tried again: the schedule was disabled.');
  });
});

describe('a manual run awaits too', () => {
  const manual = async (policy: Policy = {}) => {
    const { world, id } = await started(policy);
    await world.trigger(id);
    await world.clock.advance(SECOND);
    return { world, id, sent: world.sent[0]! };
  };

  test('until its completion comes', async () => {
    const { world, sent } = await manual();
    const run = await last(world);
    assert.equal(run.status, 'running');
    assert.equal(run.completionUntil, Date.parse('2026-03-01T12:10:30Z'));
    assert.equal(await world.store.completions.awaiting(), 1);
    await says(world, sent);
    const ended = await last(world);
    assert.equal(ended.status, 'succeeded');
    assert.equal(ended.finishedAt, Date.parse('2026-03-01T12:09:31Z'));
    assert.equal(await world.say(sent), false);
  });

  test('until its deadline passes, and is retried then', async () => {
    const { world } = await manual({ maxRetries: 1, completion: { deadlineSeconds: 10 } });
    await world.clock.advance(10 * SECOND);
    assert.equal((await last(world)).status, 'retrying');
    await world.clock.advance(5 * SECOND);
    assert.deepEqual(world.times(), ['12:09:30', '12:09:45']);
    await says(world, world.sent[1]!, { status: 'failed' });
    assert.equal((await last(world)).status, 'failed');
  });

  test('a completion or a heartbeat before the answer counts', async () => {
    const { world, id } = await started();
    world.answer = () => 'hang';
    await world.trigger(id);
    await says(world, world.sent[0]!, { extendSeconds: 300 });
    await world.clock.advance(SECOND);
    await world.release(202);
    await world.clock.advance(100);
    assert.equal((await last(world)).completionUntil, Date.parse('2026-03-01T12:14:30Z'));
    await says(world, world.sent[0]!);
    await world.trigger(id);
    await says(world, world.sent[1]!);
    await world.release(202);
    await world.clock.advance(100);
    await world.clock.advance(SECOND);
    assert.deepEqual(await world.history(), ['12:09:30 succeeded', '12:09:31 succeeded']);
  });

  for (const outcome of ['connectionError', 'timeout'] as const) {
    const unanswered = { outcome, error: 'No answer.' };

    test(`an end that was said before it counts where no answer comes: ${outcome}`, async () => {
      const { world, id } = await started();
      world.answer = () => 'hang';
      await world.trigger(id);
      await says(world, world.sent[0]!, { status: 'failed', message: 'Disk full.' });
      await world.release(unanswered);
      await world.clock.advance(SECOND);
      const run = await last(world);
      assert.equal(run.status, 'failed');
      assert.equal(run.attempts[0]!.error, 'The target said later that it failed: Disk full.');
      assert.deepEqual(world.times(), ['12:09:30']);
    });

    test(`with nothing said it is retried, as ever: ${outcome}`, async () => {
      const { world, id } = await started({ maxRetries: 1 });
      world.answer = () => unanswered;
      await world.trigger(id);
      await world.clock.advance(SECOND);
      const run = await last(world);
      assert.equal(run.status, 'retrying');
      assert.equal(run.completionUntil, undefined);
      await world.clock.advance(5 * SECOND);
      assert.deepEqual(world.times(), ['12:09:30', '12:09:35']);
      assert.deepEqual(await world.history(), ['12:09:30 failed']);
      const { attempts, finishedAt } = await last(world);
      assert.equal(attempts.length, 2);
      assert.equal(finishedAt, Date.parse('2026-03-01T12:09:35Z'));
    });

    test(`a heartbeat before it puts off no retry: ${outcome}`, async () => {
      const { world, id } = await started({ maxRetries: 1 });
      world.answer = () => 'hang';
      await world.trigger(id);
      await says(world, world.sent[0]!, { extendSeconds: 600 });
      await world.release(unanswered);
      await world.clock.advance(8 * SECOND);
      assert.equal(world.sent.length, 2);
    });
  }

  test('times that come meanwhile are skipped, and other manual runs wait', async () => {
    const { world, id, sent } = await manual({ completion: { deadlineSeconds: 600 } });
    await world.trigger(id);
    await world.clock.advanceTo('2026-03-01T12:10:30Z');
    assert.deepEqual(world.times(), ['12:09:30']);
    await says(world, sent);
    await world.clock.advance(SECOND);
    assert.deepEqual(world.times(), ['12:09:30', '12:10:30']);
    assert.deepEqual(await world.history(), [
      '12:09:30 succeeded',
      '12:09:31 running',
      '12:10:00 skipped',
    ]);
  });

  for (const overlap of ['skip', 'bufferOne'] as const) {
    test(`rows behind it wait for its end, and are not looked at all the time: ${overlap}`, async () => {
      const completion = { deadlineSeconds: 86_400 };
      const { world, id, sent } = await manual({ completion, overlap, timeoutSeconds: 1 });
      await world.trigger(id);
      let looks = 0;
      for (const store of [world.store.queue, world.store.outbox]) {
        const claim = store.claim.bind(store) as (...asked: unknown[]) => Promise<unknown>;
        Object.assign(store, {
          claim: (...asked: unknown[]) => {
            looks += 1;
            return claim(...asked);
          },
        });
      }
      await world.clock.advanceTo('2026-03-01T13:00:00Z');
      assert.ok(looks < 200, `${looks} looks`);
      assert.deepEqual(world.times(), ['12:09:30']);
      await says(world, sent);
      await world.clock.advance(SECOND);
      assert.deepEqual(world.times(), ['12:09:30', '13:00:00']);
    });
  }

  test('a time that came before it is sent with its end', async () => {
    const completion = { deadlineSeconds: 86_400 };
    const { world, id } = await started({ completion, overlap: 'bufferOne' }, '0 * * * *');
    await world.trigger(id);
    await world.clock.advanceTo('2026-03-01T13:30:00Z');
    assert.deepEqual(world.times(), ['12:09:30']);
    assert.equal(await world.store.queue.nextDueAt(), Date.parse('2026-03-01T14:00:00Z'));
    await says(world, world.sent[0]!);
    assert.deepEqual(world.times(), ['12:09:30', '13:30:00']);
    assert.equal(world.sent[1]!.headers['punctual-scheduled-for'], '2026-03-01T13:00:00.000Z');
  });

  test('deleted meanwhile, it may still complete', async () => {
    const { world, id, sent } = await manual();
    await world.change(id, { status: 'deleted' });
    await world.clock.advance(5 * SECOND);
    await says(world, sent);
    assert.equal((await last(world)).status, 'succeeded');
  });
});

describe('a process that dies', () => {
  test('leaves a run that awaits alone', async () => {
    const { world, sent } = await accepted();
    await world.crash(10 * SECOND);
    assert.equal((await last(world)).status, 'running');
    await says(world, sent);
    await world.clock.advance(MINUTE);
    assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
    assert.deepEqual(world.times(), ['12:10:00']);
  });

  test('before the answer: what the target has said counts, and nothing is sent again', async () => {
    const { world } = await started();
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    await says(world, world.sent[0]!);
    await world.crash(10 * SECOND);
    await world.clock.advance(SECOND);
    assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
    assert.deepEqual(world.times(), ['12:10:00']);
  });

  test('before the answer, with nothing said: it is sent again, and the newer attempt counts', async () => {
    const { world } = await started();
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    await world.crash(10 * SECOND);
    await world.clock.advance(SECOND);
    assert.equal(world.sent.length, 2);
    assert.equal(await world.say(world.sent[0]!), false);
    await says(world, world.sent[1]!);
  });

  test('the same of a manual run', async () => {
    const { world, id } = await started();
    world.answer = () => 'hang';
    await world.trigger(id);
    await says(world, world.sent[0]!);
    await world.crash(SECOND);
    await world.clock.advance(SECOND);
    assert.deepEqual(await world.history(), ['12:09:30 succeeded']);
    assert.equal(world.sent.length, 1);
    await world.trigger(id);
    await world.crash(SECOND);
    await world.clock.advance(SECOND);
    assert.equal(world.sent.length, 3);
  });

  test('a deadline that passed meanwhile counts when the next one starts', async () => {
    const { world } = await accepted({ maxRetries: 0 });
    await world.crash(5 * MINUTE);
    await world.clock.advance(SECOND);
    const run = await last(world);
    assert.equal(run.status, 'failed');
    assert.equal(run.finishedAt, Date.parse('2026-03-01T12:11:00Z'));
  });

  test('times that come while nobody looks are skipped, as they are at any time', async () => {
    const policy = { completion: { deadlineSeconds: 600 } };
    const { world, sent } = await accepted(policy, '* * * * *');
    await world.crash(2 * MINUTE);
    await world.clock.advance(30 * SECOND);
    await says(world, sent);
    await world.clock.advance(SECOND);
    assert.deepEqual(world.times(), ['12:10:00']);
    const fates = ['12:10:00 succeeded', '12:11:00 skipped', '12:12:00 skipped'];
    assert.deepEqual(await world.history(), fates);
  });

  test('a retry after such a deadline waits from then on', async () => {
    const { world } = await accepted({ retryDelaysSeconds: [120] });
    await world.crash(70 * SECOND);
    await world.clock.advanceTo('2026-03-01T12:12:50Z');
    assert.deepEqual(world.times(), ['12:10:00']);
    await world.clock.advance(30 * SECOND);
    assert.equal(world.sent.length, 2);
  });

  test('the same of a manual run: its retry gives way only to a time that is still to come', async () => {
    const { world, id } = await started({
      maxRetries: 1,
      retryDelaysSeconds: [60],
      completion: { deadlineSeconds: 10 },
    });
    await world.trigger(id);
    await world.clock.advance(SECOND);
    // The deadline passes, and then 12:10, before the retry, while nobody looks.
    await world.crash(5 * MINUTE);
    await world.clock.advance(SECOND);
    assert.deepEqual(world.times(), ['12:09:30', '12:14:31']);
    await says(world, world.sent[1]!);
    assert.deepEqual(await world.history(), ['12:09:30 succeeded', '12:10:00 running']);
  });
});

test('a graceful stop leaves a run that awaits alone', async () => {
  const { world, sent } = await accepted();
  await world.engine.stop(SECOND);
  await says(world, sent);
  assert.equal((await last(world)).status, 'running');
  world.engine = world.newEngine();
  await world.engine.start();
  await world.clock.advance(SECOND);
  assert.deepEqual(await world.history(), ['12:10:00 succeeded']);
});

describe('a run that awaits as the clock is set back', () => {
  test('awaits no longer than it was to, and its schedule goes on', async () => {
    const { world } = await accepted({ maxRetries: 0 });
    await world.clock.jump(Date.parse('2026-02-01T12:08:30Z'));
    await world.clock.advance(55 * SECOND);
    assert.equal(await world.store.completions.awaiting(), 1);
    await world.clock.advance(10 * SECOND);
    assert.equal(await world.store.completions.awaiting(), 0);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:10:00', '12:10:00']);
    assert.equal(world.sent[1]!.headers['punctual-scheduled-for'], '2026-02-01T12:10:00.000Z');
  });

  test('nor does one whose request began before the clock was ahead', async () => {
    const { world } = await started({ maxRetries: 0 });
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    await world.clock.jump(Date.parse('2026-03-01T12:50:05Z'));
    await world.release(202);
    await world.clock.advance(SECOND);
    await world.clock.jump(Date.parse('2026-03-01T12:10:10Z'));
    await world.clock.advance(55 * SECOND);
    assert.equal(await world.store.completions.awaiting(), 1);
    await world.clock.advance(10 * SECOND);
    assert.equal(await world.store.completions.awaiting(), 0);
  });

  test('after a heartbeat as long as that asked for', async () => {
    const { world, sent } = await accepted({ maxRetries: 0 });
    await says(world, sent, { extendSeconds: 300 });
    await world.clock.jump(Date.parse('2026-02-01T12:08:30Z'));
    await world.clock.advance(295 * SECOND);
    assert.equal(await world.store.completions.awaiting(), 1);
    await world.clock.advance(10 * SECOND);
    assert.equal(await world.store.completions.awaiting(), 0);
  });

  test('and the same of a manual run', async () => {
    const { world, id } = await started({ maxRetries: 0 });
    await world.trigger(id);
    await world.clock.advance(SECOND);
    await world.clock.jump(Date.parse('2026-02-01T12:00:00Z'));
    await world.clock.advance(70 * SECOND);
    assert.equal(await world.store.completions.awaiting(), 0);
  });
});
