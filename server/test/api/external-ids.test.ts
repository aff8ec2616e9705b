import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

/** The caller's own ids: where they stand for an id, and what a PUT to one makes. */

const service = await startService();
after(() => service.close());

const path = (externalId: string, below = '') => `/v1/schedule/ext:${externalId}${below}`;
const call = (method: string, externalId: string, body?: unknown, headers = {}, below = '') =>
  service.call(method, path(externalId, below), {
    headers,
    ...(body !== undefined && { body }),
  });
const put = (externalId: string, body: object = valid, headers = {}) =>
  call('PUT', externalId, body, headers);
const MALFORMED = ['', 'a%20b', 'a%2Fb', 'é', 'x'.repeat(129), 'a%22', 'a%00', '%ff', 'ext%3Aa!'];

describe('ext: names the schedule', () => {
  test('200: wherever its id stands, percent signs or not', async () => {
    const made = await service.create({ externalId: 'own-1~A_b.c:@' });
    for (const name of ['own-1~A_b.c:@', 'own-1~A_b.c%3A%40', '%6Fwn-1~A_b.c:@']) {
      assert.deepEqual((await call('GET', name)).body, made, name);
    }
    const encoded = await service.call('GET', '/v1/schedule/ext%3Aown-1~A_b.c:@');
    assert.deepEqual(encoded.body, made);
    const name = 'own-1~A_b.c:@';
    assert.equal((await call('PATCH', name, { label: 'b' })).body.label, 'b');
    assert.equal((await call('GET', name, undefined, {}, '/next?count=2')).body.times.length, 2);
    const range = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&stepSeconds=3600';
    const history = await call('GET', name, undefined, {}, `/history?${range}`);
    assert.equal(history.body.scheduleId, made.id);
    const explained = await call('GET', name, undefined, {}, '/explain?at=2020-01-01T00:00:00Z');
    assert.deepEqual([explained.body.scheduleId, explained.body.verdict], [made.id, 'notCreated']);
    const run = (await call('POST', name, undefined, {}, '/trigger')).body as Wire.Run;
    assert.equal(run.scheduleId, made.id);
    const listed = await service.call('GET', `/v1/run?scheduleId=ext:${name}`);
    assert.deepEqual(listed.body.items, [run]);
  });

  test('200: the engine is told of the id, whichever name was used', async () => {
    const { id } = await service.create({ externalId: 'told' });
    service.told.length = 0;
    assertOk(await call('PATCH', 'told', { label: 'b' }));
    assert.equal((service.told[0] as { scheduleId: string }).scheduleId, id);
  });

  test('304 and 412: versions count as they do by the id', async () => {
    const { id } = await service.create({ externalId: 'versions' });
    const etag = (await service.call('GET', `/v1/schedule/${id}`)).headers.get('ETag')!;
    const known = await call('GET', 'versions', undefined, { 'If-None-Match': etag });
    assert.deepEqual([known.status, known.text], [304, '']);
    assertError(await call('DELETE', 'versions', undefined, { 'If-Match': '"9"' }), 412);
    assertOk(await call('DELETE', 'versions', undefined, { 'If-Match': etag }));
  });

  test('404: a second DELETE, and all else of a schedule that is deleted', async () => {
    const { id } = await service.create({ externalId: 'gone' });
    assert.deepEqual((await call('DELETE', 'gone')).body, { success: true });
    for (const [method, body, below] of [
      ['DELETE'],
      ['GET'],
      ['PATCH', {}],
      ['POST', undefined, '/trigger'],
      ['GET', undefined, '/next'],
      ['GET', undefined, '/explain?at=2020-01-01T00:00:00Z'],
    ] as const) {
      assertError(await call(method, 'gone', body, {}, below), 404, /no schedule with this id/);
    }
    assertError(await service.call('GET', '/v1/run?scheduleId=ext:gone'), 404);
    assertOk(await service.call('DELETE', `/v1/schedule/${id}`));
  });

  test("404: another client's", async () => {
    await service.create({ externalId: 'private' }, service.theirs);
    assertError(await call('GET', 'private'), 404);
    assertError(await call('DELETE', 'private'), 404);
    const mine = await put('private');
    assertOk(mine);
    const theirs = await service.call('GET', path('private'), { as: service.theirs });
    assert.notEqual(theirs.body.id, mine.body.id);
  });

  test('404: a text that is no external id, for every method', async () => {
    for (const name of MALFORMED) {
      assertError(await call('GET', name), 404);
      assertError(await put(name), 404);
      assertError(await call('PATCH', name, {}), 404);
      assertError(await call('DELETE', name), 404);
      assertError(await call('POST', name, undefined, {}, '/trigger'), 404);
    }
    assertError(await service.call('GET', '/v1/run?scheduleId=ext:a%20b'), 404);
    assertError(await service.call('GET', '/v1/run?scheduleId=ext'), 400, /scheduleId/);
  });
});

describe('PUT to ext:', () => {
  test('200: makes the schedule, then replaces it; both as a create and a replace do', async () => {
    service.told.length = 0;
    const made = await put('upsert', { ...valid, label: 'a', externalId: 'upsert' });
    assertOk(made);
    const { id, createdAt } = made.body;
    assert.deepEqual(made.body, {
      ...valid,
      id,
      createdAt,
      status: 'enabled',
      label: 'a',
      externalId: 'upsert',
    });
    assert.ok('dueAt' in (service.told[0] as object));
    const replaced = await put('upsert', { ...valid, interval: '0 0 * * *' });
    assertOk(replaced);
    const { updatedAt } = replaced.body;
    assert.deepEqual(replaced.body, {
      ...made.body,
      label: '',
      interval: '0 0 * * *',
      updatedAt,
    });
    assert.notEqual(replaced.headers.get('ETag'), made.headers.get('ETag'));
    assert.deepEqual((await call('GET', 'upsert')).body, replaced.body);
  });

  test('200: where the schedule was deleted, it makes another one', async () => {
    const first = await put('again');
    await call('DELETE', 'again');
    const second = await put('again');
    assertOk(second);
    assert.notEqual(second.body.id, first.body.id);
    const old = await service.call('GET', `/v1/schedule/${first.body.id}`);
    assert.deepEqual([old.body.status, old.body.externalId], ['deleted', 'again']);
  });

  test('412: If-None-Match where it is there, If-Match where it is not; nothing is written', async () => {
    assertError(await put('conditional', valid, { 'If-Match': '*' }), 412, /no schedule with this/);
    assertError(await put('conditional', valid, { 'If-Match': '"1"' }), 412);
    assertError(await call('GET', 'conditional'), 404);
    const made = await put('conditional', valid, { 'If-None-Match': '*' });
    assertOk(made);
    const again = await put('conditional', { ...valid, label: 'b' }, { 'If-None-Match': '*' });
    assertError(again, 412, /If-None-Match/);
    const etag = made.headers.get('ETag')!;
    assertError(await put('conditional', valid, { 'If-None-Match': etag }), 412);
    assert.deepEqual((await call('GET', 'conditional')).body, made.body);
    assertOk(await put('conditional', valid, { 'If-Match': etag, 'If-None-Match': '"77"' }));
    assertError(await put('conditional', valid, { 'If-Match': etag }), 412);
  });

  test('412: If-None-Match: * on a PUT by id', async () => {
    const { id } = await service.create();
    const answer = await service.call('PUT', `/v1/schedule/${id}`, {
      body: valid,
      headers: { 'If-None-Match': '*' },
    });
    assertError(answer, 412);
  });

  test('400: a body with another externalId, of a PUT and of a PATCH', async () => {
    await put('kept');
    for (const externalId of ['other', 'Kept', '']) {
      assertError(await put('kept', { ...valid, externalId }), 400, /^externalId /);
      assertError(await put('not-made', { ...valid, externalId }), 400, /^externalId /);
      assertError(await call('PATCH', 'kept', { externalId }), 400, /^externalId /);
    }
    assertError(await call('PATCH', 'kept', { externalId: null }), 400, /^externalId /);
    assertOk(await call('PATCH', 'kept', { externalId: 'kept' }));
    assertError(await call('GET', 'not-made'), 404);
  });

  test('400: what a create refuses, and nothing is made', async () => {
    assertError(await put('wrong', { ...valid, interval: 'x' }), 400, /interval/);
    assertError(await put('wrong', { url: valid.url }), 400);
    assertError(await call('GET', 'wrong'), 404);
  });

  test('of fifty callers at the same time one makes it, and the others replace it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => put('raced', { ...valid, label: `${index}` })),
    );
    for (const answer of answers) assertOk(answer);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.equal(new Set(answers.map(({ headers }) => headers.get('ETag'))).size, 50);
    assert.equal(answers.filter(({ body }) => body.updatedAt === undefined).length, 1);
  });

  test('of fifty callers with If-None-Match: * one makes it, and the others are told', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => put('once', valid, { 'If-None-Match': '*' })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(49).fill(412)]);
  });

  test('a schedule that is made between the look and the write is replaced', async t => {
    const store = openSqlite(':memory:');
    let isFirst = true;
    const racing = await startService({
      store: {
        ...store,
        schedules: {
          ...store.schedules,
          async findByExternalId(...asked) {
            if (!isFirst) return store.schedules.findByExternalId(...asked);
            isFirst = false;
            await racing.create({ externalId: 'raced', label: 'faster' });
            return null;
          },
        },
      },
    });
    t.after(() => racing.close());
    const answer = await racing.call('PUT', path('raced'), { body: { ...valid, label: 'slower' } });
    assertOk(answer);
    assert.equal(answer.body.label, 'slower');
    assert.equal((await racing.call('GET', '/v1/schedule')).body.items.length, 1);
  });
});

describe('externalId in a body', () => {
  test('200: a PUT that leaves it out keeps it; PATCH changes and removes it', async () => {
    const { id } = await service.create({ externalId: 'mine-1' });
    const by = (method: string, body: unknown) =>
      service.call(method, `/v1/schedule/${id}`, { body });
    assert.equal((await by('PUT', valid)).body.externalId, 'mine-1');
    assert.equal((await by('PATCH', { externalId: 'mine-2' })).body.externalId, 'mine-2');
    assertError(await call('GET', 'mine-1'), 404);
    assert.equal((await call('GET', 'mine-2')).body.id, id);
    assert.equal((await by('PUT', { ...valid, externalId: 'mine-3' })).body.externalId, 'mine-3');
    assert.equal('externalId' in (await by('PATCH', { externalId: null })).body, false);
    assertError(await call('GET', 'mine-3'), 404);
  });

  test('400: one that is taken, by create, PUT and PATCH; free after a DELETE', async () => {
    const holder = await service.create({ externalId: 'taken' });
    const other = await service.create({ externalId: 'free' });
    const taken = /^externalId "taken" is taken by another schedule\.$/;
    const body = { ...valid, externalId: 'taken' };
    for (const answer of [
      await service.call('POST', '/v1/schedule', { body }),
      await service.call('PUT', `/v1/schedule/${other.id}`, { body }),
      await service.call('PATCH', `/v1/schedule/${other.id}`, { body: { externalId: 'taken' } }),
    ]) {
      assertError(answer, 400, taken);
      assert.equal(answer.headers.get('Punctual-Error-Code'), 'external_id_taken');
    }
    assert.deepEqual((await call('GET', 'free')).body, other);
    await service.call('DELETE', `/v1/schedule/${holder.id}`);
    assertOk(await service.call('POST', '/v1/schedule', { body }));
  });

  test('400: in a batch the item is named that has it twice, or has a taken one', async () => {
    await service.create({ externalId: 'in-batch' });
    const batch = (...ids: (string | undefined)[]) =>
      service.call('POST', '/v1/schedule/batch', {
        body: { items: ids.map(externalId => ({ ...valid, externalId })) },
      });
    assertError(
      await batch('b-1', undefined, 'b-2', 'b-1'),
      400,
      /^items\[3\]: externalId "b-1" is that of items\[0\] too\.$/,
    );
    assertError(
      await batch('b-1', undefined, 'in-batch'),
      400,
      /^items\[2\]: externalId "in-batch" is taken by another schedule\.$/,
    );
    assertError(await batch('b-1', 'a b'), 400, /^items\[1\]: externalId /);
    assertError(await call('GET', 'b-1'), 404);
    assertOk(await batch('b-1', 'b-2'));
  });
});
