import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { startOf } from '../../src/domain/run/start.ts';
import { time, World } from '../support/engine/world.ts';

const SECOND = 1_000;

async function suspend(world: World): Promise<void> {
  const [client] = await world.store.clients.listClients();
  await world.store.clients.suspend(client!.id, world.clock.now());
}

async function resume(world: World): Promise<void> {
  const [client] = await world.store.clients.listClients();
  await world.store.clients.resume(client!.id, world.clock.now());
}

const EACH_SECOND = { interval: '* * * * * *' };

test('nothing of a suspended client starts; others fire; what passed is missed, with the reason', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  await world.schedule({ ...EACH_SECOND, url: 'https://example.com/suspended' });
  await world.otherClient();
  await world.schedule({ ...EACH_SECOND, url: 'https://example.com/other' });
  const { clientRowId } = world;
  await world.clock.advanceTo('2026-03-01T12:00:03.200Z');
  await suspend(world);
  await world.clock.advanceTo('2026-03-01T12:01:03.200Z');
  await resume(world);
  await world.clock.advanceTo('2026-03-01T12:01:10.200Z');

  const sent = world.times('https://example.com/suspended');
  assert.deepEqual(sent.slice(0, 3), ['12:00:01', '12:00:02', '12:00:03']);
  // The node hears of it within a second, and of the end too.
  assert.ok(
    sent.every(each => each <= '12:00:05' || each >= '12:01:04'),
    sent.join(),
  );
  assert.equal(world.times('https://example.com/other').length, 70);
  assert.deepEqual(
    (await world.store.runs.list(clientRowId, { status: 'missed' }, 100)).length,
    0,
    'nothing of the other client is missed',
  );

  world.clientRowId = clientRowId - 1;
  const runs = await world.runs();
  assert.deepEqual(
    runs.map(({ scheduledFor }) => scheduledFor),
    Array.from({ length: 70 }, (_, n) => Date.parse('2026-03-01T12:00:01Z') + n * SECOND),
    'each time has its record',
  );
  const missed = runs.filter(({ status }) => status === 'missed');
  assert.equal(runs.length - missed.length, sent.length);
  for (const { reason } of missed) {
    assert.match(
      reason!,
      /^It passed while the client was suspended, from 2026-03-01T12:00:03.200Z to 2026-03-01T12:01:0/,
    );
  }
  assert.equal(world.told.filter(line => line === 'missed 1').length, missed.length);
});

test('retries and callbacks wait, and go on when it is resumed', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  const integrations = [
    {
      id: 'integration',
      type: 'WEBHOOK' as const,
      url: 'https://example.com/callback',
      callOnSuccess: true,
    },
  ];
  await world.schedule({ interval: '0 0 13 * * *' });
  world.answer = ({ url }) => (url.endsWith('callback') ? 503 : 200);
  const called = await world.schedule({ interval: '0 0 14 * * *', integrations } as never);
  await world.trigger(called.id);
  await world.clock.advance(SECOND);
  assert.equal(world.times('https://example.com/callback').length, 1);

  const retried = await world.schedule({
    interval: '0 0 15 * * *',
    url: 'https://example.com/flaky',
  });
  world.answer = () => 503;
  await world.schedule({ interval: '2 0 * * * *', url: 'https://example.com/hourly' });
  await world.trigger(retried.id);
  await world.clock.advance(600);
  await suspend(world);
  await world.clock.advance(3_600 * SECOND);
  assert.equal(world.times('https://example.com/callback').length, 1);
  assert.equal(world.times('https://example.com/flaky').length, 1);
  assert.equal(world.times('https://example.com/hourly').length, 1);

  world.answer = () => 200;
  await resume(world);
  await world.clock.advance(3 * SECOND);
  assert.equal(world.times('https://example.com/callback').length, 2);
  assert.deepEqual(world.sent.at(-1)!.headers['punctual-attempt'], '2');
  assert.equal(world.times('https://example.com/flaky').length, 2);
  assert.equal(world.times('https://example.com/hourly').length, 2);
  const hourly = (await world.history()).filter(each => each.includes(':00:02'));
  assert.deepEqual(hourly, ['12:00:02 succeeded', '13:00:02 missed']);
});

for (const isManual of [false, true]) {
  const what = isManual ? 'manual run' : 'firing';
  test(`a ${what} that awaits its completion ends with it, suspended or not`, async () => {
    const world = await World.start('2026-03-01T12:00:00.500Z');
    world.answer = () => 202;
    const policy = { completion: { deadlineSeconds: 600 } };
    const { id } = await world.schedule({
      interval: isManual ? '0 15 * * *' : '1 0 12 * * *',
      policy,
    });
    if (isManual) await world.trigger(id);
    await world.clock.advance(SECOND);
    await suspend(world);
    await world.clock.advance(60 * SECOND);
    assert.equal(await world.say(world.sent[0]!), true);
    await world.clock.advance(SECOND);
    const [run] = await world.runs();
    assert.equal(run!.status, 'succeeded');
    assert.equal(world.sent.length, 1);
  });

  test(`a ${what} whose deadline passes while its client is suspended is retried after that`, async () => {
    const world = await World.start('2026-03-01T12:00:00.500Z');
    world.answer = () => 202;
    const policy = { completion: { deadlineSeconds: 60 } };
    const { id } = await world.schedule({
      interval: isManual ? '0 15 * * *' : '1 0 12 * * *',
      policy,
    });
    if (isManual) await world.trigger(id);
    await world.clock.advance(SECOND);
    await suspend(world);
    await world.clock.advance(600 * SECOND);
    const [run] = await world.runs();
    assert.deepEqual([run!.status, run!.attempts.length], ['retrying', 1]);
    assert.equal(world.sent.length, 1);
    await resume(world);
    await world.clock.advance(5 * SECOND);
    assert.equal(world.sent.length, 2);
  });
}

test('what waits for its instant when the client is suspended does not start', async () => {
  const world = await World.start('2026-03-01T11:59:59.100Z');
  await world.schedule({ interval: '0 * * * * *' });
  await world.clock.advance(100);
  await suspend(world);
  // Claimed ahead, and the look at the list comes once a second.
  await world.clock.advance(1_500);
  const before = world.sent.length;
  await world.clock.advance(120 * SECOND);
  assert.equal(world.sent.length, before);
});

test('a crash between the end and the return of what was put off loses nothing', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  await world.schedule(EACH_SECOND);
  await world.clock.advance(2 * SECOND);
  await suspend(world);
  await world.clock.advance(10 * SECOND);
  await resume(world);
  await world.crash();
  await world.clock.advance(5 * SECOND);
  const times = (await world.runs()).map(({ scheduledFor }) => time(scheduledFor));
  assert.deepEqual(
    times,
    Array.from({ length: 17 }, (_, n) => time(Date.parse('2026-03-01T12:00:01Z') + n * SECOND)),
  );
  assert.deepEqual(await world.store.suspensions.list(), []);
});

test('a start while it is suspended, and while the service was down at the end, fires nothing of it', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  await world.schedule(EACH_SECOND);
  await world.clock.advance(2 * SECOND);
  await suspend(world);
  await world.crash(10 * SECOND);
  const before = world.sent.length;
  await world.clock.advance(10 * SECOND);
  assert.equal(world.sent.length, before);
});

for (const [interval, after] of [
  ['0 0 1 1 *', []],
  ['*/4 * * * * *', ['12:00:08 missed', '12:00:12 missed', '12:00:16 succeeded']],
] as const) {
  test(`a change that took a request back counts from itself, also where the row is put off: ${interval}`, async () => {
    const world = await World.start('2026-03-01T12:00:00Z');
    const { id } = await world.schedule({ interval: '*/2 * * * * *' });
    const { store, clock, clientRowId } = world;
    await clock.advance(1_500);
    world.markFault = new Error('The disk is full.');
    await clock.advance(5_000);
    // As another process writes it.
    const { schedule, version } = (await store.schedules.find(clientRowId, id))!;
    const now = clock.now();
    const changed = { ...schedule, interval, updatedAt: now };
    const requeue = { changedAt: now, start: startOf(changed, now) };
    await store.schedules.update(clientRowId, changed, version, requeue);
    await suspend(world);
    const skipped = ['12:00:04 skipped', '12:00:06 skipped'];
    assert.deepEqual(await world.history(), ['12:00:02 running', ...skipped]);
    world.markFault = null;
    await world.crash();
    await clock.advance(5_000);
    await resume(world);
    await clock.advance(5_000);
    assert.deepEqual(await world.history(), after);
  });
}

test('a start after the end fires no time that passed meanwhile', async () => {
  const world = await World.start('2026-03-01T12:00:30Z');
  await world.schedule({ interval: '0 * * * * *' });
  await world.clock.advance(10 * SECOND);
  await suspend(world);
  await world.engine.stop();
  await world.clock.jump('2026-03-01T12:02:30Z');
  await resume(world);
  await world.crash(20 * SECOND);
  await world.clock.advance(20 * SECOND);
  assert.deepEqual(world.times(), ['12:03:00']);
  const missed = (await world.runs()).filter(({ status }) => status === 'missed');
  assert.deepEqual(
    missed.map(({ scheduledFor, reason }) => [time(scheduledFor), reason!.slice(0, 41)]),
    ['12:01:00', '12:02:00'].map(at => [at, 'It passed while the client was suspended,']),
  );
  assert.deepEqual(await world.store.suspensions.list(), []);
});

test('a deleted client fires nothing, and its manual runs end without a request', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  const { id } = await world.schedule(EACH_SECOND);
  await world.clock.advance(1 * SECOND);
  const [client] = await world.store.clients.listClients();
  await world.store.clients.delete(client!.id, world.clock.now());
  await world.clock.advance(1 * SECOND);
  const before = world.sent.length;
  const run = await world.trigger(id);
  await world.change(id, { status: 'deleted' });
  await world.clock.advance(10 * SECOND);
  assert.equal(world.sent.length, before);
  const { status, reason } = (await world.store.runs.find(world.clientRowId, run))!;
  assert.deepEqual(
    [status, reason],
    ['skipped', 'The schedule was deleted before this run could be sent.'],
  );
});

async function deleteClient(world: World): Promise<void> {
  const [client] = await world.store.clients.listClients();
  await world.store.clients.delete(client!.id, world.clock.now());
}

test('a run that waits for its retry ends when its client is deleted', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  world.answer = () => 503;
  const { id } = await world.schedule({ interval: '2 0 * * * *' });
  await world.clock.advance(2 * SECOND);
  await deleteClient(world);
  await world.clock.advance(3 * SECOND);
  await world.change(id, { status: 'deleted' });
  await world.clock.advance(3 * SECOND);
  const [run] = await world.runs();
  assert.deepEqual(
    [run!.status, run!.reason, run!.attempts.length],
    ['failed', 'It was not tried again: the schedule was deleted.', 1],
  );
  assert.equal(await world.store.queue.nextDueAt(), null);
});

test('a callback of a request that was in flight at the deletion ends unsent', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  const url = 'https://example.com/callback';
  const integrations = [{ id: 'one', type: 'WEBHOOK', url, callOnSuccess: true }];
  world.answer = () => 'hang';
  const { id } = await world.schedule({ interval: '2 0 * * * *', integrations } as never);
  await world.clock.advance(2 * SECOND);
  await deleteClient(world);
  await world.change(id, { status: 'deleted' });
  await world.release(200);
  await world.clock.advance(5 * SECOND);
  assert.deepEqual(world.times(url), []);
  const [run] = await world.runs();
  const [callback] = await world.store.runs.callbacks(world.clientRowId, run!.id);
  assert.equal(callback!.status, 'failed');
  assert.equal(await world.store.outbox.nextDueAt(), null);
});

test('no request of a deleted client is signed without its secret', async () => {
  for (const phaseMs of [1_000, 1_600, 2_100, 2_600, 3_100]) {
    const world = await World.start('2026-03-01T12:00:00.500Z');
    await world.schedule(EACH_SECOND);
    await world.clock.advance(phaseMs);
    const [client] = await world.store.clients.listClients();
    const { signingSecret } = client!;
    await deleteClient(world);
    await world.clock.advance(4 * SECOND);
    const key = Buffer.from(signingSecret.slice('whsec_'.length), 'base64');
    for (const { headers, body } of world.sent) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body ?? ''}`;
      const signature = createHmac('sha256', key).update(signed).digest('base64');
      assert.equal(headers['webhook-signature'], `v1,${signature}`);
    }
  }
});

test('a clock that is set back after the resume holds nothing up', async () => {
  const world = await World.start('2026-03-01T12:00:00.500Z');
  await world.schedule({ interval: '0 * * * * *' });
  await world.clock.advance(60 * SECOND);
  await suspend(world);
  await world.clock.advance(120 * SECOND);
  const [client] = await world.store.clients.listClients();
  await world.store.clients.resume(client!.id, world.clock.now() + 3_600 * SECOND);
  const before = world.sent.length;
  await world.clock.advance(600 * SECOND);
  assert.equal(world.sent.length - before, 10);
  assert.deepEqual(await world.store.suspensions.list(), []);
});

for (const isManual of [false, true]) {
  const what = isManual ? 'manual run' : 'firing';
  test(`a ${what} starts that comes just after another node has ended the suspension`, async t => {
    const world = await World.start('2026-03-01T12:00:00.500Z');
    const { id } = await world.schedule({
      interval: isManual ? '0 15 * * *' : '30 * * * * *',
      url: 'https://example.com/ok',
    });
    await suspend(world);
    await world.clock.advanceTo('2026-03-01T12:00:28.600Z');
    await resume(world);
    const { suspensions, outbox, queue } = world.store;
    while ((await suspensions.readmit(world.clientRowId, world.clock.now())) !== null);
    const { mock: claims } = t.mock.method(isManual ? outbox : queue, 'claim');
    if (isManual) await world.trigger(id);
    await world.clock.advanceTo('2026-03-01T12:00:32.900Z');
    const startedAt = Date.parse(`2026-03-01T12:00:${isManual ? '28.600' : '30.000'}Z`);
    assert.deepEqual(
      world.sent.map(({ at }) => at),
      [startedAt],
    );
    assert.ok(claims.callCount() < 5, `${claims.callCount()} claims`);
  });
}
