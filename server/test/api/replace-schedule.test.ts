import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import type { Requeue, ScheduleStore } from '../../src/store/contract/schedules.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const put = (id: string, body: unknown) => service.call('PUT', `/v1/schedule/${id}`, { body });
const get = async (id: string) => (await service.call('GET', `/v1/schedule/${id}`)).body;

const integrations = [{ type: 'WEBHOOK', url: 'https://example.com/callback', name: 'n' }];
const full = { headers: { 'X-A': '1' }, data: { a: 'b' }, integrations, label: 'full' };

test('200: optional properties that are left out are gone; identity and status stay', async () => {
  const before = await service.create({ ...full, status: 'disabled', policy: { maxRetries: 1 } });
  const answer = await put(before.id, { ...valid, interval: '0 0 * * *' });
  assertOk(answer);
  assert.deepEqual(answer.body, {
    ...valid,
    interval: '0 0 * * *',
    id: before.id,
    createdAt: before.createdAt,
    updatedAt: answer.body.updatedAt,
    status: 'disabled',
    label: '',
  });
  assert.ok(answer.body.updatedAt > before.createdAt);
  assert.deepEqual(await get(before.id), answer.body);
});

test('200: what GET answers can be edited and sent back', async () => {
  const before = await service.create(full);
  const answer = await put(before.id, { ...before, label: 'edited' });
  assertOk(answer);
  assert.deepEqual(answer.body, { ...before, label: 'edited', updatedAt: answer.body.updatedAt });
  const again = await put(before.id, answer.body);
  assert.ok(again.body.updatedAt > answer.body.updatedAt);
});

test('200: the id of an integration is kept only where it was of this schedule', async () => {
  const mine = await service.create(full);
  const other = await service.create(full);
  const id = other.integrations?.[0]?.id;
  const { body } = await put(mine.id, { ...mine, integrations: [{ ...integrations[0], id }] });
  assert.notEqual(body.integrations[0].id, id);
  assert.notEqual(body.integrations[0].id, mine.integrations?.[0]?.id);
});

test('200: id and createdAt in the body change nothing', async () => {
  const before = await service.create();
  const other = await service.create();
  const { body } = await put(before.id, { ...valid, id: other.id, createdAt: 'x', label: 'y' });
  assert.deepEqual([body.id, body.createdAt], [before.id, before.createdAt]);
  assert.deepEqual(await get(other.id), other);
});

test('200: disabled and enabled through status; next then has no times, or some', async () => {
  const { id } = await service.create();
  const times = async () => (await service.call('GET', `/v1/schedule/${id}/next`)).body.times;
  assert.equal((await put(id, { ...valid, status: 'disabled' })).body.status, 'disabled');
  assert.deepEqual(await times(), []);
  assert.equal((await put(id, { ...valid, status: 'enabled' })).body.status, 'enabled');
  assert.equal((await times()).length, 5);
});

test('200: the engine hears of every change, so that no request leaves as it was before', async () => {
  const { id } = await service.create();
  for (const change of [{ label: 'x' }, { interval: '1 * * * *' }, { status: 'disabled' }]) {
    service.told.length = 0;
    const changedAt = Date.now();
    await put(id, { ...valid, ...change });
    const [told, ...more] = service.told;
    assert.ok(typeof told === 'object' && 'scheduleId' in told && more.length === 0);
    assert.equal(told.scheduleId, id);
    assert.ok(told.changedAt >= changedAt && told.changedAt <= Date.now());
  }
});

test('200: times are counted anew where interval, time zone or status changed, and only there', async t => {
  const store = openSqlite(':memory:');
  const requeues: Requeue[] = [];
  const update: ScheduleStore['update'] = (clientRowId, schedule, version, requeue) => {
    requeues.push(requeue);
    return store.schedules.update(clientRowId, schedule, version, requeue);
  };
  const watched = await startService({
    store: { ...store, schedules: { ...store.schedules, update } },
  });
  t.after(() => watched.close());
  const { id } = await watched.create();
  const path = `/v1/schedule/${id}`;
  for (const [change, isCountedAnew] of [
    [{ label: 'x', verb: 'PUT', url: 'https://example.com/other' }, false],
    [{ interval: '1 * * * *' }, true],
    [{ interval: '1 * * * *', timezone: 'GMT' }, true],
    [{ interval: '1 * * * *', timezone: 'GMT', status: 'disabled' }, true],
    [{ interval: '1 * * * *', timezone: 'GMT' }, false],
  ] as const) {
    requeues.length = 0;
    await watched.call('PUT', path, { body: { ...valid, ...change } });
    assert.equal(requeues.length, 1);
    assert.equal(requeues[0] !== 'keep', isCountedAnew, JSON.stringify(change));
  }
});

test('200: fifty at once are all made, one after the other', async () => {
  const { id } = await service.create();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => put(id, { ...valid, label: `${index}` })),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => body.updatedAt)).size, 50);
});

test('400: it is no partial update, and what is refused changes nothing', async () => {
  const before = await service.create(full);
  for (const body of [
    {},
    { label: 'x' },
    { ...valid, url: undefined },
    { ...valid, url: 1 },
    { ...valid, url: 'http://127.0.0.1/' },
    { ...valid, interval: '61 * * * *' },
    { ...valid, status: 'deleted' },
    { ...valid, unknown: 1 },
    '{"url":',
  ]) {
    assertError(await put(before.id, body), 400);
  }
  assert.deepEqual(await get(before.id), before);
});

test('400: a deleted schedule stays deleted', async () => {
  const { id } = await service.create();
  await service.call('DELETE', `/v1/schedule/${id}`);
  assertError(await put(id, { ...valid, status: 'enabled' }), 400, /deleted/);
  assert.equal((await get(id)).status, 'deleted');
});

test("404: an unknown id makes no schedule, and another client's is not changed", async () => {
  const theirs = await service.create({}, service.theirs);
  for (const id of [newId(Date.now()), theirs.id, 'x', theirs.id.toUpperCase()]) {
    assertError(await put(id, valid), 404, /^There is no schedule/);
  }
  const as = service.theirs;
  assert.deepEqual((await service.call('GET', `/v1/schedule/${theirs.id}`, { as })).body, theirs);
});
