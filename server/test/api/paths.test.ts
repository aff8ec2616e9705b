import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertError, assertErrorBody, assertErrorCode } from '../support/api/expect.ts';
import { exchange, requestBytes } from '../support/api/raw.ts';
import { startService, valid } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const { id } = await service.create();

test('a path that is not exactly one of those there are is a 404', async () => {
  for (const path of [
    '/',
    '/v1',
    '/v1/',
    '/v1/schedules',
    '/v1/Schedule',
    '/v1/schedule/',
    '/v1//schedule',
    `/v1/schedule/${id}/`,
    `/v1/schedule/${id}/next/`,
    `/v1/schedule/${id}/Next`,
    `/v1/schedule/${id}/trigger/x`,
    `/v1/schedule/${id};x`,
    '/v1/schedule;x',
    '/v1/schedule.json',
    '/v1%2Fschedule',
    '/schedule',
    `/schedule/${id}`,
    '/v2/schedule',
    '/v1/run/',
    '/v1/timezones',
    '/timezones/',
    '/Timezones',
    '/healthz/',
    '/favicon.ico',
    '/v1/hello',
  ]) {
    assertError(await service.call('GET', path), 404);
  }
});

test('a method that a path does not have is a 404, and is not carried out', async () => {
  const before = (await service.call('GET', `/v1/schedule/${id}`)).body;
  for (const [method, path] of [
    ['POST', `/v1/schedule/${id}`],
    ['PUT', '/v1/schedule'],
    ['PATCH', '/v1/schedule'],
    ['DELETE', '/v1/schedule'],
    ['GET', `/v1/schedule/${id}/trigger`],
    ['PUT', `/v1/schedule/${id}/trigger`],
    ['POST', `/v1/schedule/${id}/next`],
    ['GET', '/v1/preview'],
    ['DELETE', '/v1/run'],
    ['POST', '/v1/run'],
    ['DELETE', `/v1/run/${id}`],
    ['POST', '/timezones'],
    ['DELETE', '/healthz'],
    ['OPTIONS', '/v1/schedule'],
    ['OPTIONS', '/timezones'],
  ] as const) {
    const body = method === 'GET' || method === 'OPTIONS' ? undefined : valid;
    assertError(await service.call(method, path, { body }), 404, /nothing at this path/);
  }
  assert.deepEqual((await service.call('GET', `/v1/schedule/${id}`)).body, before);
});

test('an unknown path is a 404 whatever body is sent to it', async () => {
  for (const body of ['{', '', 'x'.repeat(1_000_000)]) {
    const headers = { 'Content-Type': 'text/plain' };
    assertError(await service.call('POST', '/v1/nope', { body, headers }), 404);
    assertError(await service.call('POST', '/nope', { body, headers }), 404);
  }
});

test('POST batch is no schedule of that name', async () => {
  assertError(await service.call('GET', '/v1/schedule/batch'), 404);
  assertError(await service.call('PUT', '/v1/schedule/batch', { body: valid }), 404);
  assertError(await service.call('DELETE', '/v1/schedule/batch'), 404);
});

const auth = [
  ['ClientId', service.mine.clientId],
  ['ApiKey', service.mine.apiKey],
] as const;

test('methods that nobody has are a 404, those that Node does not know too', async () => {
  for (const method of ['PROPFIND', 'QUERY', 'TRACE', 'LOCK', 'SOURCE', 'FOO', 'get', 'M-SEARCH']) {
    const bytes = requestBytes(method, `/v1/schedule/${id}`, auth);
    const { answers } = await exchange(service.port, bytes);
    assert.equal(answers[0]?.status, 404, method);
    assertErrorCode(answers[0].headers['punctual-error-code'], answers[0].status);
    assertErrorBody(answers[0].headers['content-type']!, answers[0].body, /nothing at this path/);
  }
});

test('and a 401 below /v1 for who does not say who they are, and only there', async () => {
  for (const [bytes, status] of [
    [requestBytes('FOO', '/v1/schedule'), 401],
    [requestBytes('FOO', '/v1'), 401],
    [requestBytes('FOO', '/v1?x=1', [auth[0]]), 401],
    [requestBytes('PROPFIND', '/v1/schedule'), 401],
    [requestBytes('FOO', '/v10'), 404],
    [requestBytes('FOO', '/healthz'), 404],
  ] as const) {
    const { answers } = await exchange(service.port, bytes);
    assert.equal(answers[0]?.status, status, String(bytes));
    assertErrorCode(answers[0].headers['punctual-error-code'], answers[0].status);
    assertErrorBody(answers[0].headers['content-type']!, answers[0].body);
    if (status === 401) assert.equal(answers[0].headers['www-authenticate'], 'ApiKey');
  }
});

test('targets that are no path, or cannot be decoded, are a 404', async () => {
  for (const target of [
    '*',
    'http://example.com',
    'ftp://example.com/v1/schedule',
    '/v1/schedule#x',
    `/v1/schedule/${id}#x`,
    '/v1/schedule/%',
    '/v1/schedule/%ff',
    '/v1/%zz',
    '/%zz',
    '/%',
    '/v1/schedule/%c0%af',
    '/v1/schedule/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/v1/schedule/..%5c..%5cwindows',
    '/v1/schedule/%0d%0aX:1',
    '/v1/schedule/%00',
    '/v1/../v1/schedule',
    `/v1/schedule/${'a'.repeat(12_000)}`,
  ]) {
    const { answers } = await exchange(service.port, requestBytes('GET', target, auth));
    assert.equal(answers[0]?.status, 404, target.slice(0, 60));
    assertErrorCode(answers[0].headers['punctual-error-code'], answers[0].status);
    assertErrorBody(answers[0].headers['content-type']!, answers[0].body);
  }
});

test('the absolute form of a target is the path in it, as HTTP asks of servers', async () => {
  const target = `http://elsewhere.example/v1/schedule/${id}?`;
  const { answers } = await exchange(service.port, requestBytes('GET', target, auth));
  assert.equal(JSON.parse(answers[0]!.body).id, id);
});

test('HEAD answers as GET does, without the body', async () => {
  for (const path of [
    `/v1/schedule/${id}`,
    '/v1/schedule?limit=1',
    `/v1/schedule/${id}/next`,
    '/v1/schedule/x',
    '/v1/schedule?limit=0',
    '/nope',
    '/timezones',
    '/healthz',
  ]) {
    const get = await service.call('GET', path);
    const { answers, rest } = await exchange(service.port, requestBytes('HEAD', path, auth), {
      bodyless: true,
    });
    const [head] = answers;
    assert.equal(head?.status, get.status, path);
    assert.equal(head.headers['content-length'], get.headers.get('content-length'), path);
    assert.equal(head.headers['content-type'], get.headers.get('content-type'));
    assert.equal(rest, '');
  }
});

test('no answer has a CORS header', async () => {
  const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' };
  for (const method of ['GET', 'OPTIONS']) {
    const answer = await service.call(method, '/v1/schedule', { headers });
    for (const [name] of answer.headers) assert.doesNotMatch(name, /^access-control/);
  }
});

test('Accept and Accept-Version decide nothing', async () => {
  const headers = { Accept: 'text/html', 'Accept-Version': '9.x', 'Accept-Encoding': 'br' };
  const answer = await service.call('GET', `/v1/schedule/${id}`, { headers });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type')!, /^application\/json/);
});
