import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { emptyFolder, type Folder, folderWithStore, urlOf } from '../support/service/command.ts';

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
