import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Readiness } from '../../src/api/deps.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { exchange, requestBytes } from '../support/api/raw.ts';
import { startService, valid } from '../support/api/service.ts';

/** Health, metrics, the document, and how the API ends. */

let readiness: Readiness = {};
const service = await startService({ readiness: async () => readiness });
after(() => service.close());

test('healthz: 200 while the process is alive', async () => {
  const answer = await service.call('GET', '/healthz');
  assertOk(answer);
  assert.deepEqual(answer.body, { status: 'ok' });
});

test('readyz: 200 when ready, otherwise 503 with a sentence that says why not', async () => {
  assert.deepEqual((await service.call('GET', '/readyz')).body, { status: 'ok' });
  readiness = { warning: 'No standby.' };
  const warned = await service.call('GET', '/readyz');
  assert.deepEqual([warned.status, warned.body], [200, { status: 'ok', warning: 'No standby.' }]);
  readiness = { warning: 'Paused.', paused: { since: 0, by: 'command' } };
  const { body } = await service.call('GET', '/readyz');
  const paused = { since: '1970-01-01T00:00:00.000Z', by: 'command' };
  assert.deepEqual(body, { status: 'ok', warning: 'Paused.', paused });
  readiness = { fault: 'The database does not answer.' };
  assertError(await service.call('GET', '/readyz'), 503, /^The database does not answer\.$/);
  assert.equal((await service.call('GET', '/healthz')).status, 200);
  readiness = {};
});

test('metrics: the text as it is handed in, with its type', async () => {
  const { status, headers, text } = await service.call('GET', '/metrics');
  assert.deepEqual([status, text], [200, 'up 1\n']);
  assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4');
});

test('openapi.json: the document that is committed (else run scripts/openapi.ts)', async () => {
  const answer = await service.call('GET', '/openapi.json');
  assertOk(answer);
  const committed = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');
  assert.equal(`${JSON.stringify(answer.body, null, 2)}\n`, committed);
});

test('openapi.json: every operation under /v1 asks for a key or a session, and names its errors', async () => {
  const { paths, openapi } = (await service.call('GET', '/openapi.json')).body;
  assert.equal(openapi, '3.1.0');
  const ids = new Set<string>();
  for (const [path, methods] of Object.entries(paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: a document
    for (const [method, described] of Object.entries(methods as Record<string, any>)) {
      ids.add(described.operationId);
      if (!path.startsWith('/v1/')) continue;
      const byKey = { ClientId: [], ApiKey: [] };
      const bySession = { SessionCookie: [], SessionHeader: [] };
      const isKeyOnly = described.operationId === 'beginSession';
      const either = isKeyOnly ? [byKey] : [byKey, bySession];
      assert.deepEqual(described.security, either, `${method} ${path}`);
      // biome-ignore lint/suspicious/noExplicitAny: a document
      const names = (described.parameters ?? []).map(({ name }: any) => name);
      const conditional = [
        ...(names.includes('If-None-Match') && method === 'get' ? ['304'] : []),
        ...(names.includes('If-Match') ? ['412'] : []),
        ...(names.includes('Idempotency-Key') ? ['409', '422'] : []),
      ];
      const statuses = ['200', '400', '401', '404', '500', ...conditional].sort();
      assert.deepEqual(Object.keys(described.responses), statuses);
    }
  }
  assert.equal(ids.size, 56);
});

test('openapi.json: says where it is served, which paths are open, and how long an interval may be', async () => {
  const { paths, servers, components } = (await service.call('GET', '/openapi.json')).body;
  assert.equal(servers[0].url, '/');
  const open = ['/healthz', '/readyz', '/timezones'];
  for (const path of open) assert.deepEqual(paths[path].get.security, [], path);
  for (const name of ['ScheduleInput', 'SchedulePatch', 'PreviewInput', 'Schedule']) {
    assert.equal(components.schemas[name].properties.interval.maxLength, 1_000, name);
  }
});

test('openapi.json: no operation takes a query parameter that it does not name, nor one twice that is no list', async () => {
  const { paths } = (await service.call('GET', '/openapi.json')).body;
  for (const [path, methods] of Object.entries(paths)) {
    // biome-ignore lint/suspicious/noExplicitAny: a document
    for (const [method, described] of Object.entries(methods as Record<string, any>)) {
      const url = path.replaceAll(/\{\w+\}/g, '01a1faac-acec-77cd-97c5-0fd16a7f4646');
      const body = described.requestBody === undefined ? {} : { body: {} };
      const call = (query: string) => service.call(method.toUpperCase(), `${url}?${query}`, body);
      assertError(
        await call('stauts=failed'),
        400,
        /^This operation has no query parameter "stauts"\./,
      );
      // biome-ignore lint/suspicious/noExplicitAny: a document
      for (const { in: where, name, schema } of (described.parameters ?? []) as any[]) {
        if (where !== 'query' || schema.type === 'array') continue;
        const twice = await call(`${name}=1&${name}=1`);
        assertError(twice, 400, new RegExp(`^The query parameter ${name} is there more than once`));
      }
    }
  }
});

test('/openapi.json and /metrics take no query parameter; pages take any', async () => {
  for (const path of ['/openapi.json', '/metrics']) {
    assertError(await service.call('GET', `${path}?a=1`), 400, /^This operation has no query/);
  }
});

test('an answer holds nothing but what its schema says, whatever the store gave', async t => {
  const store = openSqlite(':memory:');
  const leaky = await startService({
    store: {
      ...store,
      schedules: {
        ...store.schedules,
        async find(clientRowId, id) {
          const found = await store.schedules.find(clientRowId, id);
          const secret = { signingSecret: 'hunter2', clientRowId };
          return found && { ...found, schedule: { ...found.schedule, ...secret } };
        },
      },
    },
  });
  t.after(() => leaky.close());
  const { id } = await leaky.create();
  const { text } = await leaky.call('GET', `/v1/schedule/${id}`);
  assert.doesNotMatch(text, /hunter2|clientRowId/);
});

test('a race that is lost is run again; one that cannot be won is a 500', async t => {
  const store = openSqlite(':memory:');
  let losses = 3;
  const racing = await startService({
    store: {
      ...store,
      schedules: {
        ...store.schedules,
        async update(...all) {
          return losses-- > 0 ? false : store.schedules.update(...all);
        },
      },
    },
  });
  t.after(() => racing.close());
  const { id } = await racing.create();
  const put = () => racing.call('PUT', `/v1/schedule/${id}`, { body: { ...valid, label: 'x' } });
  assert.equal((await put()).body.label, 'x');
  losses = Number.POSITIVE_INFINITY;
  assertError(await put(), 500);
});

test('a trigger that loses against a delete is a 400', async t => {
  const store = openSqlite(':memory:');
  const outbox = { ...store.outbox, insertManual: async () => 'unknown' as const };
  const racing = await startService({ store: { ...store, outbox } });
  t.after(() => racing.close());
  const { id } = await racing.create();
  assertError(await racing.call('POST', `/v1/schedule/${id}/trigger`), 400, /deleted/);
});

test('closing: what is under way is answered, and so is what still comes on its connection', async t => {
  const store = openSqlite(':memory:');
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const closing = await startService({
    store: {
      ...store,
      schedules: {
        ...store.schedules,
        async list(...all) {
          reached.resolve();
          await released.promise;
          return store.schedules.list(...all);
        },
      },
    },
  });
  t.after(() => closing.close());
  const { mine, port, app } = closing;
  const request = requestBytes('GET', '/v1/schedule', [
    ['ClientId', mine.clientId],
    ['ApiKey', mine.apiKey],
  ]);
  const more = Promise.withResolvers<Buffer>();
  const answered = exchange(port, request, { more: more.promise, untilClosed: true });
  await reached.promise;
  const closed = app.close();
  await new Promise(resolve => setImmediate(resolve));
  more.resolve(requestBytes('GET', '/healthz'));
  setTimeout(released.resolve, 50);
  const { answers } = await answered;
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    [
      [200, '{"items":[]}'],
      [200, '{"status":"ok"}'],
    ],
  );
  await closed;
});

test('GET /llms.txt is one page whose paths exist', async () => {
  const { status, headers, text } = await service.call('GET', '/llms.txt');
  assert.equal(status, 200);
  assert.match(String(headers.get('content-type')), /^text\/plain/);
  const { paths } = (await service.call('GET', '/openapi.json')).body;
  const named = [...text.matchAll(/^- ([A-Z]+) (\/v1[^\s?:]*)/gm)];
  assert.ok(named.length >= 5);
  for (const [, method, path] of named) {
    const known = path!.replace('{id}', '{scheduleId}');
    assert.ok(paths[known]?.[method!.toLowerCase()], `${method} ${path}`);
  }
});
