import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { time, World } from '../support/engine/world.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** The nominal times of all requests, in the order in which they left. */
function nominal(world: World): string[] {
  return world.sent.map(({ headers }) => headers['punctual-scheduled-for']!.slice(11, 19));
}

function seconds(from: string, count: number): string[] {
  const first = Date.parse(`2026-03-01T${from}Z`);
  return Array.from({ length: count }, (_, index) => time(first + index * SECOND));
}

const OTHER = 'https://example.com/other';

/** The run of 12:00:03 ends while the clock is ahead by 2.8 seconds, for 20 ms. @param ahead called as it is */
async function endsAhead(world: World, ahead = () => {}): Promise<void> {
  await world.schedule({ interval: '* * * * * *' });
  await world.clock.advance(2_500);
  world.answer = ({ url }) => (url === OTHER ? 200 : 'hang');
  await world.clock.advance(600);
  world.answer = () => 200;
  world.clock.set('2026-03-01T12:00:05.900Z');
  ahead();
  await world.release();
  await world.clock.advance(20);
  world.clock.set('2026-03-01T12:00:03.120Z');
}

describe('a clock that was ahead for a moment', () => {
  test('silences nobody: what was only missed fires when it comes, and what was sent does not again', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(2_500);
    await world.clock.jump('2026-03-01T12:01:00.500Z');
    await world.clock.advance(4_000);
    const ahead = nominal(world).filter(each => each >= '12:01:00');
    assert.ok(ahead.length >= 4, ahead.join());
    await world.clock.jump('2026-03-01T12:00:06.500Z');
    await world.clock.advanceTo('2026-03-01T12:01:30.500Z');
    const sent = nominal(world);
    assert.equal(new Set(sent).size, sent.length, 'none was sent twice');
    const all = seconds('12:00:01', 90);
    const came = all.filter(each => each <= '12:00:02' || each >= '12:00:07');
    assert.deepEqual([...sent].sort(), came);
    assert.ok(/clock 5\d/.test(world.told.join()) && /clock -5[78]/.test(world.told.join()));
    const history = (await world.runs()).map(
      ({ scheduledFor, status }) => `${time(scheduledFor)} ${status}`,
    );
    const fates = all.map(each => `${each} ${came.includes(each) ? 'succeeded' : 'missed'}`);
    assert.deepEqual(history, fates);
    assert.ok((await world.runs()).every(run => run.scheduleId === id));
  });

  test('leaves room in history for what is sent later, where a schedule was disabled meanwhile', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '*/10 * * * * *' });
    await world.clock.jump('2026-03-01T12:01:01Z');
    await world.clock.advance(2_000);
    await world.change(id, { status: 'disabled' });
    await world.clock.jump('2026-03-01T12:00:06Z');
    await world.clock.advanceTo('2026-03-01T12:00:25Z');
    await world.change(id, { status: 'enabled' });
    await world.clock.advanceTo('2026-03-01T12:00:45Z');
    assert.deepEqual(await world.history(), [
      ...['12:00:10 missed', '12:00:20 missed'],
      ...['12:00:30 succeeded', '12:00:40 succeeded', '12:01:00 succeeded'],
    ]);
  });

  test('cuts the record of more than 1,000 missed times', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(2_500);
    await world.clock.jump('2026-03-01T13:00:00.500Z');
    await world.clock.advance(4_000);
    await world.clock.jump('2026-03-01T12:00:06.500Z');
    await world.clock.advanceTo('2026-03-01T12:00:20.500Z');
    const runs = (await world.runs()).filter(({ scheduledFor }) => time(scheduledFor) < '12:01');
    assert.deepEqual(
      runs.map(({ scheduledFor, status }) => `${time(scheduledFor)} ${status}`),
      [
        ...seconds('12:00:01', 2).map(each => `${each} succeeded`),
        '12:00:03 missed',
        ...seconds('12:00:07', 14).map(each => `${each} succeeded`),
      ],
    );
    const from = Date.parse('2026-03-01T12:00:03Z');
    assert.deepEqual(runs[2]!.missed, { count: 4, from, to: from + 3 * SECOND });
  });

  test('holds up nothing that was written in that moment, between two looks of the engine', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '*/10 * * * * *' });
    await world.clock.advance(10_300);
    await world.clock.jump('2026-03-01T12:45:10.400Z');
    await world.change(id, { interval: '*/5 * * * * *' });
    await world.clock.jump('2026-03-01T12:00:10.500Z');
    await world.clock.advanceTo('2026-03-01T12:00:31Z');
    assert.deepEqual(nominal(world), ['12:00:10', '12:00:15', '12:00:20', '12:00:25', '12:00:30']);
    assert.equal(world.told.filter(line => line.startsWith('clock')).length, 2);
  });

  test('loses no time where it goes ahead again while a request of then is in flight', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '*/10 * * * * *' });
    await world.clock.advance(500);
    await world.clock.jump('2026-03-01T13:00:09.500Z');
    world.answer = () => 'hang';
    await world.clock.advance(1_000);
    world.answer = () => 200;
    await world.clock.jump('2026-03-01T12:00:12.500Z');
    await world.clock.advance(1_500);
    await world.clock.jump('2026-03-01T12:00:35.500Z');
    await world.clock.advance(3_000);
    await world.release();
    await world.clock.advanceTo('2026-03-01T12:00:55Z');
    const recorded = (await world.runs()).map(({ scheduledFor }) => time(scheduledFor));
    const due = ['12:00:20', '12:00:30', '12:00:40', '12:00:50'];
    assert.deepEqual(
      recorded.filter(each => each > '12:00:15' && each < '12:01'),
      due,
    );
  });

  test('loses no time that was skipped before, where it is set back for a moment during a request', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '*/10 * * * * *' });
    world.answer = () => 'hang';
    await world.clock.advanceTo('2026-03-01T12:00:35Z');
    await world.release();
    await world.clock.advanceTo('2026-03-01T12:00:41Z');
    await world.clock.jump('2026-03-01T12:00:11Z');
    await world.clock.advance(1_500);
    await world.clock.jump('2026-03-01T12:00:42.500Z');
    await world.clock.advance(1_500);
    world.answer = () => 200;
    await world.release();
    await world.clock.advanceTo('2026-03-01T12:00:55Z');
    const recorded = (await world.runs()).map(({ scheduledFor }) => time(scheduledFor));
    const due = ['12:00:10', '12:00:20', '12:00:30', '12:00:40', '12:00:50'];
    assert.deepEqual(recorded.slice(0, 5), due);
  });

  test('loses no time where a run ends by it, between two looks of the loops', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * * *', url: OTHER });
    await endsAhead(world);
    await world.clock.advanceTo('2026-03-01T12:00:08.500Z');
    assert.deepEqual(world.times(), seconds('12:00:01', 8));
  });

  test('loses no time where a decision of then is on its way as it is set back', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { queue } = world.store;
    const { settle } = queue;
    const { promise: written, resolve } = Promise.withResolvers<void>();
    await endsAhead(world, () => {
      queue.settle = async settlements => {
        queue.settle = settle;
        await written;
        return settle(settlements);
      };
    });
    world.engine.wake(world.clock.now());
    assert.match(world.told.join(), /clock -/);
    await world.clock.advance(500);
    resolve();
    await world.clock.advanceTo('2026-03-01T12:00:08.500Z');
    assert.deepEqual(world.times(), seconds('12:00:01', 8));
  });

  test('silences nobody that is started when it is right again', async () => {
    const world = await World.start('2030-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(6_100);
    await world.crash(Date.parse('2026-03-01T12:00:00Z') - world.clock.now());
    const before = world.sent.length;
    await world.clock.advance(5_000);
    assert.deepEqual(nominal(world).slice(before), seconds('12:00:01', 5));
    assert.match(world.told.join(), /clock was back \d+/);
  });

  test('puts off neither callbacks nor manual runs nor retries', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = ({ url }) => (url.includes('callback') ? 503 : 200);
    const integrations = [
      {
        id: 'one',
        type: 'WEBHOOK' as const,
        name: '',
        url: 'https://example.com/callback',
        includeScheduleUrlInCallback: false,
        callOnSuccess: true,
      },
    ];
    const { id } = await world.schedule({ interval: '0 0 1 1 *', integrations });
    await world.clock.jump('2026-03-01T13:00:00Z');
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.deepEqual(world.times('https://example.com/callback'), ['13:00:00']);
    await world.clock.jump('2026-03-01T12:00:01Z');
    await world.clock.advance(10 * SECOND);
    assert.deepEqual(world.times('https://example.com/callback').length, 2);
  });

  test('does not put off the retry of a run whose time is the next to come', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    world.answer = () => 503;
    await world.schedule({ interval: '0 0 13 * * *' });
    await world.clock.jump('2026-03-01T13:30:00Z');
    await world.clock.advance(2 * SECOND);
    assert.deepEqual(world.times(), ['13:30:00']);
    await world.clock.jump('2026-03-01T12:59:50Z');
    world.answer = () => 200;
    await world.clock.advance(20 * SECOND);
    assert.deepEqual(world.times(), ['13:30:00', '13:00:00']);
    assert.deepEqual(await world.history(), ['13:00:00 succeeded']);
  });

  test('sends nothing early of what passed by it, and is decided about as it is set right', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(2_500);
    const { queue } = world.store;
    const settle = queue.settle;
    let answer = () => {};
    queue.settle = async settlements => {
      const overtaken = await settle(settlements);
      if (settlements.every(({ row }) => row?.state !== 'inFlight')) return overtaken;
      await new Promise<void>(resolve => {
        answer = resolve;
      });
      return overtaken;
    };
    await world.clock.jump('2026-03-01T12:30:00.500Z');
    await world.clock.advance(SECOND);
    queue.settle = settle;
    await world.clock.jump('2026-03-01T12:00:04.500Z');
    answer();
    await world.clock.advance(20 * SECOND);
    const early = world.sent.filter(
      ({ at, headers }) => at < Date.parse(headers['punctual-scheduled-for']!),
    );
    assert.deepEqual(
      early.map(({ at }) => time(at)),
      [],
    );
    assert.equal(nominal(world).at(-1), '12:00:24');
  });

  test('a run that is to be tried again gives way to the times that come', async () => {
    const world = await World.start('2026-03-01T11:59:58Z');
    world.answer = () => 503;
    await world.schedule({ interval: '*/10 * * * *' });
    await world.clock.jump('2026-03-01T12:59:59Z');
    await world.clock.advance(2 * SECOND);
    await world.clock.jump('2026-03-01T12:00:01Z');
    world.answer = () => 200;
    await world.clock.advanceTo('2026-03-01T12:10:05Z');
    assert.equal(nominal(world).at(-1), '12:10:00');
    const failed = (await world.runs()).find(
      ({ scheduledFor }) => time(scheduledFor) === '13:00:00',
    )!;
    assert.equal(failed.status, 'failed');
    assert.match(failed.reason!, /next time/);
  });

  test('a request that is in flight when it is set back holds up its schedule no longer than it takes', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '* * * * * *' });
    await world.clock.advance(1_500);
    await world.clock.jump('2026-03-01T13:00:00.500Z');
    world.answer = () => 'hang';
    await world.clock.advance(1_000);
    world.answer = () => 200;
    await world.clock.jump('2026-03-01T12:00:03.500Z');
    await world.clock.advance(3_000);
    await world.release();
    await world.clock.advance(3_000);
    assert.deepEqual(nominal(world).slice(-3), seconds('12:00:07', 3));
    assert.equal(new Set(nominal(world)).size, world.sent.length);
  });

  test('what was cut off ahead is sent again when it comes, as the next attempt', async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    await world.schedule({ interval: '*/10 * * * * *' });
    await world.clock.advance(500);
    await world.clock.jump('2026-03-01T12:00:59.500Z');
    world.answer = () => 'hang';
    await world.clock.advance(1_000);
    const [cut] = nominal(world).slice(-1);
    world.answer = () => 200;
    await world.crash(-50 * SECOND);
    await world.clock.advanceTo('2026-03-01T12:01:30Z');
    const attempts = world.sent
      .filter(({ headers }) => headers['punctual-scheduled-for']!.includes(cut!))
      .map(({ headers }) => headers['punctual-attempt']);
    assert.deepEqual(attempts, ['1', '2']);
    const run = (await world.runs()).find(({ scheduledFor }) => time(scheduledFor) === cut)!;
    assert.deepEqual(
      [run.status, run.attempts.map(({ outcome }) => outcome)],
      ['succeeded', ['lost', 'response']],
    );
  });
});

test('a step over times that were sent is silence until they have passed, also across a start', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  await world.schedule({ interval: '*/10 * * * * *' });
  await world.clock.advance(30_100);
  await world.clock.jump('2026-03-01T12:00:05Z');
  await world.clock.advance(4_000);
  await world.crash();
  await world.clock.advanceTo('2026-03-01T12:00:50.500Z');
  assert.deepEqual(nominal(world), ['12:00:10', '12:00:20', '12:00:30', '12:00:40', '12:00:50']);
});

test('a gap over times that were sent is recorded without them, also where a request was in flight', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  await world.schedule({ interval: '* * * * * *' });
  await world.clock.advance(5_500);
  await world.clock.jump('2026-03-01T11:00:00Z');
  await world.clock.advance(3_100);
  world.answer = () => 'hang';
  await world.clock.advance(1_000);
  world.answer = () => 200;
  await world.clock.jump('2026-03-01T12:00:10.500Z');
  await world.clock.advance(1_100);
  await world.release();
  await world.clock.advance(3_000);
  const runs = await world.runs();
  const spans = runs.flatMap(({ missed }) => (missed ? [missed] : []));
  assert.ok(spans.length > 0);
  for (const { scheduledFor, missed } of runs) {
    const isSpanned = ({ from, to }: { from: number; to: number }) =>
      missed === undefined && scheduledFor >= from && scheduledFor <= to;
    assert.ok(!spans.some(isSpanned), `${time(scheduledFor)} has two records`);
  }
  assert.equal(new Set(nominal(world)).size, world.sent.length);
});

test('a claim that is on its way as the clock is set back sends nothing again', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  await world.schedule({ interval: '* * * * * *' });
  await world.clock.advance(6_500);
  const { queue } = world.store;
  const claim = queue.claim.bind(queue);
  const { promise: written, resolve } = Promise.withResolvers<void>();
  queue.claim = async (...parameters) => {
    await written;
    return claim(...parameters);
  };
  await world.clock.advance(1_000);
  await world.clock.jump('2026-03-01T12:00:04.800Z');
  // The step is seen by another loop, and the row goes back.
  await world.clock.advance(1_100);
  assert.equal(await queue.nextDueAt(), Date.parse('2026-03-01T12:00:05Z'));
  resolve();
  await world.clock.advanceTo('2026-03-01T12:00:12.500Z');
  const sent = nominal(world);
  assert.equal(new Set(sent).size, sent.length, 'none was sent twice');
  assert.deepEqual([...sent].sort(), seconds('12:00:01', 12));
});

test('what is no step of a second is none', async () => {
  const world = await World.start('2026-03-01T12:00:00Z');
  await world.clock.advance(2_000);
  await world.clock.jump(world.clock.now() + SECOND - 10);
  await world.clock.advance(2_000);
  await world.clock.jump(world.clock.now() - HOUR);
  await world.clock.advance(2_000);
  const steps = world.told.filter(line => line.startsWith('clock'));
  assert.equal(steps.length, 1);
  assert.match(steps[0]!, /^clock -(3599|3600)/);
});
