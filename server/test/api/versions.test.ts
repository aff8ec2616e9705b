import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { newId } from '../../src/domain/id.ts';
import { assertError, assertOk, INSTANT } from '../support/api/expect.ts';
import { type Service, startService, valid } from '../support/api/service.ts';

const service: Service = await startService();
after(() => service.close());
const { mine, theirs } = service;

const versionsOf = (id: string, query = '') =>
  service.call('GET', `/v1/schedule/${id}/version${query}`);
const versionOf = (id: string, version: number | string) =>
  service.call('GET', `/v1/schedule/${id}/version/${version}`);
const patch = (id: string, body: object) => service.call('PATCH', `/v1/schedule/${id}`, { body });

describe('GET /v1/schedule/{id}/version: 200', () => {
  test('a schedule that never changed has one version, that nobody is noted for', async () => {
    const { id, createdAt } = await service.create();
    const answer = await versionsOf(id);
    assertOk(answer);
    assert.deepEqual(answer.body, { items: [{ version: 1, at: createdAt, changes: [] }] });
  });

  test('each change, by whatever operation, is a version with its key and its difference', async () => {
    const { id } = await service.create({ headers: { 'X-Key': 'a', B: 'b' }, label: 'one' });
    await patch(id, { headers: { 'X-Key': 'c' }, policy: { maxRetries: 0 } });
    const { createdAt: _, ...put } = (await service.call('GET', `/v1/schedule/${id}`)).body;
    const { policy: __, ...without } = put;
    await service.call('PUT', `/v1/schedule/${id}`, { body: without });
    await service.call('POST', '/v1/schedule/patch', {
      body: { ids: [id], patch: { tags: { team: 'x' } } },
    });
    await patch(id, { status: 'disabled', interval: '5 * * * *' });
    await service.call('DELETE', `/v1/schedule/${id}`);
    const { items } = (await versionsOf(id)).body;
    const by = { by: 'key', key: { keyId: mine.keyId } };
    const shown = items.map(({ at, until, ...rest }: { at: string; until?: string }) => {
      assert.match(at, INSTANT);
      if (until !== undefined) assert.match(until, INSTANT);
      return rest;
    });
    assert.deepEqual(shown, [
      { version: 6, ...by, changes: [{ path: 'status', before: 'disabled', after: 'deleted' }] },
      {
        version: 5,
        ...by,
        changes: [
          { path: 'interval', before: '*/5 * * * *', after: '5 * * * *' },
          { path: 'status', before: 'enabled', after: 'disabled' },
        ],
      },
      { version: 4, ...by, changes: [{ path: 'tags', after: { team: 'x' } }] },
      { version: 3, ...by, changes: [{ path: 'policy', before: { maxRetries: 0 } }] },
      {
        version: 2,
        ...by,
        changes: [
          { path: 'headers.X-Key', before: 'a', after: 'c' },
          { path: 'policy', after: { maxRetries: 0 } },
        ],
      },
      { version: 1, changes: [] },
    ]);
    for (const [index, { at }] of items.entries()) {
      if (index > 0) assert.equal(items[index].until, items[index - 1].at);
      else assert.equal(at, (await service.call('GET', `/v1/schedule/${id}`)).body.updatedAt);
    }
  });

  test('an upsert that replaces is a version; one that makes is the first', async () => {
    const put = (label: string) =>
      service.call('PUT', '/v1/schedule/ext:upserted', { body: { ...valid, label } });
    await put('a');
    await put('b');
    const { items } = (await versionsOf('ext:upserted')).body;
    assert.deepEqual(
      items.map(({ changes }: { changes: unknown }) => changes),
      [[{ path: 'label', before: 'a', after: 'b' }], []],
    );
  });

  test('the name of the key is told where it has one', async () => {
    const made = (await service.call('POST', '/v1/key', { body: { name: 'ci' } })).body;
    const { id } = await service.create();
    const as = { ...mine, apiKey: made.apiKey };
    await service.call('PATCH', `/v1/schedule/${id}`, { body: { label: 'b' }, as });
    const [newest] = (await versionsOf(id)).body.items;
    assert.deepEqual(newest.key, { keyId: made.id ?? made.keyId, name: 'ci' });
  });

  test('pages follow each other, each with its differences', async () => {
    const { id } = await service.create({ label: '0' });
    for (let n = 1; n <= 4; n += 1) await patch(id, { label: `${n}` });
    const labels: unknown[] = [];
    let query: string | null = '?limit=2';
    while (query !== null) {
      const page: Wire.VersionPage = (await versionsOf(id, query)).body;
      const { items, nextCursor } = page;
      labels.push(items.map(({ changes }) => changes?.[0]?.after));
      query = nextCursor === undefined ? null : `?limit=2&cursor=${nextCursor}`;
    }
    assert.deepEqual(labels, [['4', '3'], ['2', '1'], [undefined]]);
  });

  test('a long text is cut in the list, and whole in the version', async () => {
    const { id } = await service.create({ verb: 'POST', body: 'a'.repeat(5_000) });
    await patch(id, { body: 'b' });
    const [{ changes }] = (await versionsOf(id)).body.items;
    assert.deepEqual(changes, [{ path: 'body', before: `${'a'.repeat(1_000)}…`, after: 'b' }]);
    assert.equal((await versionOf(id, 1)).body.body, 'a'.repeat(5_000));
  });
});

describe('GET /v1/schedule/{id}/version: 400 and 404', () => {
  test('a cursor that is not from this list', async () => {
    const { id } = await service.create();
    const runCursor = Buffer.from(newId(Date.now())).toString('base64url');
    const zero = Buffer.from('v0').toString('base64url');
    for (const cursor of ['x', runCursor, zero, `${zero}=`]) {
      assertError(await versionsOf(id, `?cursor=${cursor}`), 400, /cursor/);
    }
    assertError(await versionsOf(id, '?limit=0'), 400, /limit/);
    assertError(await versionsOf(id, '?version=1'), 400, /version/);
  });

  test("a schedule that is not there, or is another client's", async () => {
    const { id } = await service.create({}, theirs);
    for (const unknown of [id, newId(Date.now()), 'x', 'ext:nobody']) {
      assertError(await versionsOf(unknown), 404);
    }
  });
});

describe('GET /v1/schedule/{id}/version/{version}', () => {
  test('200: the schedule exactly as GET has answered it then', async () => {
    const pausedUntil = '2099-01-01T00:00:00.000Z';
    const before = await service.create({
      headers: { Authorization: 'Bearer x' },
      data: { a: 'b' },
      integrations: [{ type: 'WEBHOOK', url: 'https://example.com/cb' }],
      policy: { maxRetries: 1 },
      externalId: 'as-it-was',
      tags: { team: 'x' },
      windowSeconds: 60,
      pausedUntil,
    });
    const { id } = before;
    const second = (await patch(id, { label: 'b', pausedUntil: null })).body;
    await service.call('DELETE', `/v1/schedule/${id}`);
    assert.deepEqual((await versionOf(id, 1)).body, before);
    assert.deepEqual((await versionOf(id, 2)).body, second);
    assert.equal((await versionOf(id, 3)).body.status, 'deleted');
  });

  test('200: a PUT of it, under If-Match, makes the schedule what it was', async () => {
    const before = await service.create({ label: 'good', data: { a: '1' } });
    const { id } = before;
    const path = `/v1/schedule/${id}`;
    await patch(id, { label: 'bad', data: null, policy: { maxRetries: 0 } });
    const was = (await versionOf(id, 1)).body;
    const stale = { 'If-Match': '"1"' };
    assertError(await service.call('PUT', path, { body: was, headers: stale }), 412);
    const now = { 'If-Match': '"2"' };
    const restored = await service.call('PUT', path, { body: was, headers: now });
    assertOk(restored);
    const { updatedAt: _, ...same } = restored.body;
    assert.deepEqual(same, before);
  });

  test('404: no such version, no number, no such schedule', async () => {
    const { id } = await service.create();
    await patch(id, { label: 'b' });
    for (const version of [0, 3, 99, 999_999_999, 9_999_999_999, -1, '01', '1.0', 'x', '%31x']) {
      assertError(await versionOf(id, version), 404);
    }
    const other = await service.create({}, theirs);
    assertError(await versionOf(other.id, 1), 404);
  });

  test('401: without a key', async () => {
    const { id } = await service.create();
    const headers = { ApiKey: null };
    for (const path of [`/v1/schedule/${id}/version`, `/v1/schedule/${id}/version/1`]) {
      assertError(await service.call('GET', path, { headers }), 401);
    }
  });
});
