import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ManualClock } from '../clock.ts';
import { assertError } from './expect.ts';
import { newClient, startService } from './service.ts';

const clock = new ManualClock(Date.now());
const service = await startService({ clock, limits: { callerCacheMs: 1 } });
after(() => service.close());

const NO_KEY = { ClientId: null, ApiKey: null };
async function signIn(headers: Record<string, string> = {}, as = service.mine) {
  const {
    status,
    body,
    headers: answered,
  } = await service.call('POST', '/v1/session', { headers, as });
  assert.equal(status, 200);
  const set = answered.get('set-cookie')!;
  return { body, set, cookie: set.split(';')[0]! };
}
const inSession = (cookie: string, method = 'GET', path = '/v1/schedule', more = {}) =>
  service.call(method, path, {
    headers: { ...NO_KEY, Cookie: cookie, 'Punctual-Session': 'yes', ...more },
  });

test('a session stands for the key it was begun with', async () => {
  const { cookie, body } = await signIn();
  const { clientId, keyId } = service.mine;
  assert.deepEqual(body, { clientId, clientName: 'mine', keyId });
  assert.deepEqual((await inSession(cookie, 'GET', '/v1/session')).body, body);
  assert.equal((await inSession(cookie)).status, 200);
});

test('scripts cannot read the cookie and other sites cannot send it; behind TLS it is Secure', async () => {
  const { set } = await signIn();
  assert.match(set, /HttpOnly/i);
  assert.match(set, /SameSite=Strict/i);
  assert.match(set, /Path=\//i);
  assert.doesNotMatch(set, /Secure/i);
  assert.match((await signIn({ 'X-Forwarded-Proto': 'https' })).set, /Secure/i);
});

test('CSRF: the cookie alone counts for nothing', async () => {
  const { cookie } = await signIn();
  const headers = { ...NO_KEY, Cookie: cookie };
  assertError(await service.call('GET', '/v1/schedule', { headers }), 401);
  assertError(await service.call('POST', '/v1/session', { headers }), 401);
});

test('where there is a key, only the key counts', async () => {
  const { cookie } = await signIn();
  const answer = await inSession(cookie, 'GET', '/v1/schedule', { ApiKey: 'wrong', ClientId: 'x' });
  assertError(answer, 401);
  assertError(await inSession(cookie, 'GET', '/v1/schedule', { ApiKey: 'wrong' }), 401);
});

test('it ends when it is ended, at once', async () => {
  const { cookie } = await signIn();
  const ended = await inSession(cookie, 'DELETE', '/v1/session');
  assert.deepEqual(ended.body, { success: true });
  assert.match(ended.headers.get('set-cookie')!, /^punctual_session=;.*Max-Age=0/i);
  assertError(await inSession(cookie), 401);
});

test('it ends with its key', async () => {
  const client = await newClient(service.store, 'leaving');
  const { cookie } = await signIn({}, client);
  assert.equal((await inSession(cookie)).status, 200);
  await service.store.clients.revokeKey(client.keyId, clock.now());
  await new Promise(resolve => setTimeout(resolve, 5));
  assertError(await inSession(cookie), 401);
});

test('it ends after seven days', async () => {
  const { cookie } = await signIn();
  await clock.jump(clock.now() + 7 * 86_400_000 + 1);
  await new Promise(resolve => setTimeout(resolve, 5));
  assertError(await inSession(cookie), 401);
});

test('a cookie that is none is no session', async () => {
  for (const cookie of ['', 'punctual_session=', 'punctual_session=x', '%%%', ';;=;']) {
    assertError(await inSession(cookie), 401);
  }
});

test('keys are made with a name, shown once, listed and revoked, by their own client only', async () => {
  const made = await service.call('POST', '/v1/key', { body: { name: 'CI ☂' } });
  assert.equal(made.status, 200);
  const { apiKey, ...shown } = made.body;
  const { items } = (await service.call('GET', '/v1/key')).body;
  assert.deepEqual(items.at(-1), shown);
  assert.doesNotMatch(JSON.stringify(items), /apiKey|hash/);
  const as = { ...service.mine, apiKey };
  assert.equal((await service.call('GET', '/v1/schedule', { as })).status, 200);
  const path = `/v1/key/${shown.id}`;
  assertError(await service.call('DELETE', path, { as: service.theirs }), 404, /no key/);
  assert.ok((await service.call('DELETE', path)).body.revokedAt);
  await new Promise(resolve => setTimeout(resolve, 5));
  assertError(await service.call('GET', '/v1/schedule', { as }), 401);
  assertError(await service.call('POST', '/v1/key', { body: { name: '' } }), 400, /name/);
  assertError(await service.call('POST', '/v1/key', { body: {} }), 400, /name is required/);
});
