import assert from 'node:assert/strict';
import { createServer as createTcpServer } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import type { SendResult, TlsSettings } from '../../src/outbound/send.ts';
import { createSenderPool } from '../../src/outbound/sender-pool.ts';
import { tlsSettingsOf } from '../../src/outbound/tls-settings.ts';
import { authority, type KeyPair, signedBy } from '../support/outbound/certificates.ts';
import { get, leftOpen, names, sender } from '../support/outbound/target-server.ts';
import { serveTls } from '../support/outbound/tls-target.ts';

/** TLS settings of a request: its own authorities, and a client certificate, on real sockets. */

after(async () => assert.deepEqual(await leftOpen(), []));

const resolve = names({ localhost: ['127.0.0.1'] });
const made: Record<string, KeyPair> = {};
let trusted: TlsSettings;
let ada: TlsSettings;
let bob: TlsSettings;

before(async () => {
  made.ours = await authority('Ours');
  made.theirs = await authority('Theirs');
  made.server = await signedBy(made.ours, 'server');
  made.expired = await signedBy(made.ours, 'server', -1);
  made.ada = await signedBy(made.ours, 'ada');
  made.bob = await signedBy(made.ours, 'bob');
  const ca = made.ours.certificate;
  trusted = tlsSettingsOf({ ca })!;
  ada = tlsSettingsOf({ ca, ...made.ada })!;
  bob = tlsSettingsOf({ ca, ...made.bob })!;
});

test('a server of an own authority is trusted by requests that name it, and by no others', async t => {
  const target = await serveTls(t, made.server!);
  const { send } = sender(t, { resolve });
  const first = await send(get(target.url, { common: { tls: trusted } }));
  assert.equal(first.responseStatus, 200);
  const plain = await send(get(target.url));
  assert.equal(plain.outcome, 'connectionError');
  assert.match(plain.error!, /^The certificate of localhost:\d+ is not signed by a trusted/);
  const again = await send(get(target.url, { common: { tls: trusted } }));
  assert.equal(again.responseStatus, 200);
  assert.equal(target.callers.length, 2);
});

test('an own authority stands in the place of all others', async t => {
  const target = await serveTls(t, made.server!);
  const tls = tlsSettingsOf({ ca: made.theirs!.certificate })!;
  const { outcome, error } = await sender(t, { resolve }).send(
    get(target.url, { common: { tls } }),
  );
  assert.equal(outcome, 'connectionError');
  assert.match(error!, /^The certificate of localhost:\d+ is not signed by a trusted authority\.$/);
});

test('a certificate of an own authority is judged like any other', async t => {
  const late = await serveTls(t, made.expired!);
  const { send } = sender(t, { resolve: async () => ['127.0.0.1'] });
  const expired = await send(get(late.url, { common: { tls: trusted } }));
  assert.match(expired.error!, /^The certificate of localhost:\d+ has expired\.$/);
  const target = await serveTls(t, made.server!);
  const other = await send(
    get(target.url.replace('localhost', 'other.test'), { common: { tls: trusted } }),
  );
  assert.match(other.error!, /^The certificate of other\.test:\d+ is for another name\.$/);
  assert.deepEqual([...late.callers, ...target.callers], []);
});

for (const threads of [0, 2]) {
  const where = threads === 0 ? 'the main thread' : 'sender threads';
  const senderOf = (t: TestContext) => {
    if (threads === 0) return sender(t, { resolve });
    const pool = createSenderPool({
      allow: parseAllowTargets('127.0.0.0/8, ::1, localhost'),
      ...{ connectionsPerOrigin: 128, maxOrigins: 100, maxLookups: 32, threads },
    });
    t.after(() => pool.close());
    return pool;
  };

  test(`a client certificate is shown, on connections of its own: ${where}`, async t => {
    const ca = made.ours!.certificate;
    const target = await serveTls(t, made.server!, {
      requestCert: true,
      rejectUnauthorized: false,
      ca,
    });
    const { send } = senderOf(t);
    const bodies: (string | undefined)[] = [];
    for (const tls of [ada, bob, trusted, ada, bob, trusted]) {
      bodies.push((await send(get(target.url, { common: { tls } }))).responseBody);
    }
    assert.deepEqual(bodies, ['ada', 'bob', 'nobody', 'ada', 'bob', 'nobody']);
    const owners = new Map<number, Set<string | undefined>>();
    for (const { name, connection } of target.callers) {
      owners.set(connection, (owners.get(connection) ?? new Set()).add(name));
    }
    for (const one of owners.values()) assert.equal(one.size, 1, 'nobody shares a connection');
  });
}

test('the same settings share a connection, whoever has made them', async t => {
  const target = await serveTls(t, made.server!);
  const { send } = sender(t, { resolve });
  await send(get(target.url, { common: { tls: trusted } }));
  await send(get(target.url, { common: { tls: tlsSettingsOf({ ca: made.ours!.certificate }) } }));
  assert.deepEqual(
    target.callers.map(({ connection }) => connection),
    [1, 1],
  );
});

test('a certificate that the server does not accept is a connectionError', async t => {
  const ca = made.ours!.certificate;
  const target = await serveTls(t, made.server!, { requestCert: true, ca });
  const { send } = sender(t, { resolve });
  const stranger = await signedBy(made.theirs!, 'stranger');
  for (const tls of [trusted, tlsSettingsOf({ ca, ...stranger })!]) {
    const { outcome, error } = await send(get(target.url, { common: { tls } }));
    assert.equal(outcome, 'connectionError');
    assert.match(error!, /^localhost:\d+ /);
  }
  assert.equal((await send(get(target.url, { common: { tls: ada } }))).responseBody, 'ada');
  assert.deepEqual(
    target.callers.map(({ name }) => name),
    ['ada'],
  );
});

/** The alerts of RFC 8446, 6.2, as they come in the place of a ServerHello. */
const ALERTS: [number, RegExp][] = [
  [42, /refused the client certificate\.$/],
  [43, /refused the client certificate\.$/],
  [44, /refused the client certificate: it has been revoked\.$/],
  [45, /refused the client certificate: it has expired\.$/],
  [46, /refused the client certificate\.$/],
  [48, /refused the client certificate: its authority is not known there\.$/],
  [49, /refused the client certificate\.$/],
  [116, /asked for a client certificate, and there is none\.$/],
  [40, /^The TLS handshake with localhost:\d+ failed \(ERR_SSL_/],
];

test('the alert of a server says what is wrong with the client certificate', async t => {
  for (const [alert, sentence] of ALERTS) {
    const { outcome, error } = await alerted(t, alert);
    assert.equal(outcome, 'connectionError');
    assert.match(error!, sentence);
  }
});

async function alerted(t: TestContext, alert: number): Promise<SendResult> {
  const server = createTcpServer(socket => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, alert])));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.after(() => new Promise(done => server.close(done)));
  const { port } = server.address() as { port: number };
  return sender(t, { resolve }).send(get(`https://localhost:${port}/`, { common: { tls: ada } }));
}

test('settings that cannot be read are a connectionError, and nothing is dialled', async t => {
  const target = await serveTls(t, made.server!);
  const { send } = sender(t, { resolve });
  for (const tls of [
    tlsSettingsOf({ certificate: 'x', key: made.ada!.key }),
    tlsSettingsOf({ certificate: made.ada!.certificate, key: made.bob!.key }),
  ]) {
    const { outcome, error } = await send(get(target.url, { common: { tls } }));
    assert.deepEqual(
      [outcome, error],
      ['connectionError', 'The certificate, key or ca of the destination cannot be read.'],
    );
  }
  assert.deepEqual(target.callers, []);
});

test('settings without a certificate and an authority are none', () => {
  assert.equal(tlsSettingsOf({}), undefined);
  assert.notEqual(ada.identity, bob.identity);
  assert.notEqual(ada.identity, trusted.identity);
});
