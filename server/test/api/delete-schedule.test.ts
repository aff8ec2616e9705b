import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const remove = (id: string) => service.call('DELETE', `/v1/schedule/${id}`);
const get = async (id: string) => (await service.call('GET', `/v1/schedule/${id}`)).body;

test('200: the schedule is deleted for good, is off the list and fires no more', async () => {
  const before = await service.create({ label: 'kept' });
  const answer = await remove(before.id);
  assertOk(answer);
  assert.deepEqual(answer.body, { success: true });
  const after = await get(before.id);
  assert.equal(after.status, 'deleted');
  assert.ok(after.updatedAt > before.createdAt);
  const { items } = (await service.call('GET', '/v1/schedule?label=kept')).body;
  assert.deepEqual(items, []);
  assert.deepEqual((await service.call('GET', `/v1/schedule/${before.id}/next`)).body.times, []);
  assert.equal(await service.store.queue.nextDueAt(), null);
});

test('200: deleting it again changes nothing', async () => {
  const { id } = await service.create();
  await remove(id);
  const once = await get(id);
  const again = await remove(id);
  assert.deepEqual([again.status, again.body], [200, { success: true }]);
  assert.deepEqual(await get(id), once);
});

test('200: the engine hears of it, also where somebody else has deleted the schedule', async () => {
  const { id } = await service.create();
  for (let time = 0; time < 2; time += 1) {
    service.told.length = 0;
    await remove(id);
    const heard = service.told.map(each => typeof each === 'object' && 'scheduleId' in each);
    assert.deepEqual(heard, [true]);
  }
});

test('200: the path says which one, never the body', async () => {
  const bystander = await service.create();
  const { id } = await service.create();
  const options = { body: { id: bystander.id } };
  assert.equal((await service.call('DELETE', `/v1/schedule/${id}`, options)).status, 200);
  assert.deepEqual(await get(bystander.id), bystander);
});

test("404: an unknown id, another client's, and all of them at once", async () => {
  const theirs = await service.create({}, service.theirs);
  for (const id of [newId(Date.now()), theirs.id, 'x', '*', '']) {
    assertError(await remove(id), 404);
  }
  assertError(await service.call('DELETE', '/v1/schedule'), 404);
  const as = service.theirs;
  assert.deepEqual((await service.call('GET', `/v1/schedule/${theirs.id}`, { as })).body, theirs);
});
