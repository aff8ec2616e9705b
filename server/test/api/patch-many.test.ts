import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { newId } from '../../src/domain/id.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

/** One patch for many schedules, all or nothing. */

const service = await startService();
after(() => service.close());
const patchMany = (body: unknown, by = service) => by.call('POST', '/v1/schedule/patch', { body });
const get = async (id: string) => (await service.call('GET', `/v1/schedule/${id}`)).body;
const tagged = async (team: string, count: number): Promise<Wire.Schedule[]> => {
  const items = Array.from({ length: count }, (_, index) => ({
    ...valid,
    label: `${index}`,
    tags: { team },
  }));
  return (await service.call('POST', '/v1/schedule/batch', { body: { items } })).body.items;
};
const idsOf = (items: Wire.Schedule[]) => items.map(({ id }) => id);

describe('200', () => {
  test('by ids and ext:, in their order; each as a PATCH makes it, and the engine is told', async () => {
    const [a, b] = await tagged('two', 2);
    const own = await service.create({ externalId: 'own', headers: { 'X-A': '1' } });
    service.told.length = 0;
    const answer = await patchMany({
      ids: [b!.id, 'ext:own', a!.id],
      patch: { label: 'x', headers: { 'X-B': '2' }, interval: '0 0 * * *' },
    });
    assertOk(answer);
    const { items } = answer.body;
    assert.deepEqual(idsOf(items), [b!.id, own.id, a!.id]);
    for (const item of items) assert.deepEqual(await get(item.id), item);
    assert.deepEqual(items[1].headers, { 'X-A': '1', 'X-B': '2' });
    assert.deepEqual(items[0], {
      ...b,
      label: 'x',
      headers: { 'X-B': '2' },
      interval: '0 0 * * *',
      updatedAt: items[0].updatedAt,
    });
    const told = service.told.map(one => (one as { scheduleId: string }).scheduleId);
    assert.deepEqual(told, idsOf(items));
  });

  test('by a tag, newest first, deleted ones left out; none at all', async () => {
    const made = await tagged('by-tag', 3);
    await service.call('DELETE', `/v1/schedule/${made[1]!.id}`);
    const { body } = await patchMany({ tag: 'team:by-tag', patch: { status: 'disabled' } });
    assert.deepEqual(idsOf(body.items), [made[2]!.id, made[0]!.id]);
    assert.deepEqual(
      body.items.map(({ status }: Wire.Schedule) => status),
      ['disabled', 'disabled'],
    );
    assert.equal((await get(made[1]!.id)).status, 'deleted');
    assert.deepEqual((await patchMany({ tag: 'nobody', patch: {} })).body, { items: [] });
  });

  test('1,000 at once, by ids and by tag', async () => {
    const made = await tagged('thousand', 1_000);
    const byIds = await patchMany({ ids: idsOf(made), patch: { label: 'x' } });
    assert.deepEqual(idsOf(byIds.body.items), idsOf(made));
    const byTag = await patchMany({ tag: 'team:thousand', patch: { label: 'y' } });
    assert.equal(byTag.body.items.length, 1_000);
    await tagged('thousand', 1);
    const answer = await patchMany({ tag: 'team:thousand', patch: { label: 'z' } });
    assertError(answer, 400, /^More than 1,000 schedules have the tag/);
    assert.equal((await get(made[0]!.id)).label, 'y');
  });

  test('an external id for one, and null for all', async () => {
    const made = await tagged('external', 2);
    const one = await patchMany({ ids: [made[0]!.id], patch: { externalId: 'given' } });
    assert.equal(one.body.items[0].externalId, 'given');
    const both = await patchMany({ ids: idsOf(made), patch: { externalId: null } });
    assert.equal('externalId' in both.body.items[0], false);
  });

  test('a change that was faster is not overwritten: it is read again', async t => {
    const store = openSqlite(':memory:');
    let tries = 0;
    const racing = await startService({
      store: {
        ...store,
        schedules: {
          ...store.schedules,
          async updateAll(...asked) {
            if (++tries === 1) await racing.call('PATCH', path, { body: { data: { a: 'kept' } } });
            return store.schedules.updateAll(...asked);
          },
        },
      },
    });
    t.after(() => racing.close());
    const [a, b] = [await racing.create(), await racing.create()];
    const path = `/v1/schedule/${b.id}`;
    const answer = await patchMany({ ids: [a.id, b.id], patch: { label: 'x' } }, racing);
    assertOk(answer);
    assert.deepEqual([tries, answer.body.items[1].data], [2, { a: 'kept' }]);
    assert.deepEqual((await racing.call('GET', path)).body, answer.body.items[1]);
  });

  test('of twenty callers at the same time each has its change', async () => {
    const ids = idsOf(await tagged('raced', 5));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        patchMany({ ids, patch: { data: { [`k${index}`]: 'x' } } }),
      ),
    );
    for (const answer of answers) assertOk(answer);
    for (const id of ids) assert.equal(Object.keys((await get(id)).data).length, 20);
  });
});

describe('400 and 404, and nothing is changed', () => {
  test('the shape of the body', async () => {
    const { id } = await service.create();
    for (const [body, sentence] of [
      [{ patch: {} }, /^The body must have exactly one of ids and tag\.$/],
      [{ ids: [id], tag: 'team', patch: {} }, /^The body must have exactly one of ids and tag\.$/],
      [{ ids: [id] }, /^patch is required/],
      [{ ids: [], patch: {} }, /^ids must have at least 1 item\.$/],
      [{ ids: Array(1_001).fill(id), patch: {} }, /^ids must have at most 1000 items/],
      [{ ids: id, patch: {} }, /^ids must be an array/],
      [{ ids: [1], patch: {} }, /^ids\[0\] must be a string/],
      [{ tag: 1, patch: {} }, /^tag must be a string/],
      [{ tag: 'Team', patch: {} }, /^tag must be the key of a tag/],
      [{ ids: [id], patch: null }, /^patch must be an object/],
      [{ ids: [id], patch: { more: 1 } }, /"more" in patch\.$/],
      [{ ids: [id], patch: { label: 1 } }, /^patch\.label must be a string or null/],
      [{ ids: [id], patch: {}, more: 1 }, /"more"/],
    ] as const) {
      assertError(await patchMany(body), 400, sentence);
    }
  });

  test('a schedule that is not there, named by its place', async () => {
    const mine = await service.create();
    const theirs = await service.create({ externalId: 'theirs' }, service.theirs);
    for (const other of [newId(Date.now()), theirs.id, 'x', '', 'ext:theirs', 'ext:', 'ext:a b']) {
      const answer = await patchMany({ ids: [mine.id, other], patch: { label: 'x' } });
      assertError(answer, 404, /^ids\[1\]: There is no schedule with this id\.$/);
    }
    assert.deepEqual(await get(mine.id), mine);
  });

  test('a schedule that is named twice, by whichever names', async () => {
    const { id } = await service.create({ externalId: 'twice' });
    for (const ids of [
      [id, id],
      [id, 'ext:twice'],
      ['ext:twice', 'ext:twice'],
    ]) {
      const sentence = /^ids\[1\] names the same schedule as ids\[0\]\.$/;
      assertError(await patchMany({ ids, patch: {} }), 400, sentence);
    }
  });

  test('what a PATCH of one of them refuses, named by its place', async () => {
    const good = await service.create();
    const get2 = await service.create({ verb: 'GET' });
    const gone = await service.create();
    await service.call('DELETE', `/v1/schedule/${gone.id}`);
    const taken = await service.create({ externalId: 'held' });
    for (const [ids, patch, sentence] of [
      [[good.id, gone.id], {}, /^ids\[1\]: The schedule is deleted/],
      [[good.id, get2.id], { body: 'x' }, /^ids\[1\]: body needs the verb/],
      [[good.id], { interval: 'x' }, /^ids\[0\]: .*interval/],
      [[good.id], { exclude: ['none'] }, /^ids\[0\]: exclude\[0\]: there is no calendar "none"/],
      [[good.id], { externalId: 'held' }, /^ids\[0\]: externalId "held" is taken/],
      [[good.id, get2.id], { externalId: 'new' }, /^patch\.externalId /],
    ] as const) {
      assertError(await patchMany({ ids, patch: { label: 'x', ...patch } }), 400, sentence);
    }
    assert.deepEqual([await get(good.id), await get(taken.id)], [good, taken]);
  });

  test('by a tag the schedule is named by its id', async () => {
    const [one] = await tagged('named', 1);
    const answer = await patchMany({ tag: 'team:named', patch: { timezone: 'Nowhere' } });
    assertError(answer, 400, new RegExp(`^schedule ${one!.id}: .*zone`));
  });
});
