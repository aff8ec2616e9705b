import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Policy, Schedule } from '../../src/domain/schedule/schedule.ts';
import { readControlHeader } from '../../src/outbound/control-header.ts';
import { type Answer, World } from '../support/engine/world.ts';

const MINUTE = 60_000;
const START = '2026-03-01T12:00:00Z';
const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);

const saying = (control: string, status = 200): Answer => ({ responseStatus: status, control });

/** The parser is loaded with the first header: here it is there already. */
before(() => readControlHeader('disable'));

async function worldOf(
  answers: Answer[],
  fields: Partial<Schedule> = {},
): Promise<{ world: World; id: string; state: () => Promise<string> }> {
  const world = await World.start(START);
  world.answer = () => answers.shift() ?? 200;
  const { id } = await world.schedule({ interval: '* * * * *', ...fields });
  const state = async () => {
    const { status, statusReason, timing } = (await world.found(id))!;
    const until = timing?.pausedUntil;
    const paused = until === undefined ? '' : ` until ${new Date(until).toISOString()}`;
    return `${[status, statusReason].filter(Boolean).join(' ')}${paused}`;
  };
  return { world, id, state };
}

const ofPolicy = (policy: Policy): Partial<Schedule> => ({ policy });

describe('no-retry', () => {
  test('makes a failure final, and says why', async () => {
    const { world } = await worldOf([saying('no-retry', 503)]);
    await world.clock.advance(MINUTE + 30_000);
    assert.deepEqual(world.times(), ['12:01:00']);
    const [run] = await world.runs();
    assert.equal(run!.status, 'failed');
    assert.match(run!.reason!, /the target asked for no retry/);
    assert.deepEqual(run!.attempts[0]!.control, { noRetry: true });
  });

  test('makes nothing of a success, and counts for its own attempt only', async () => {
    const { world } = await worldOf([saying('no-retry'), 503, 200]);
    await world.clock.advance(2 * MINUTE + 30_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00', '12:02:05']);
    assert.deepEqual(await world.history(), ['12:01:00 succeeded', '12:02:00 succeeded']);
  });
});

describe('no-retry with a 202', () => {
  test('makes a deadline that passes final, of a manual run too', async () => {
    const { world, id } = await worldOf([saying('no-retry', 202)], {
      interval: '0 0 1 1 *',
      policy: { completion: { deadlineSeconds: 10 } },
    });
    await world.trigger(id);
    await world.clock.advance(MINUTE);
    const [run] = await world.runs();
    assert.equal(run!.status, 'failed');
    assert.equal(run!.attempts.length, 1);
    assert.match(run!.reason!, /the target asked for no retry/);
  });
});

describe('pause', () => {
  test('lets nothing fire for so long, counted from the answer', async () => {
    const { world, state } = await worldOf([saying('pause=150')]);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:04:00', '12:05:00']);
    assert.equal(await state(), 'enabled until 2026-03-01T12:03:30.000Z');
    const [run] = await world.runs();
    assert.deepEqual(run!.attempts[0]!.control, { pauseSeconds: 150 });
  });

  test('takes a retry that would come before its end', async () => {
    const { world } = await worldOf([saying('pause=150', 503)]);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:04:00', '12:05:00']);
    const [run] = await world.runs();
    assert.match(run!.reason!, /the schedule is paused until 2026-03-01T12:03:30/);
  });

  test('leaves one that comes behind it', async () => {
    const { world, state } = await worldOf([saying('pause=4', 503)]);
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:05', '12:02:00']);
    assert.equal(await state(), 'enabled until 2026-03-01T12:01:04.000Z');
  });

  test('by a manual run moves the time that waits', async () => {
    const { world, id, state } = await worldOf([saying('pause=150')]);
    await world.trigger(id);
    await world.clock.advance(4 * MINUTE);
    assert.deepEqual(world.times(), ['12:00:00', '12:03:00', '12:04:00']);
    assert.equal(await state(), 'enabled until 2026-03-01T12:02:30.000Z');
  });

  test('does not shorten one that lasts longer', async () => {
    const timing = { pausedUntil: at('12:05:30') };
    const { world, id, state } = await worldOf([saying('pause=60')], { timing });
    await world.trigger(id);
    await world.clock.advance(7 * MINUTE);
    assert.deepEqual(world.times(), ['12:00:00', '12:06:00', '12:07:00']);
    assert.equal(await state(), 'enabled until 2026-03-01T12:05:30.000Z');
  });

  test('that leaves no time completes the schedule', async () => {
    for (const isManual of [false, true]) {
      const timing = { endsAt: at('12:03:30') };
      const { world, id, state } = await worldOf([saying('pause=600')], { timing });
      if (isManual) await world.trigger(id);
      await world.clock.advance(5 * MINUTE);
      assert.equal(world.sent.length, 1);
      assert.match(await state(), /^disabled completed until 2026-03-01T12:1[01]/);
    }
  });

  test('skips a time that came while the run was going, buffered or not', async () => {
    for (const overlap of ['skip', 'bufferOne'] as const) {
      const { world } = await worldOf(['hang'], ofPolicy({ overlap, timeoutSeconds: 300 }));
      await world.clock.advance(2 * MINUTE + 10_000);
      await world.release(saying('pause=90') as object);
      await world.clock.advance(3 * MINUTE);
      assert.deepEqual(world.times(), ['12:01:00', '12:04:00', '12:05:00'], overlap);
      const [, skipped] = await world.history();
      assert.equal(skipped, '12:02:00 skipped');
    }
  });
});

describe('disable', () => {
  test('disables the schedule, and says why', async () => {
    const { world, state } = await worldOf([saying('disable')]);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00']);
    assert.equal(await state(), 'disabled targetDisabled');
    assert.deepEqual(await world.history(), ['12:01:00 succeeded']);
  });

  test('beats pause and again, and lets no retry come', async () => {
    const { world, state } = await worldOf([saying('again=5, pause=60, disable', 503)]);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00']);
    assert.equal(await state(), 'disabled targetDisabled');
    const [run] = await world.runs();
    assert.deepEqual(run!.attempts[0]!.control, { disable: true });
    assert.match(run!.reason!, /the schedule was disabled/);
  });

  test('by a manual run takes the time that waits, and its retries', async () => {
    const { world, id, state } = await worldOf([saying('disable', 503)]);
    await world.trigger(id);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:00:00']);
    assert.equal(await state(), 'disabled targetDisabled');
    assert.deepEqual(await world.history(), ['12:00:00 failed']);
  });

  test('of a schedule that a caller disabled meanwhile changes nothing', async () => {
    const { world, id, state } = await worldOf(['hang']);
    await world.clock.advance(MINUTE + 10);
    await world.change(id, { status: 'disabled' });
    await world.release(saying('disable') as object);
    assert.equal(await state(), 'disabled');
  });

  test('that comes behind a change by a caller disables what was changed', async () => {
    for (const isManual of [false, true]) {
      const { world, id, state } = await worldOf(['hang'], { interval: '*/5 * * * *' });
      if (isManual) await world.trigger(id);
      else await world.clock.advance(5 * MINUTE + 10);
      await world.change(id, { interval: '* * * * *', label: 'changed' });
      await world.release(saying('disable') as object);
      await world.clock.advance(10 * MINUTE);
      assert.equal(world.sent.length, 1);
      assert.equal(await state(), 'disabled targetDisabled');
      assert.equal((await world.found(id))!.label, 'changed');
    }
  });
});

describe('again', () => {
  test('brings one more run, beside the times of the schedule', async () => {
    const { world } = await worldOf([saying('again=90')], { interval: '*/5 * * * *' });
    await world.clock.advance(11 * MINUTE);
    assert.deepEqual(world.times(), ['12:05:00', '12:06:30', '12:10:00']);
    assert.deepEqual(
      (await world.runs()).map(({ trigger, status }) => `${trigger} ${status}`),
      ['schedule succeeded', 'target succeeded', 'schedule succeeded'],
    );
  });

  test('makes a poller of a one-off, which completes with the last', async () => {
    const answers = [saying('again=10'), saying('again=20'), saying('again=30'), 200];
    const { world, state } = await worldOf(answers, { interval: 'at(2026-03-01T12:01:00)' });
    await world.clock.advance(MINUTE + 50_000);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:10', '12:01:30']);
    assert.equal(await state(), 'enabled');
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:01:10', '12:01:30', '12:02:00']);
    assert.equal(await state(), 'disabled completed');
  });

  test('with afterCompletion: delete deletes it with the last', async () => {
    const timing = { afterCompletion: 'delete' } as const;
    const interval = 'at(2026-03-01T12:01:00)';
    const { world, state } = await worldOf([saying('again=10'), 500, 500, 500], {
      interval,
      timing,
      policy: { maxRetries: 1 },
    });
    await world.clock.advance(MINUTE + 12_000);
    assert.equal(await state(), 'enabled');
    await world.clock.advance(MINUTE);
    assert.equal(await state(), 'deleted completed');
    assert.deepEqual(world.times(), ['12:01:00', '12:01:10', '12:01:15']);
  });

  test('one is outstanding: a newer replaces it, and history says so', async () => {
    const { world } = await worldOf([saying('again=90'), saying('again=100')]);
    await world.clock.advanceTo('2026-03-01T12:02:59Z');
    const target = (await world.runs()).filter(({ trigger }) => trigger === 'target');
    assert.deepEqual(
      target.map(({ status }) => status),
      ['skipped', 'queued'],
    );
    assert.match(target[0]!.reason!, /asked for another run/);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00', '12:03:00', '12:03:40']);
  });

  for (const [what, fields] of [
    ['paused', { timing: { pausedUntil: at('12:30:00') } }],
    ['disabled', { status: 'disabled' }],
    ['deleted', { status: 'deleted' }],
  ] as const) {
    test(`is dropped where the schedule is ${what}`, async () => {
      const { world, id } = await worldOf([saying('again=120')], { interval: '*/5 * * * *' });
      await world.clock.advance(5 * MINUTE + 1_000);
      await world.change(id, fields);
      await world.clock.advance(10 * MINUTE);
      assert.deepEqual(world.times(), ['12:05:00']);
      const dropped = (await world.runs()).find(({ trigger }) => trigger === 'target')!;
      assert.equal(dropped.status, 'skipped');
      assert.match(dropped.reason!, new RegExp(`The schedule was ${what}`));
    });
  }

  test('is not obeyed on a schedule that is disabled: its manual runs stay single', async () => {
    const { world, id } = await worldOf([saying('again=60')], { status: 'disabled' });
    await world.trigger(id);
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:00:00']);
  });

  test('with a failure that is retried brings both', async () => {
    const { world } = await worldOf([saying('again=20', 503)], { interval: '*/5 * * * *' });
    await world.clock.advance(6 * MINUTE);
    assert.deepEqual(world.times(), ['12:05:00', '12:05:05', '12:05:20']);
  });

  test('keeps a schedule that a calendar leaves no time from completing before it', async () => {
    const world = await World.start(START);
    await world.calendar('freeze', { from: '2026-03-02', to: '2026-03-03' });
    world.answer = () => (world.sent.length === 1 ? saying('again=120') : 200);
    const timing = { exclude: ['freeze'], endsAt: at('12:04:00') };
    const { id } = await world.schedule({ interval: '* * * * *', timing });
    await world.clock.advance(MINUTE + 10_000);
    await world.calendar('freeze', { from: '2026-03-01T12:02:00Z', to: '2026-03-01T13:00:00Z' });
    await world.clock.advance(MINUTE);
    assert.equal((await world.found(id))!.status, 'enabled');
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:03:00']);
    assert.equal((await world.found(id))!.statusReason, 'completed');
  });

  test('survives a crash', async () => {
    const { world } = await worldOf([saying('again=60')], { interval: '*/5 * * * *' });
    await world.clock.advance(5 * MINUTE + 1_000);
    await world.crash(10_000);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:05:00', '12:06:00']);
  });

  test('is asked for anew where the service stops before the answer is written', async () => {
    const { world } = await worldOf(['hang', saying('again=30')], { interval: '*/5 * * * *' });
    await world.clock.advance(5 * MINUTE + 1_000);
    await world.crash(1_000);
    await world.clock.advance(MINUTE);
    assert.deepEqual(world.times(), ['12:05:00', '12:05:02', '12:05:32']);
  });
});

describe('a header that cannot be read', () => {
  for (const [text, control, fault] of [
    ['pause=0, again=60', { againSeconds: 60 }, /pause must be whole seconds from 1/],
    ['again=86401', undefined, /again must be whole seconds from 1 to 86,400/],
    ['disable="now"', undefined, /disable takes no value/],
    ['PAUSE 60', undefined, /dictionary of RFC 9651/],
  ] as const) {
    test(`is noted on the attempt: ${text}`, async () => {
      const { world, state } = await worldOf([saying(text)], { interval: '*/5 * * * *' });
      await world.clock.advance(5 * MINUTE + 1_000);
      const [run] = await world.runs();
      assert.equal(run!.status, 'succeeded');
      assert.deepEqual(run!.attempts[0]!.control, control);
      assert.match(run!.attempts[0]!.controlFault!, fault);
      assert.equal(await state(), 'enabled');
    });
  }

  test('obeyTarget: false ignores it without a note', async () => {
    const { world, state } = await worldOf(
      [saying('disable, x=')],
      ofPolicy({ obeyTarget: false }),
    );
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00']);
    assert.equal(await state(), 'enabled');
    const [attempt] = (await world.runs())[0]!.attempts;
    assert.deepEqual([attempt!.control, attempt!.controlFault], [undefined, undefined]);
  });

  test('a callback that has it says nothing', async () => {
    const { world, state } = await worldOf([200], {
      integrations: [
        {
          id: 'hook',
          type: 'WEBHOOK',
          name: '',
          url: 'https://hooks.example/run',
          includeScheduleUrlInCallback: false,
          callOnSuccess: true,
        },
      ],
    });
    world.answer = ({ url }) => (url.includes('hooks') ? saying('disable') : 200);
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00', '12:02:00']);
    assert.equal(world.times('https://hooks').length, 2);
    assert.equal(await state(), 'enabled');
  });
});

describe('disableOnGone', () => {
  test('a 410 disables the schedule, without a retry', async () => {
    const policy = { disableOnGone: true, retryStatuses: ['410'] };
    const { world, state } = await worldOf([410], ofPolicy(policy));
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(world.times(), ['12:01:00']);
    assert.equal(await state(), 'disabled targetGone');
    assert.deepEqual(await world.history(), ['12:01:00 failed']);
  });

  test('off, it is a failure as before', async () => {
    const { world, state } = await worldOf([410]);
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual(await world.history(), ['12:01:00 failed', '12:02:00 succeeded']);
    assert.equal(await state(), 'enabled');
  });

  test('by a manual run as well', async () => {
    const { world, id, state } = await worldOf([410], ofPolicy({ disableOnGone: true }));
    await world.trigger(id);
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual(world.times(), ['12:00:00']);
    assert.equal(await state(), 'disabled targetGone');
  });
});

describe('disableAfterFailures', () => {
  const policy = { disableAfterFailures: 3, maxRetries: 0 };

  test('so many failed runs in a row disable the schedule', async () => {
    const { world, state } = await worldOf([500, 200, 500, 500, 500], ofPolicy(policy));
    await world.clock.advance(4 * MINUTE);
    assert.equal(await state(), 'enabled');
    await world.clock.advance(5 * MINUTE);
    assert.equal(world.sent.length, 5);
    assert.equal(await state(), 'disabled tooManyFailures');
  });

  test('1 disables with the first', async () => {
    const { world, state } = await worldOf([500], ofPolicy({ ...policy, disableAfterFailures: 1 }));
    await world.clock.advance(5 * MINUTE);
    assert.equal(world.sent.length, 1);
    assert.equal(await state(), 'disabled tooManyFailures');
  });

  test('manual runs count neither way, nor do times that were skipped', async () => {
    const { world, id, state } = await worldOf([500], ofPolicy(policy));
    await world.clock.advance(MINUTE + 1_000);
    await world.trigger(id);
    await world.clock.advance(1_000);
    world.answer = () => 'hang';
    await world.clock.advance(MINUTE);
    // The time of 12:03 is skipped behind it.
    await world.clock.advance(MINUTE);
    world.answer = () => 500;
    await world.release(500);
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.equal(await state(), 'enabled');
    await world.clock.advance(MINUTE);
    assert.equal(await state(), 'disabled tooManyFailures');
  });

  test('runs that the target asked for count, and again does not survive', async () => {
    const answers = [saying('again=5', 500), saying('again=5', 500), saying('again=5', 500)];
    const { world, state } = await worldOf(answers, {
      interval: '*/5 * * * *',
      policy,
    });
    await world.clock.advance(10 * MINUTE);
    assert.deepEqual(world.times(), ['12:05:00', '12:05:05', '12:05:10']);
    assert.equal(await state(), 'disabled tooManyFailures');
  });

  test('enabled again by a caller, failures before that count no more', async () => {
    const { world, id, state } = await worldOf([500, 500, 500, 500, 500, 500], ofPolicy(policy));
    await world.clock.advance(4 * MINUTE);
    assert.equal(await state(), 'disabled tooManyFailures');
    await world.change(id, { status: 'enabled' });
    await world.clock.advance(2 * MINUTE);
    assert.match(await state(), /^enabled/);
    await world.clock.advance(MINUTE);
    assert.match(await state(), /^disabled/);
  });
});
