import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isId } from '../../src/domain/id.ts';
import { assertError, assertOk, INSTANT } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const post = (body: unknown) => service.call('POST', '/v1/schedule', { body });
const refused = async (change: object, sentence: RegExp) =>
  assertError(await post({ ...valid, ...change }), 400, sentence);

// 200

test('200: the four required properties are enough; the rest is left out, label is ""', async () => {
  const answer = await post(valid);
  assertOk(answer);
  const { id, createdAt, ...rest } = answer.body;
  assert.ok(isId(id));
  assert.match(createdAt, INSTANT);
  assert.deepEqual(rest, { ...valid, status: 'enabled', label: '' });
});

test('200: everything is given back as it was sent', async () => {
  const sent = {
    ...valid,
    url: 'HTTPS://Example.com:443/%7Euser/../a?b=c#d',
    status: 'disabled',
    headers: { 'X-B': '2', 'x-a': '1', Authorization: 'Bearer x' },
    data: { '': '', b: '2', a: '1' },
    integrations: [],
    label: ' label\n\t<b> ',
    policy: { timeoutSeconds: 1_800, maxRetries: 0, catchUpSeconds: 31_536_000 },
  };
  const { body } = await post(sent);
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(body[name], value, name);
  assert.deepEqual(Object.keys(body.data), Object.keys(sent.data), 'in the order it was sent');
  assert.deepEqual((await service.call('GET', `/v1/schedule/${body.id}`)).body, body);
});

test('200: integrations are given ids and the defaults of what they left out', async () => {
  const url = 'https://example.com/callback';
  const { body } = await post({ ...valid, integrations: [{ type: 'WEBHOOK', url }] });
  const [{ id, ...rest }] = body.integrations;
  assert.ok(isId(id));
  assert.deepEqual(rest, {
    type: 'WEBHOOK',
    url,
    name: '',
    includeScheduleUrlInCallback: false,
    callOnSuccess: false,
  });
});

test('200: read-only properties are accepted, whatever they are, and ignored', async () => {
  const { status, body } = await post({
    ...valid,
    id: 'x',
    createdAt: null,
    updatedAt: { a: [1] },
  });
  assert.equal(status, 200);
  assert.ok(isId(body.id));
  assert.match(body.createdAt, INSTANT);
  assert.equal('updatedAt' in body, false);
});

test('200: it wakes the engine for the first time, and for a disabled one not at all', async () => {
  service.told.length = 0;
  await post({ ...valid, status: 'disabled' });
  assert.deepEqual(service.told, []);
  const { createdAt } = (await post(valid)).body;
  const next = (Math.floor(Date.parse(createdAt) / 300_000) + 1) * 300_000;
  assert.deepEqual(service.told, [{ dueAt: next }]);
});

test('200: at the limits of label, name, url, integrations and headers', async () => {
  const name = '🕐'.repeat(500);
  const url = `https://example.com/${'a'.repeat(2_048 - 'https://example.com/'.length)}`;
  const answer = await post({
    ...valid,
    url,
    label: name,
    integrations: Array.from({ length: 10 }, () => ({ type: 'WEBHOOK', url, name })),
    headers: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`X-${index}`, 'v'])),
  });
  assertOk(answer);
  assert.equal(answer.body.label, name);
});

// 400

test('400: each required property, by name, and null is none of them', async () => {
  for (const name of ['url', 'verb', 'interval', 'timezone']) {
    await refused({ [name]: undefined }, new RegExp(`^${name} is required\\.$`));
    await refused({ [name]: null }, new RegExp(`^${name} must be `));
  }
});

test('400: null for an optional property too', async () => {
  for (const name of ['status', 'headers', 'data', 'integrations', 'label', 'policy']) {
    await refused({ [name]: null }, new RegExp(`^${name} must be `));
  }
});

test('400: a property that is not known is named, at the top and inside', async () => {
  await refused({ deletedAt: 1 }, /"deletedAt"/);
  await refused({ policy: { retries: 1 } }, /"retries" in policy/);
  const integration = { type: 'WEBHOOK', url: 'https://example.com' };
  await refused(
    { integrations: [integration, { ...integration, secret: 1 }] },
    /"secret" in integrations\[1\]/,
  );
  await refused(JSON.parse('{"__proto__": {"status": "deleted"}}'), /"__proto__"/);
  await refused({ constructor: { prototype: {} } }, /"constructor"/);
});

test('400: of an unknown name little is repeated, and nothing that garbles a log', async () => {
  const { body } = await post({ ...valid, [`\n\u001b[31m\u202e${'x'.repeat(10_000)}`]: 1 });
  assert.ok(body.error.length < 120, body.error);
  assert.doesNotMatch(body.error, /\p{C}/u);
});

test('400: no type is turned into another', async () => {
  await refused({ label: 1 }, /^label must be a string/);
  await refused({ url: ['https://example.com'] }, /^url must be a string/);
  await refused({ verb: ['GET'] }, /^verb must be a string/);
  await refused({ data: { a: 1 } }, /^data\.a must be a string/);
  await refused({ data: { a: { b: 'c' } } }, /^data\.a must be a string/);
  await refused({ data: [] }, /^data must be an object/);
  await refused({ headers: { 'X-A': true } }, /^headers\.X-A must be a string/);
  await refused({ headers: { 'a\nb': 1 } }, /^headers\[".*"\] must be a string/);
  await refused({ integrations: {} }, /^integrations must be an array/);
  await refused({ integrations: ['x'] }, /^integrations\[0\] must be an object/);
  await refused({ policy: { maxRetries: '1' } }, /^policy\.maxRetries must be an integer/);
  await refused({ policy: { maxRetries: 1.5 } }, /^policy\.maxRetries must be an integer/);
  await refused({ policy: [] }, /^policy must be an object/);
  const url = 'https://example.com';
  await refused(
    { integrations: [{ type: 'WEBHOOK', url, callOnSuccess: 'true' }] },
    /true or false/,
  );
  await refused({ integrations: [{ type: 'WEBHOOK', url, id: 1 }] }, /\.id must be a string/);
});

test('400: a verb or type that is not exactly one of those there are', async () => {
  for (const verb of ['get', 'GET ', 'TRACE', 'CONNECT', '', 'GET,POST', '*']) {
    await refused(
      { verb },
      /^verb must be GET, POST, PUT, PATCH, DELETE, OPTIONS or HEAD(?:; the text that was sent ends with a space)?\.$/,
    );
  }
  const url = 'https://example.com';
  await refused(
    { integrations: [{ type: 'webhook', url }] },
    /^integrations\[0\]\.type must be WEB/,
  );
  await refused({ integrations: [{ url }] }, /^integrations\[0\]\.type is required/);
  await refused({ integrations: [{ type: 'WEBHOOK' }] }, /^integrations\[0\]\.url is required/);
});

test('400: a status other than enabled and disabled; for deleted it points to DELETE', async () => {
  await refused({ status: 'deleted' }, /^status .* DELETE/);
  await refused({ status: 'Enabled' }, /^status must be enabled or disabled/);
});

test('400: beyond the limits', async () => {
  const url = `https://example.com/${'a'.repeat(2_049 - 'https://example.com/'.length)}`;
  await refused({ url }, /^url .*2.?048 characters/);
  await refused({ label: 'x'.repeat(501) }, /^label must have at most 500 characters/);
  const integration = { type: 'WEBHOOK', url: 'https://example.com' };
  await refused({ integrations: [{ ...integration, name: 'x'.repeat(501) }] }, /\[0\]\.name .*500/);
  await refused({ integrations: [{ ...integration, url }] }, /\[0\]\.url .*2.?048/);
  await refused({ integrations: Array(11).fill(integration) }, /^integrations .* at most 10 items/);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`X-${index}`, 'v']));
  await refused({ headers: many }, /^headers/);
  await refused({ headers: { 'X-A': 'x'.repeat(16_384) } }, /^headers/);
  await refused({ data: { a: 'x'.repeat(131_072) } }, /^data .*128 KiB/);
  await refused({ policy: { timeoutSeconds: 0 } }, /^policy\.timeoutSeconds must be at least 1/);
  await refused({ policy: { timeoutSeconds: 1_801 } }, /at most 1800/);
  await refused({ policy: { maxRetries: -1 } }, /^policy\.maxRetries must be at least 0/);
  await refused({ policy: { maxRetries: 11 } }, /at most 10/);
  await refused({ policy: { catchUpSeconds: 31_536_001 } }, /at most 31536000/);
});

test('400: what the domain refuses, with its sentence', async () => {
  await refused({ interval: '0 0 31 2 *' }, /never occurs/);
  await refused({ interval: 'x'.repeat(100_000) }, /interval/);
  await refused({ timezone: 'europe/berlin' }, /timezone/);
  await refused({ url: 'http://169.254.169.254/' }, /^url: .*metadata|never/);
  await refused({ url: 'https://u:p@example.com/' }, /Authorization/);
  await refused({ headers: { Host: 'x' } }, /"Host"/);
  await refused({ headers: { 'X-A': 'a\r\nb' } }, /"X-A"/);
});

test('400: nothing is stored of what was refused', async () => {
  const { items } = (await service.call('GET', '/v1/schedule?limit=100')).body;
  const { length } = items;
  await refused({ integrations: [{ type: 'WEBHOOK', url: 'http://127.0.0.1/' }] }, /integrations/);
  assert.equal((await service.call('GET', '/v1/schedule?limit=100')).body.items.length, length);
});

// 401

test('401: without a key, before anything is said about the body', async () => {
  const answer = await service.call('POST', '/v1/schedule', {
    body: '{',
    headers: { ApiKey: null },
  });
  assertError(answer, 401);
});
