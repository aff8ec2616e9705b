import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertError, assertErrorBody, assertErrorCode } from '../support/api/expect.ts';
import { exchange, requestBytes } from '../support/api/raw.ts';
import { newClient, revoke, secretsIn, startService, valid } from '../support/api/service.ts';

const service = await startService({ limits: { callerCacheMs: 50 } });
after(() => service.close());
const { mine, theirs } = service;
const { id } = await service.create();
const path = `/v1/schedule/${id}`;

test('a missing, an empty, an unknown and a wrong credential get the same 401', async () => {
  const texts = new Set<string>();
  for (const headers of [
    { ClientId: null, ApiKey: null },
    { ClientId: null },
    { ApiKey: null },
    { ClientId: '', ApiKey: '' },
    { ClientId: 'nobody' },
    { ClientId: '01890000-0000-7000-8000-000000000000' },
    { ApiKey: 'wrong' },
    { ApiKey: `${mine.apiKey}A` },
    { ApiKey: mine.apiKey.slice(0, -1) },
    { ApiKey: mine.apiKey.toUpperCase() },
    { ClientId: mine.clientId.toUpperCase() },
    { ClientId: theirs.clientId },
    { ApiKey: theirs.apiKey },
    { ClientId: mine.apiKey, ApiKey: mine.clientId },
    { ClientId: `"${mine.clientId}"`, ApiKey: `"${mine.apiKey}"` },
    { ClientId: "' OR '1'='1", ApiKey: "' OR '1'='1" },
    { ClientId: '__proto__', ApiKey: 'constructor' },
    { ApiKey: 'éÿ' },
    { ApiKey: 'x'.repeat(8_000) },
    { ApiKey: null, Authorization: `Bearer ${mine.apiKey}` },
    { ApiKey: null, 'Api-Key': mine.apiKey },
    { ApiKey: null, 'X-Api-Key': mine.apiKey },
  ]) {
    const answer = await service.call('GET', path, { headers });
    assertError(answer, 401, /ClientId and ApiKey/);
    assert.equal(answer.headers.get('www-authenticate'), 'ApiKey');
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

test('a key in the url is no key', async () => {
  const query = `?ApiKey=${mine.apiKey}&ClientId=${mine.clientId}`;
  const headers = { ClientId: null, ApiKey: null };
  assertError(await service.call('GET', `${path}${query}`, { headers }), 401);
});

test('header names in any case, and blanks around values, are as HTTP has them', async () => {
  const bytes = requestBytes('GET', path, [
    ['clientid', `  ${mine.clientId} `],
    ['APIKEY', `\t${mine.apiKey}\t`],
  ]);
  const { answers } = await exchange(service.port, bytes);
  assert.equal(answers[0]?.status, 200);
});

test('a credential that comes twice is none, also where both are the same', async () => {
  for (const [name, first, second] of [
    ['ClientId', mine.clientId, mine.clientId],
    ['ClientId', mine.clientId, theirs.clientId],
    ['ApiKey', mine.apiKey, mine.apiKey],
    ['ApiKey', 'wrong', mine.apiKey],
  ] as const) {
    const others = [
      ['ClientId', mine.clientId],
      ['ApiKey', mine.apiKey],
    ].filter(([other]) => other !== name) as Array<[string, string]>;
    const bytes = requestBytes('GET', path, [[name, first], ...others, [name, second]]);
    const { answers } = await exchange(service.port, bytes);
    assert.equal(answers[0]?.status, 401, `${name} twice`);
  }
});

const everyWay: ReadonlyArray<readonly [string, string]> = [
  ['GET', '/v1'],
  ['GET', '/v1/'],
  ['GET', '/v1?x'],
  ['GET', '/v1/nope'],
  ['GET', '/v1/schedule'],
  ['GET', '/v1/schedule/'],
  ['GET', `/v1/schedule/${id}`],
  ['HEAD', `/v1/schedule/${id}`],
  ['PUT', `/v1/schedule/${id}`],
  ['PATCH', `/v1/schedule/${id}`],
  ['DELETE', `/v1/schedule/${id}`],
  ['POST', `/v1/schedule/${id}`],
  ['POST', '/v1/schedule'],
  ['POST', '/v1/schedule/batch'],
  ['POST', `/v1/schedule/${id}/trigger`],
  ['GET', `/v1/schedule/${id}/next`],
  ['POST', '/v1/preview'],
  ['GET', '/v1/run'],
  ['GET', '/v1/run/x'],
  ['OPTIONS', '/v1/schedule'],
  ['TRACE', '/v1/schedule'],
  ['PROPFIND', `/v1/schedule/${id}`],
  ['QUERY', '/v1/schedule'],
  ['PURGE', '/v1/schedule'],
  ['M-SEARCH', '/v1/schedule'],
  ['DESCRIBE', '/v1/schedule'],
  ['GET', '/%761/schedule'],
  ['GET', `/%76%31/%73chedule/${id}`],
  ['GET', '/v%31/nope'],
  ['GET', '/v1/%zz'],
  ['GET', '/v1/%ff%fe'],
  ['GET', '/v1/schedule/%'],
  ['GET', '/%76%31/%ff'],
  ['GET', '/v1/schedule#fragment'],
  ['GET', `/v1/${'a'.repeat(10_000)}`],
  ['GET', `/v1/schedule/${'%61'.repeat(3_000)}`],
  ['GET', 'http://127.0.0.1/v1/schedule'],
  ['GET', 'http://127.0.0.1/%761/schedule'],
  ['GET', 'HTTPS://example.com/v1/nope'],
];

for (const [method, target] of everyWay) {
  test(`without a key, ${method} ${target.slice(0, 60)} is a 401`, async () => {
    const bytes = requestBytes(method, target).toString('latin1');
    const spoken = method === 'DESCRIBE' ? bytes.replace('HTTP/1.1', 'RTSP/1.0') : bytes;
    const { answers } = await exchange(service.port, spoken, { bodyless: method === 'HEAD' });
    assert.equal(answers[0]?.status, 401);
    assertErrorCode(answers[0].headers['punctual-error-code'], answers[0].status);
    if (method !== 'HEAD') assertErrorBody(answers[0].headers['content-type']!, answers[0].body);
  });
}

test('authentication comes before everything else that is wrong with a request', async () => {
  for (const [head, body] of [
    ['POST /v1/schedule HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\nContent-Length: 1', '{'],
    ['POST /v1/schedule HTTP/1.1\r\nHost: h\r\nContent-Encoding: br\r\nContent-Length: 1', '{'],
    ['POST /v1/schedule HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999', ''],
    ['POST /v1/schedule HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked', '0\r\n\r\n'],
    ['GET /v1/schedule?limit=0 HTTP/1.1\r\nHost: h', ''],
    ['GET /v1/schedule HTTP/1.1', ''],
    ['GET /v1/schedule HTTP/1.1\r\nHost: a\r\nHost: b', ''],
    ['GET /v1/schedule HTTP/1.1\r\nHost: h\r\nExpect: x', ''],
    ['GET /v1/schedule HTTP/2.0\r\nHost: h', ''],
    ['GET /v1/schedule', ''],
  ] as const) {
    const { answers } = await exchange(service.port, `${head}\r\n\r\n${body}`);
    assert.equal(answers[0]?.status, 401, head);
  }
});

test('what is not under /v1 needs no key', async () => {
  const headers = { ClientId: null, ApiKey: null };
  for (const open of ['/healthz', '/readyz', '/timezones', '/openapi.json', '/metrics']) {
    assert.equal((await service.call('GET', open, { headers })).status, 200, open);
  }
  for (const unknown of ['/', '/v10/schedule', '/V1/schedule', '//v1/schedule', '/x/v1/schedule']) {
    assertError(await service.call('GET', unknown, { headers }), 404);
  }
});

test('a revoked key stops soon after, the other keys of the client go on', async () => {
  const { store } = service;
  const client = await newClient(store, 'third');
  const call = () => service.call('GET', '/v1/schedule', { as: client });
  assert.equal((await call()).status, 200);
  await revoke(store, client);
  const revokedAt = performance.now();
  while ((await call()).status === 200) {
    assert.ok(performance.now() - revokedAt < 5_000, 'within 5 s');
  }
  assertError(await call(), 401);
  assert.equal((await service.call('GET', '/v1/schedule')).status, 200);
});

test('a key works as soon as it is made, also one that was tried before', async () => {
  const later = await newClient(service.store, 'later');
  const other = { ...later, apiKey: 'pk_not-yet' };
  assertError(await service.call('GET', '/v1/schedule', { as: other }), 401);
  assert.equal((await service.call('GET', '/v1/schedule', { as: later })).status, 200);
});

test('no key stands in the log', async () => {
  await service.call('POST', '/v1/schedule', { body: valid });
  assert.deepEqual(secretsIn(service), []);
});
