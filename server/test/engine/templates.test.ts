import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ScheduleBody } from '../../src/domain/schedule/body.ts';
import { draftNew } from '../../src/domain/schedule/draft.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';
import { readControlHeader } from '../../src/outbound/control-header.ts';
import { World } from '../support/engine/world.ts';

const MINUTE = 60_000;

/** The parser is loaded with the first header: here it is there already. */
before(() => readControlHeader('disable'));

/** A schedule as the API drafts it. */
function templated(world: World, change: Partial<ScheduleBody>) {
  const body: ScheduleBody = {
    url: 'https://example.com/hook',
    verb: 'POST',
    interval: '* * * * *',
    timezone: 'UTC',
    policy: { template: true },
    ...change,
  };
  return world.schedule(draftNew(body, world.clock.now(), ALLOW_PUBLIC));
}

const bodies = ({ sent }: World) => sent.map(({ body }) => body);

/** Counts the reads of runs before. */
function countingReads(world: World): () => number {
  let reads = 0;
  const { runs } = world.store;
  const previous = runs.previous.bind(runs);
  runs.previous = queries => {
    reads += queries.length;
    return previous(queries);
  };
  return () => reads;
}

describe('templates', () => {
  test('each attempt is rendered with its own facts, and the same facts of the run before', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const body = '{{run.attempt}} {{run.trigger}} {{run.localTime}} after "{{previous.status}}"';
    await templated(world, { body });
    world.answer = ({ at }) => (at % (2 * MINUTE) === 0 ? 503 : 200);
    await world.clock.advance(2 * MINUTE);
    assert.deepEqual(bodies(world), [
      '1 schedule 12:00:00 after ""',
      '2 schedule 12:00:00 after ""',
      '1 schedule 12:01:00 after "succeeded"',
    ]);
  });

  test('what is new since the last success: it stays while runs fail', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const url =
      'https://example.com/hook?since={{previous.succeededFor}}&was={{previous.responseStatus}}';
    await templated(world, { url, policy: { template: true, maxRetries: 0 } });
    const statuses = [200, 500, 404, 200];
    world.answer = () => statuses.shift() ?? 200;
    await world.clock.advance(5 * MINUTE);
    assert.deepEqual(
      world.sent.map(sent => new URL(sent.url).search),
      [
        '?since=&was=',
        '?since=2026-03-01T12%3A00%3A00.000Z&was=200',
        '?since=2026-03-01T12%3A00%3A00.000Z&was=500',
        '?since=2026-03-01T12%3A00%3A00.000Z&was=404',
        '?since=2026-03-01T12%3A03%3A00.000Z&was=200',
      ],
    );
  });

  test('a manual run has its own trigger, and counts as the run before', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const headers = { 'X-Run': '{{run.trigger}} {{previous.scheduledFor}}' };
    const { id } = await templated(world, { headers });
    await world.trigger(id);
    await world.clock.advance(MINUTE);
    await world.trigger(id);
    await world.clock.advance(1_000);
    assert.deepEqual(
      world.sent.map(sent => sent.headers['x-run']),
      ['manual ', 'schedule 2026-03-01T11:59:30.000Z', 'manual 2026-03-01T12:00:00.000Z'],
    );
  });

  test('a run that the target asked for has its own trigger, and the run that asked before it', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const body = '{{run.trigger}} after "{{previous.scheduledFor}}"';
    await templated(world, { body, interval: '0 * * * *' });
    const asking = { responseStatus: 200, control: 'again=5' };
    world.answer = () => (world.sent.length === 1 ? asking : 200);
    await world.clock.advance(MINUTE);
    assert.deepEqual(bodies(world), [
      'schedule after ""',
      'target after "2026-03-01T12:00:00.000Z"',
    ]);
  });

  test('times that were missed are the run before', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const body = 'after {{previous.status}} {{previous.scheduledFor}}';
    await templated(world, { body });
    await world.clock.advance(MINUTE);
    await world.crash(5 * MINUTE);
    await world.clock.advance(1_000);
    assert.deepEqual(await world.history(), [
      '12:00:00 succeeded',
      '12:01:00 missed',
      '12:02:00 missed',
      '12:03:00 missed',
      '12:04:00 missed',
      '12:05:00 succeeded',
    ]);
    assert.equal(bodies(world)[1], 'after missed 2026-03-01T12:04:00.000Z');
  });

  test('only schedules that name it cost a read, one for each firing', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const reads = countingReads(world);
    await world.schedule({ interval: '* * * * *' });
    await templated(world, { body: '{{run.id}}' });
    const { id } = await templated(world, { policy: {}, body: '{{previous.status}}' });
    await world.trigger(id);
    await world.clock.advance(3 * MINUTE);
    assert.equal(reads(), 0);
    await templated(world, { body: '{{previous.status}}' });
    await world.clock.advance(3 * MINUTE);
    assert.equal(reads(), 3);
    assert.equal(bodies(world).filter(body => body === '{{previous.status}}').length, 7);
  });

  test('where it cannot be read, the claims are given back and sent once it can', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const { runs } = world.store;
    const previous = runs.previous.bind(runs);
    const { id } = await templated(world, { body: 'a{{previous.status}}', interval: '0 * * * *' });
    await world.schedule({ interval: '0 * * * *', url: 'https://example.com/plain' });
    runs.previous = () => Promise.reject(new Error('the disk is away'));
    await world.clock.advance(31_000);
    await world.trigger(id);
    assert.deepEqual(bodies(world).includes('a'), false);
    assert.ok(world.told.includes('store failed: the disk is away'));
    runs.previous = previous;
    await world.clock.advance(10_000);
    assert.deepEqual(await world.history(), [
      '12:00:00 succeeded',
      '12:00:00 succeeded',
      '12:00:01 succeeded',
    ]);
    assert.equal(world.sent.length, 3);
  });

  test('the external id and the label of the present schedule are sent', async () => {
    const world = await World.start('2026-03-01T11:59:30Z');
    const body = '{"of": "{{schedule.externalId}} {{schedule.label}}"}';
    await templated(world, { body, externalId: 'sync:1', label: 'a "b"' });
    await world.clock.advance(MINUTE);
    assert.deepEqual(bodies(world), [String.raw`{"of": "sync:1 a \"b\""}`]);
  });
});
