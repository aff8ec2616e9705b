import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { newId } from '../../src/domain/id.ts';
import type { ScheduleStore } from '../../src/store/contract/schedules.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const list = (query = '') => service.call('GET', `/v1/schedule${query}`);
const labels = async (query: string) =>
  (await list(query)).body.items.map(({ label }: Wire.Schedule) => label);

for (let index = 0; index < 25; index++) await service.create({ label: `s${index}` });
await service.create({ label: 'theirs' }, service.theirs);

test('200: newest first, 20 by default, and page after page until there is no cursor', async () => {
  const first = await list();
  assertOk(first);
  assert.equal(first.body.items.length, 20);
  assert.equal(first.body.items[0].label, 's24');
  const second = await list(`?cursor=${first.body.nextCursor}`);
  assert.deepEqual(
    second.body.items.map(({ label }: Wire.Schedule) => label),
    ['s4', 's3', 's2', 's1', 's0'],
  );
  assert.deepEqual(Object.keys(second.body), ['items']);
});

test('200: a page that is just full has no next one', async () => {
  const { items, nextCursor } = (await list('?limit=25')).body;
  assert.deepEqual([items.length, nextCursor], [25, undefined]);
  assert.equal(typeof (await list('?limit=24')).body.nextCursor, 'string');
  assert.equal((await list('?limit=1')).body.items.length, 1);
});

test('200: where a search stops, the next page goes on, though nothing was found', async t => {
  const store = openSqlite(':memory:');
  const [id, asked]: [string, (string | undefined)[]] = [newId(Date.now()), []];
  const schedules: ScheduleStore = {
    ...store.schedules,
    async list(_clientKey, _filter, _limit, before) {
      asked.push(before);
      return { schedules: [], next: before === undefined ? `${id}~` : null };
    },
  };
  const stopping = await startService({ store: { ...store, schedules } });
  t.after(() => stopping.close());
  const first = (await stopping.call('GET', '/v1/schedule?label=x')).body;
  assert.deepEqual(first.items, []);
  const path = `/v1/schedule?label=x&cursor=${first.nextCursor}`;
  assert.deepEqual((await stopping.call('GET', path)).body, { items: [] });
  assert.deepEqual(asked, [undefined, `${id}~`]);
});

test("200: nobody sees another client's schedules, whatever is asked", async () => {
  assert.deepEqual(await labels('?label=theirs'), []);
  const as = service.theirs;
  const { items } = (await service.call('GET', '/v1/schedule', { as })).body;
  assert.deepEqual(
    items.map(({ label }: Wire.Schedule) => label),
    ['theirs'],
  );
});

test('200: filtered by label and url, contained, in any case, and literally', async () => {
  await service.create({ label: 'Ünïcode 50%_a', url: 'https://example.com/Path?q=1' });
  assert.deepEqual(await labels(`?label=${encodeURIComponent('üNÏ')}`), ['Ünïcode 50%_a']);
  assert.deepEqual(await labels('?label=%25_'), ['Ünïcode 50%_a']);
  assert.deepEqual(await labels('?label=code+50'), ['Ünïcode 50%_a']);
  assert.deepEqual(await labels('?url=PATH%3Fq'), ['Ünïcode 50%_a']);
  assert.deepEqual(await labels('?url=/path&label=nothing'), []);
  assert.equal((await labels('?label=&limit=100')).length, 26);
});

test('200: deleted ones only where they are asked for, disabled ones always', async () => {
  const { id } = await service.create({ label: 'gone' });
  await service.create({ label: 'gone too', status: 'disabled' });
  await service.call('DELETE', `/v1/schedule/${id}`);
  assert.deepEqual(await labels('?label=gone'), ['gone too']);
  assert.deepEqual(await labels('?label=gone&status=deleted'), ['gone']);
  assert.deepEqual(await labels('?label=gone&status=disabled'), ['gone too']);
  assert.deepEqual(await labels('?label=gone&status=enabled'), []);
});

test('400: parameters that are not known, by their names; 200 where there are only separators', async () => {
  const unknown = '?foo=1&foo=2&__proto__=x&limit=1&constructor=y&%ff=%ff&=&&';
  assertError(
    await list(unknown),
    400,
    /^This operation has no query parameters "foo", "__proto__", "constructor", "%ff", ""\. It takes limit, cursor, status, label, url, host, tag\.$/,
  );
  assertError(
    await list('?stauts=disabled'),
    400,
    /^This operation has no query parameter "stauts"\./,
  );
  assertOk(await list('?'));
  assertOk(await list('?&&limit=1&'));
});

test('400: a limit that is not 1 to 100', async () => {
  for (const limit of [
    '0',
    '101',
    '-1',
    '1.5',
    '1e1',
    '0x5',
    '01',
    '+5',
    'abc',
    '',
    '%00',
    '9'.repeat(30),
  ]) {
    assertError(await list(`?limit=${limit}`), 400, /^The query parameter limit /);
  }
});

test('400: a parameter that comes twice, or is not UTF-8 text', async () => {
  assertError(await list('?limit=1&limit=2'), 400, /limit is there more than once/);
  assertError(await list('?label=a&label=a'), 400, /label is there more than once/);
  for (const bad of ['%ff', '%zz', '%', '%00', '%ed%a0%80']) {
    assertError(await list(`?label=${bad}`), 400, /^The query parameter label /);
  }
});

test('400: a status that there is not', async () => {
  for (const status of ['', 'Enabled', 'all', 'enabled,disabled']) {
    assertError(
      await list(`?status=${status}`),
      400,
      /status must be enabled, disabled or deleted/,
    );
  }
});

test('400: a cursor that no list gave', async () => {
  const { nextCursor } = (await list('?limit=1')).body;
  for (const cursor of [
    '',
    'x',
    `${nextCursor}=`,
    nextCursor.slice(1),
    'eA',
    encodeURIComponent("' OR 1"),
  ]) {
    assertError(await list(`?cursor=${cursor}`), 400, /cursor/);
  }
});
