import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../src/domain/id.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { emptyFolder, type Folder, folderWithStore, urlOf } from '../support/service/command.ts';
import { startPostgres } from '../support/store/postgres-server.ts';

const key = () => randomBytes(32).toString('base64');
const LISTENING = /"listening"/;

async function newClient(folder: Folder, environment = {}) {
  const { out } = await folder.run(['client', 'create', '--name', 'a', '--json'], environment);
  return JSON.parse(out) as { clientId: string; apiKey: string; signingSecret: string };
}

/** Whether the secret stands in any file of the folder, as text or as the bytes that it encodes. */
function isInFiles(folder: string, secret: string): boolean {
  const forms = [secret, secret.slice('whsec_'.length)].map(form => Buffer.from(form));
  forms.push(Buffer.from(secret.slice('whsec_'.length), 'base64'));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
    .some(bytes => forms.some(form => bytes.includes(form)));
}

/** Writes to the store as nothing does that has a secret key. */
async function withStore(folder: Folder, write: (store: Store) => Promise<void>): Promise<void> {
  const store = openSqlite(join(folder.path, 'data/punctual.db'));
  await write(store);
  await store.close();
}

/** Runs a schedule by hand, and checks the signature as a receiver does. */
async function assertSigned(
  t: TestContext,
  url: string,
  client: Awaited<ReturnType<typeof newClient>>,
) {
  const target = createServer().listen(0, '127.0.0.1');
  t.after(() => target.close());
  await once(target, 'listening');
  const call = (path: string, body: object) =>
    fetch(`${url}/v1/schedule${path}`, {
      method: 'POST',
      headers: {
        ClientId: client.clientId,
        ApiKey: client.apiKey,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const made = await call('', {
    url: `http://127.0.0.1:${(target.address() as AddressInfo).port}`,
    verb: 'POST',
    interval: '0 0 1 1 *',
    timezone: 'UTC',
    data: { hello: 'world' },
  });
  const { id } = (await made.json()) as { id: string };
  const arrived = once(target, 'request');
  await call(`/${id}/trigger`, {});
  const [request, response] = await arrived;
  const body = await text(request as IncomingMessage);
  response.end();
  new Webhook(client.signingSecret).verify(body, (request as IncomingMessage).headers as never);
}

describe('punctual encrypt', () => {
  test('encrypts what is plain, beside a running service that goes on signing', async t => {
    const folder = await folderWithStore(t);
    const client = await newClient(folder);
    assert.ok(isInFiles(folder.path, client.signingSecret), 'it is plain at first');
    const environment = { PUNCTUAL_SECRET_KEY: key(), PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };
    const service = await folder.start(['serve'], LISTENING, environment);
    const { code, out } = await folder.run(['encrypt', '--json'], environment);
    assert.deepEqual([code, JSON.parse(out)], [0, { encrypted: 1, rewrapped: 0 }]);
    await assertSigned(t, urlOf(service.out()), client);
    assert.equal(await service.stop(), 0);
    const again = await folder.start(['serve'], LISTENING, environment);
    await assertSigned(t, urlOf(again.out()), client);
    const more = await newClient(folder, environment);
    await assertSigned(t, urlOf(again.out()), more);
    await again.stop();
    for (const { signingSecret } of [client, more]) {
      assert.ok(!isInFiles(folder.path, signingSecret));
    }
  });

  test('replaces the secret key under load: nothing is refused, and each firing is authorized and signed', async t => {
    const folder = await folderWithStore(t);
    const [first, second] = [key(), key()];
    const allow = { PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };
    const client = await newClient(folder, { PUNCTUAL_SECRET_KEY: first });
    const token = 'token-of-the-target';
    const wrong: string[] = [];
    let right = 0;
    const target = createServer(async (request, response) => {
      const body = await text(request);
      const isSigned = new Webhook(client.signingSecret).verify(body, request.headers as never);
      if (request.headers.authorization === `Bearer ${token}` && isSigned) right += 1;
      else wrong.push(JSON.stringify(request.headers));
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => target.close());
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    const call = async (base: string, method: string, path: string, body?: object) => {
      const headers = {
        ClientId: client.clientId,
        ApiKey: client.apiKey,
        'Content-Type': 'application/json',
      };
      const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
      if (answer.status !== 200) wrong.push(`${method} ${path}: ${await answer.text()}`);
    };
    const both = { ...allow, PUNCTUAL_SECRET_KEY: `${second},${first}` };
    const service = await folder.start(['serve'], LISTENING, both);
    const base = urlOf(service.out());
    const destination = (auth: object) => ({ hosts: ['127.0.0.1'], allowHttp: true, auth });
    await call(base, 'PUT', '/v1/destination/a', destination({ type: 'bearer', token }));
    const item = {
      ...{ url: `http://127.0.0.1:${port}/`, verb: 'POST', data: { hello: 'world' } },
      ...{ interval: '* * * * * *', timezone: 'UTC', destination: 'a' },
    };
    await call(base, 'POST', '/v1/schedule/batch', { items: Array(20).fill(item) });
    for (let round = 1; round <= 3; round += 1) {
      const encrypting = folder.run(['encrypt', '--new-data-key', '--json'], both);
      for (let writes = 0; writes < 10; writes += 1) {
        await call(base, 'PUT', '/v1/destination/a', destination({ type: 'bearer' }));
        await call(base, 'PUT', '/v1/destination/b', destination({ type: 'bearer', token }));
        await call(base, 'GET', '/v1/destination/a');
      }
      assert.equal((await encrypting).code, 0);
      const before = right;
      while (right < before + 40 && wrong.length === 0) await once(target, 'request');
    }
    assert.equal(await service.stop(), 0);
    const only = { ...allow, PUNCTUAL_SECRET_KEY: second };
    const again = await folder.start(['serve'], LISTENING, only);
    const before = right;
    while (right < before + 40 && wrong.length === 0) await once(target, 'request');
    await again.stop();
    assert.deepEqual(wrong, []);
    assert.ok(!isInFiles(folder.path, `whsec_${Buffer.from(token).toString('base64')}`));
  });

  test('secrets of destinations stay usable where the key is set, and where it is replaced, and no byte of them stays plain', async t => {
    const folder = await folderWithStore(t);
    const client = await newClient(folder);
    const allow = { PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8' };
    const [first, second] = [key(), key()];
    const got: (string | undefined)[] = [];
    const target = createServer((request, response) => {
      got.push(request.headers.authorization);
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => {
      target.closeAllConnections();
      target.close();
    });
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    const tokens = { old: 'token-that-was-plain-once', new: 'token-that-never-was-plain' };
    const config = {
      ...{ hosts: ['127.0.0.1'], allowHttp: true },
      auth: { type: 'bearer' as const },
    };
    await withStore(folder, async store => {
      const { clientId } = client;
      const { clientRowId } = (await store.keys.findCaller(hash('sha256', client.apiKey, 'hex')))!;
      const secrets = JSON.stringify({ token: tokens.old });
      const change = { config, secrets, version: newId(Date.now()) };
      await store.destinations.put({ clientId, clientRowId }, 'old', null, change, Date.now());
    });
    const plain = (token: string) => `whsec_${Buffer.from(token).toString('base64')}`;
    assert.ok(isInFiles(folder.path, plain(tokens.old)), 'it is plain at first');

    const encrypts = async (environment: Record<string, string>, expected: object) => {
      const { code, out, err } = await folder.run(['encrypt', '--json'], environment);
      assert.deepEqual([code, err], [0, '']);
      assert.deepEqual(JSON.parse(out), expected);
    };
    /** Fires once through each destination, as a service with these keys. */
    const fires = async (keys: string, names: (keyof typeof tokens)[]) => {
      const service = await folder.start(['serve'], LISTENING, {
        ...allow,
        PUNCTUAL_SECRET_KEY: keys,
      });
      const call = async (method: string, path: string, body: object) => {
        const headers = {
          ClientId: client.clientId,
          ApiKey: client.apiKey,
          'Content-Type': 'application/json',
        };
        const init = { method, headers, body: JSON.stringify(body) };
        const answer = await fetch(urlOf(service.out()) + path, init);
        assert.equal(answer.status, 200);
        return (await answer.json()) as { id: string };
      };
      const auth = { type: 'bearer', token: tokens.new };
      await call('PUT', '/v1/destination/new', { ...config, auth });
      for (const destination of names) {
        const { id } = await call('POST', '/v1/schedule', {
          ...{ url: `http://127.0.0.1:${port}/`, verb: 'POST', destination },
          ...{ interval: '0 0 1 1 *', timezone: 'UTC' },
        });
        const arrived = once(target, 'request');
        await call('POST', `/v1/schedule/${id}/trigger`, {});
        await arrived;
        assert.equal(got.at(-1), `Bearer ${tokens[destination]}`);
      }
      assert.equal(await service.stop(), 0);
    };

    await encrypts({ PUNCTUAL_SECRET_KEY: first }, { encrypted: 2, rewrapped: 0 });
    await fires(first, ['old', 'new']);
    const both = `${second},${first}`;
    await encrypts({ PUNCTUAL_SECRET_KEY: both }, { encrypted: 0, rewrapped: 1 });
    await fires(second, ['old', 'new']);
    for (const token of Object.values(tokens)) assert.ok(!isInFiles(folder.path, plain(token)));
    assert.ok(!isInFiles(folder.path, client.signingSecret));
    const { code, err } = await folder.run(['client', 'list'], { PUNCTUAL_SECRET_KEY: first });
    assert.equal(code, 1);
    assert.match(err, /PUNCTUAL_SECRET_KEY does not fit/);
  });

  test('refuses to start without the key, and with one that does not fit', async t => {
    const folder = await folderWithStore(t);
    const [first, second] = [key(), key()];
    await newClient(folder, { PUNCTUAL_SECRET_KEY: first });
    for (const [environment, sentence] of [
      [
        {},
        /The store holds encrypted secrets: set PUNCTUAL_SECRET_KEY or PUNCTUAL_SECRET_KEY_FILE\./,
      ],
      [{ PUNCTUAL_SECRET_KEY: second }, /PUNCTUAL_SECRET_KEY does not fit/],
    ] as const) {
      for (const command of [['serve'], ['client', 'list']]) {
        const { code, err } = await folder.run(command, environment);
        assert.equal(code, 1);
        assert.match(err, sentence);
      }
    }
    const both = { PUNCTUAL_SECRET_KEY: `${second},${first}` };
    const { out } = await folder.run(['encrypt', '--new-data-key', '--json'], both);
    assert.deepEqual(JSON.parse(out), { encrypted: 1, rewrapped: 1 });
    assert.equal((await folder.run(['client', 'list'], { PUNCTUAL_SECRET_KEY: second })).code, 0);
  });

  test('refuses beside a node of an older release, which would sign with the encrypted text', async t => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const DATABASE_URL = await server.createDatabase();
    const folder = emptyFolder(t);
    const environment = { DATABASE_URL, PUNCTUAL_SECRET_KEY: key() };
    assert.equal((await folder.run(['migrate'], { DATABASE_URL })).code, 0);
    const older = new Client({ connectionString: DATABASE_URL, application_name: 'punctual' });
    await older.connect();
    const refused = await folder.run(['encrypt'], environment);
    await older.query("SET application_name TO 'punctual level 2'");
    const done = await folder.run(['encrypt'], environment);
    await older.end();
    assert.deepEqual([refused.code, done.code], [1, 0]);
    assert.match(
      refused.err,
      /A Punctual of an older release is connected to the database, .*\.$/m,
    );
  });

  test('says what to set where no key is set', async t => {
    const { code, err } = await emptyFolder(t).run(['encrypt']);
    assert.equal(code, 1);
    assert.match(err, /Set PUNCTUAL_SECRET_KEY or PUNCTUAL_SECRET_KEY_FILE to encrypt with\./);
  });

  test('a key file that is not there is named', async t => {
    const { code, err } = await emptyFolder(t).run(['client', 'list'], {
      PUNCTUAL_SECRET_KEY_FILE: './nowhere.key',
    });
    assert.equal(code, 1);
    assert.match(err, /The secret key cannot be read from \.\/nowhere\.key\./);
  });
});

test('punctual dev makes a key of its own, which the command line finds beside the database', async t => {
  const folder = emptyFolder(t);
  const dev = await folder.start(['dev', '--json'], /\}/);
  const { mode, size } = statSync(join(folder.path, 'data/secret.key'));
  assert.deepEqual([mode & 0o777, size], [0o600, 45]);
  const client = await newClient(folder);
  await assertSigned(t, (JSON.parse(dev.out()) as { url: string }).url, client);
  assert.ok(!isInFiles(folder.path, client.signingSecret));
  await dev.stop();
});
