import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertError } from '../support/api/expect.ts';
import { type Credentials, newClient, revoke, startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

const clock = new ManualClock(Date.now());
const service = await startService({ clock, limits: { callerCacheMs: 1 } });
after(() => service.close());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
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
  assert.match(set, /^punctual_session=.*Max-Age=43200;/i);
  assert.doesNotMatch(set, /Secure/i);
});

test('behind TLS the cookie is Secure and no other host can set it, whoever tells of TLS', async () => {
  for (const headers of [
    { 'X-Forwarded-Proto': 'https' },
    { 'X-Forwarded-Proto': 'https, http' },
    { Origin: 'https://punctual.example' },
  ]) {
    const { set, cookie } = await signIn(headers);
    assert.match(set, /^__Host-punctual_session=[^;]+;.*Path=\/;.*Secure/i);
    assert.doesNotMatch(set, /Domain/i);
    assert.equal((await inSession(cookie)).status, 200);
    const ended = await inSession(cookie, 'DELETE', '/v1/session', headers);
    assert.match(ended.headers.get('set-cookie')!, /^__Host-punctual_session=;.*Max-Age=0/i);
    assertError(await inSession(cookie), 401);
  }
});

test('behind TLS a cookie of the other name, which another host could set, counts for nothing', async () => {
  const { cookie } = await signIn();
  const [mine, theirs] = [
    await signIn({ 'X-Forwarded-Proto': 'https' }),
    await signIn({}, service.theirs),
  ];
  const behind = { 'X-Forwarded-Proto': 'https' };
  assertError(await inSession(cookie, 'GET', '/v1/schedule', behind), 401);
  const both = await inSession(`${theirs.cookie}; ${mine.cookie}`, 'GET', '/v1/session');
  assert.equal(both.body.clientId, service.mine.clientId);
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
  await revoke(service.store, client);
  await clock.advance(5);
  assertError(await inSession(cookie), 401);
});

test('it ends after twelve hours, however much it is used', async () => {
  const { cookie } = await signIn();
  const begun = clock.now();
  for (let minutes = 29; minutes < 12 * 60; minutes += 29) {
    await clock.jump(begun + minutes * MINUTE);
    assert.equal((await inSession(cookie)).status, 200, `${minutes} minutes`);
  }
  await clock.jump(begun + 12 * HOUR - 1);
  assert.equal((await inSession(cookie)).status, 200);
  await clock.jump(begun + 12 * HOUR);
  assertError(await inSession(cookie), 401);
});

test('it ends thirty minutes after its last use; what a page asks by itself is none', async () => {
  const { cookie } = await signIn();
  const begun = clock.now();
  const background = { 'Punctual-Session': 'background' };
  await clock.jump(begun + 20 * MINUTE);
  assert.equal((await inSession(cookie)).status, 200);
  for (const minutes of [30, 40, 49]) {
    await clock.jump(begun + minutes * MINUTE);
    const answer = await inSession(cookie, 'GET', '/v1/schedule', background);
    assert.equal(answer.status, 200, `${minutes} minutes`);
  }
  await clock.jump(begun + 50 * MINUTE);
  assertError(await inSession(cookie), 401);
});

test('a use is written at most once a minute', async context => {
  const { cookie } = await signIn();
  const begun = clock.now();
  const { sessions } = service.store;
  const note = context.mock.method(sessions, 'noteSessionUse');
  for (const seconds of [1, 30, 59, 60, 90, 119, 121]) {
    await clock.jump(begun + seconds * 1_000);
    await inSession(cookie);
  }
  assert.deepEqual(
    note.mock.calls.map(call => call.arguments[1] - begun),
    [60_000, 121_000],
  );
});

test('a use is noted also while the session is remembered, as beside an open stream of events', async context => {
  const own = new ManualClock(clock.now());
  const slow = await startService({
    store: service.store,
    clock: own,
    limits: { callerCacheMs: 600_000 },
  });
  context.after(() => slow.app.close());
  const { cookie } = await signIn();
  const headers = { ...NO_KEY, Cookie: cookie, 'Punctual-Session': 'yes' };
  const note = context.mock.method(service.store.sessions, 'noteSessionUse');
  for (let minutes = 0; minutes <= 60; minutes += 20) {
    await own.jump(clock.now() + minutes * MINUTE);
    assert.equal((await slow.call('GET', '/v1/schedule', { headers })).status, 200);
  }
  assert.equal(note.mock.callCount(), 3);
});

test('a store that takes no writes ends no session', async context => {
  const { cookie } = await signIn();
  await clock.jump(clock.now() + 2 * MINUTE);
  const note = context.mock.method(service.store.sessions, 'noteSessionUse', async () => {
    throw new Error('the disk is full');
  });
  assert.equal((await inSession(cookie)).status, 200);
  assert.equal(note.mock.callCount(), 1);
});

test('a session begins no other one, and the key that it makes is one of its key', async () => {
  const { cookie } = await signIn();
  const refused = await inSession(cookie, 'POST', '/v1/session');
  assertError(refused, 401, /ClientId and ApiKey/);
  assert.equal(refused.headers.get('set-cookie'), null);
  const headers = { ...NO_KEY, Cookie: cookie, 'Punctual-Session': 'yes' };
  const made = await service.call('POST', '/v1/key', { headers, body: { name: 'CI' } });
  assert.equal(made.body.createdBy, service.mine.keyId);
});

test('sessions are listed and ended, one or all, by their own client only', async () => {
  const client = await newClient(service.store, 'listed');
  const other = await signIn({}, service.theirs);
  const [first, second] = [await signIn({}, client), await signIn({}, client)];
  const list = async () => (await inSession(first.cookie, 'GET', '/v1/session/list')).body.items;
  const [newest, oldest] = await list();
  const span = Date.parse(oldest.expiresAt) - Date.parse(oldest.createdAt);
  assert.deepEqual(
    [oldest.keyId, oldest.lastUsedAt, span],
    [client.keyId, oldest.createdAt, 12 * HOUR],
  );
  assert.deepEqual([newest.isCurrent, oldest.isCurrent], [false, true]);
  assert.doesNotMatch(JSON.stringify(newest), /hash|token/);

  const path = `/v1/session/${newest.id}`;
  assertError(await service.call('DELETE', path, { as: service.theirs }), 404, /no session/);
  assert.deepEqual((await service.call('DELETE', path, { as: client })).body, { success: true });
  assertError(await inSession(second.cookie), 401);
  assertError(await service.call('DELETE', path, { as: client }), 404, /no session/);
  assert.equal((await list()).length, 1);

  const third = await signIn({}, client);
  await inSession(third.cookie, 'DELETE', '/v1/session?all=true');
  for (const { cookie } of [first, third]) assertError(await inSession(cookie), 401);
  assert.equal((await inSession(other.cookie)).status, 200);
});

test('with the key itself the own session is none: only all are ended', async () => {
  const { cookie } = await signIn();
  const headers = { Cookie: cookie, 'Punctual-Session': 'yes' };
  await service.call('DELETE', '/v1/session', { headers });
  assert.equal((await inSession(cookie)).status, 200);
  await service.call('DELETE', '/v1/session?all=true');
  assertError(await inSession(cookie), 401);
});

test('a clock that was in 2030 for a moment makes no session immortal, and its looks end none', async () => {
  const right = clock.now();
  const before = await signIn();
  await clock.jump(Date.UTC(2030, 0));
  assertError(await inSession(before.cookie), 401);
  await clock.jump(right + 5_000);
  assert.equal((await inSession(before.cookie)).status, 200);

  await clock.jump(Date.UTC(2030, 0));
  const ahead = await signIn();
  assert.equal((await inSession(ahead.cookie)).status, 200);
  await clock.jump(right + 10_000);
  assertError(await inSession(ahead.cookie), 401);
  await clock.jump(Date.UTC(2030, 0) - 2 * MINUTE);
  assertError(await inSession(ahead.cookie), 401);
  await clock.jump(right + 10_000);
});

test('a clock that was in 2020 for a moment ends no session for ever', async () => {
  const right = clock.now();
  const { cookie } = await signIn();
  await clock.jump(Date.UTC(2020, 0));
  assertError(await inSession(cookie), 401);
  await signIn({}, service.theirs);
  await clock.jump(right + MINUTE);
  assert.equal((await inSession(cookie)).status, 200);
});

test('a clock that was ahead by minutes is forgotten with the next use', async () => {
  const { cookie } = await signIn();
  const begun = clock.now();
  await clock.jump(begun + 20 * MINUTE);
  assert.equal((await inSession(cookie)).status, 200);
  await clock.jump(begun + MINUTE);
  assert.equal((await inSession(cookie)).status, 200);
  await clock.jump(begun + 31 * MINUTE);
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
  await clock.advance(5);
  assertError(await service.call('GET', '/v1/schedule', { as }), 401);
  assertError(await service.call('POST', '/v1/key', { body: { name: '' } }), 400, /name/);
  assertError(await service.call('POST', '/v1/key', { body: {} }), 400, /name is required/);
});

test('with its descendants a key takes along what it made, and what these made, and their sessions', async () => {
  const client = await newClient(service.store, 'family');
  const make = async (as: Credentials): Promise<Credentials> => {
    const { body } = await service.call('POST', '/v1/key', { as, body: { name: 'made' } });
    assert.equal(body.createdBy, as.keyId);
    return { ...client, keyId: body.id, apiKey: body.apiKey };
  };
  const leaked = await make(client);
  const child = await make(leaked);
  const grandchild = await make(child);
  const { cookie } = await signIn({}, grandchild);
  const path = `/v1/key/${leaked.keyId}?descendants=true`;
  assertError(await service.call('DELETE', path, { as: service.theirs }), 404, /no key/);
  assertError(await service.call('DELETE', `${path.slice(0, -4)}yes`, { as: client }), 400);
  const { body } = await service.call('DELETE', path, { as: client });
  assert.ok(body.revokedAt);
  assert.deepEqual(body.descendants, [child.keyId, grandchild.keyId]);
  await clock.advance(5);
  for (const as of [leaked, child, grandchild]) {
    assertError(await service.call('GET', '/v1/schedule', { as }), 401);
  }
  assertError(await inSession(cookie), 401);
  assert.equal((await service.call('GET', '/v1/schedule', { as: client })).status, 200);
});

test('a key that was revoked a moment ago, and is still remembered, makes neither key nor session', async context => {
  const slow = await startService({ store: service.store, limits: { callerCacheMs: 60_000 } });
  context.after(() => slow.app.close());
  const client = await newClient(service.store, 'quick');
  const call = (path: string) =>
    slow.call('POST', path, { as: client, body: path === '/v1/key' ? { name: 'x' } : undefined });
  assert.equal((await call('/v1/session')).status, 200);
  await revoke(service.store, client);
  assert.equal((await slow.call('GET', '/v1/schedule', { as: client })).status, 200);
  assertError(await call('/v1/key'), 401);
  assertError(await call('/v1/session'), 401);
});
