import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { DestinationLimits } from '../../src/domain/destination/destination.ts';
import { newId } from '../../src/domain/id.ts';
import { World } from '../support/engine/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const BILLING = { delivery: { destination: 'billing' } };

let world: World;

/** Makes or replaces the destination of the client whose schedules are made now. */
async function limit(limits: DestinationLimits, version: string | null = null): Promise<string> {
  const now = world.clock.now();
  const config = { hosts: ['example.com', 'other.example'], limits };
  const owner = { clientRowId: world.clientRowId, clientId: 'c' };
  const change = { config, version: newId(now) };
  const put = await world.store.destinations.put(owner, 'billing', version, change, now);
  return (put as { version: string }).version;
}

/** As many schedules, of one minute each. */
async function many(count: number, fields: object = BILLING): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    ids.push((await world.schedule({ interval: '* * * * *', ...fields })).id);
  }
  return ids;
}

/** How many requests left in each second from `from` on. */
function perSecond(from: number, seconds: number): number[] {
  const counts = new Array<number>(seconds).fill(0);
  for (const { at } of world.sent) {
    const second = Math.floor((at - from) / SECOND);
    if (second in counts) counts[second]! += 1;
  }
  return counts;
}

beforeEach(async () => {
  world = await World.start('2026-03-01T12:00:30Z');
});

describe('perSecond', () => {
  test('what waits starts at that rate, and keeps its nominal time', async () => {
    await limit({ perSecond: 4 });
    await many(20);
    await world.clock.advance(50 * SECOND);
    assert.deepEqual(perSecond(Date.parse('2026-03-01T12:01:00Z'), 6), [7, 4, 4, 4, 1, 0]);
    const times = new Set(world.sent.map(sent => sent.headers['punctual-scheduled-for']));
    assert.deepEqual([...times], ['2026-03-01T12:01:00.000Z']);
    assert.equal((await world.runs()).length, 20);
  });

  test('a flood is postponed, and nothing is lost or sent faster', async () => {
    await limit({ perSecond: 4 });
    await many(200);
    await world.clock.advance(59 * SECOND);
    const counts = perSecond(Date.parse('2026-03-01T12:01:00Z'), 28);
    assert.ok(
      counts.slice(1).every(count => count <= 4),
      counts.join(' '),
    );
    assert.ok(world.sent.length > 4 * 20, `${world.sent.length} in 29 s`);
  });

  test('one whose next time comes first is missed, and the reason names the limit', async () => {
    await limit({ perSecond: 0.02 });
    await many(3);
    await world.clock.advance(5 * MINUTE);
    const missed = (await world.runs()).filter(({ status }) => status === 'missed');
    assert.ok(missed.length >= 6, `${missed.length} missed`);
    for (const { reason } of missed) {
      assert.equal(
        reason,
        'It passed while it waited for the limits of the destination "billing"; of such times only the latest fires.',
      );
    }
    assert.ok(world.sent.length >= 5 && world.sent.length <= 7, `${world.sent.length} in 5 min`);
    const late = world.sent.filter(
      ({ at, headers }) => at >= Date.parse(headers['punctual-scheduled-for']!) + MINUTE,
    );
    assert.deepEqual(late, [], 'none starts after its next time has come');
  });

  test('manual runs count too, and callbacks do not', async () => {
    await limit({ perSecond: 0.1 });
    const hook = { id: 'h', type: 'WEBHOOK' as const, name: 'h', url: 'https://hooks.example/' };
    const integrations = [{ ...hook, includeScheduleUrlInCallback: false, callOnSuccess: true }];
    const [id] = await many(1, { ...BILLING, integrations, interval: '0 0 1 1 *' });
    await world.trigger(id!);
    await world.trigger(id!);
    await world.clock.advance(SECOND);
    assert.deepEqual(world.times('https://example.com'), ['12:00:30']);
    assert.deepEqual(world.times('https://hooks.example').length, 1);
    await world.clock.advance(12 * SECOND);
    assert.equal(world.times('https://example.com').length, 2);
  });

  test('a clock that is set back holds nothing back for long', async () => {
    await limit({ perSecond: 1 });
    await many(3);
    await world.clock.advance(31 * SECOND);
    await world.clock.jump('2026-03-01T11:50:30Z');
    const before = world.sent.length;
    await world.clock.advance(2 * MINUTE);
    assert.ok(world.sent.length >= before + 3, `${world.sent.length - before} in 2 min`);
  });
});

describe('maxConcurrent', () => {
  test('holds back what would be more in flight, until one ends', async () => {
    await limit({ maxConcurrent: 2 });
    world.answer = () => 'hang';
    await many(5);
    await world.clock.advance(31 * SECOND);
    assert.equal(world.sent.length, 2);
    await world.release();
    await world.clock.advance(10);
    assert.equal(world.sent.length, 3);
    world.answer = () => 200;
    for (let left = 0; left < 2; left += 1) await world.release();
    await world.clock.advance(10 * SECOND);
    assert.equal((await world.runs()).filter(({ status }) => status === 'succeeded').length, 5);
  });

  test('counts what has started while there were no limits', async () => {
    const version = await limit({});
    world.answer = () => 'hang';
    await many(1);
    await world.schedule({ interval: '2 1 12 * * *', ...BILLING });
    await world.clock.advance(31 * SECOND);
    await limit({ maxConcurrent: 1 }, version);
    world.engine.rotated(world.clientRowId);
    await world.clock.advance(2 * SECOND);
    assert.equal(world.sent.length, 1);
    await world.release();
    await world.clock.advance(10);
    assert.equal(world.sent.length, 2);
  });

  test('counts what an engine of the same process has abandoned, until it ends', async () => {
    await limit({ maxConcurrent: 1 });
    world.answer = () => 'hang';
    await many(2);
    await world.clock.advance(31 * SECOND);
    const stopped = world.engine.stop(0);
    await world.clock.advance(0);
    await stopped;
    world.engine = world.newEngine();
    await world.engine.start();
    await world.clock.advance(2 * SECOND);
    assert.equal(world.sent.length, 1);
    await world.release();
    await world.clock.advance(10);
    assert.equal(world.sent.length, 2);
  });

  test('is raised for what waits already', async () => {
    const version = await limit({ maxConcurrent: 1 });
    world.answer = () => 'hang';
    await many(5);
    await world.clock.advance(31 * SECOND);
    assert.equal(world.sent.length, 1);
    await limit({ maxConcurrent: 3 }, version);
    await world.clock.advance(20 * SECOND);
    assert.equal(world.sent.length, 3);
  });
});

test('limits that were read last hold, also for a firing that a slow store was asked about before', async () => {
  const version = await limit({});
  await many(1);
  const other = await world.schedule({ interval: '0 0 1 1 *', ...BILLING });
  const { queue } = world.store;
  const settle = queue.settle;
  const asked = Promise.withResolvers<void>();
  queue.settle = async settlements => {
    await asked.promise;
    return settle(settlements);
  };
  await world.crash(40 * SECOND);
  await world.clock.advance(SECOND);
  await limit({ perSecond: 0.1 }, version);
  await world.trigger(other.id);
  await world.clock.advance(SECOND);
  assert.equal(world.sent.length, 1);
  asked.resolve();
  await world.clock.advance(5 * SECOND);
  assert.equal(world.sent.length, 1);
  await world.clock.advance(5 * SECOND);
  assert.equal(world.sent.length, 2);
});

describe('nobody else is held up', () => {
  const answerOf = (url: string) => (url.startsWith('https://example.com/slow') ? 'hang' : 200);

  test('schedules of the same host without the destination, and of other hosts of it', async () => {
    await limit({ perSecond: 1 });
    await many(50);
    await many(5, { url: 'https://example.com/free' });
    await many(2, { ...BILLING, url: 'https://other.example/' });
    await world.clock.advance(31 * SECOND);
    assert.deepEqual(world.times('https://example.com/free'), new Array(5).fill('12:01:00'));
    await world.clock.advance(10 * SECOND);
    const other = world.times('https://other.example');
    assert.equal(other.length, 2, 'the hosts of a destination take turns');
  });

  test('other clients, who have a destination of the same name', async () => {
    await limit({ maxConcurrent: 1 });
    world.answer = ({ url }) => answerOf(url);
    await many(20, { ...BILLING, url: 'https://example.com/slow' });
    await world.otherClient();
    await limit({ maxConcurrent: 1 });
    await many(3, { ...BILLING, url: 'https://example.com/quick' });
    await world.clock.advance(31 * SECOND);
    assert.equal(world.times('https://example.com/quick').length, 3);
    assert.equal(world.times('https://example.com/slow').length, 1);
  });

  test('a destination without limits holds back nothing', async () => {
    await limit({});
    await many(50);
    await world.clock.advance(31 * SECOND);
    assert.equal(world.sent.length, 50);
    assert.equal(world.engine.waitingForDestinations, 0);
  });
});

test('the engine tells how many jobs wait for a limit, held or postponed', async () => {
  await limit({ perSecond: 1 });
  await many(40);
  await world.clock.advance(30 * SECOND + 500);
  assert.equal(world.engine.waitingForDestinations, 39);
  await world.clock.advance(2 * SECOND);
  const waiting = world.engine.waitingForDestinations;
  assert.ok(waiting >= 36 && waiting <= 38, `${waiting} wait`);
});
