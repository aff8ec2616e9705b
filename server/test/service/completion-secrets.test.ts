import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { destinationService } from '../support/service/destination-service.ts';

/** A target that answers 202, and repeats in its completion all that its request has proved itself with. */

const BEARER = 'bearer-token-0123456789';
const ACCESS_TOKEN = 'granted-access-token-0123456789';
const OWN_KEY = 'key-of-the-schedule-0123456789';

async function listening(t: TestContext, server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('no secret of the request is kept of a completion', async t => {
  const service = await destinationService(t, {
    PUNCTUAL_URL: 'https://punctual.example.com',
    PUNCTUAL_LOG_LEVEL: 'trace',
  });
  const tokens: string[] = [];
  const callbacks: string[] = [];
  const target = createServer((request, response) => {
    const { authorization, 'x-api-key': key } = request.headers;
    const { pathname } = new URL(request.headers['punctual-completion-url'] as string);
    const token = pathname.split('/').at(-1)!;
    tokens.push(token);
    response.writeHead(202).end();
    const message = `${authorization} ${key} ${token}`;
    const body = JSON.stringify({ status: 'failed', message });
    void fetch(service.url + pathname, { method: 'POST', body });
  });
  const url = await listening(t, target);
  const tokenUrl = await listening(
    t,
    createServer((_request, response) =>
      response.end(JSON.stringify({ access_token: ACCESS_TOKEN, expires_in: 3_600 })),
    ),
  );
  const hook = await listening(
    t,
    createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      callbacks.push(body);
      response.end();
    }),
  );
  const auths = [
    { type: 'bearer', token: BEARER },
    { type: 'oauth2', tokenUrl, clientId: 'ada', clientSecret: 'the secret of the client' },
  ];
  for (const [index, auth] of auths.entries()) {
    const name = `target-${index}`;
    await service.put(name, { hosts: ['127.0.0.1'], allowHttp: true, auth });
    const id = await service.schedule({
      ...{ url, destination: name, headers: { 'X-Api-Key': OWN_KEY } },
      integrations: [{ type: 'WEBHOOK', url: hook }],
      policy: { completion: { deadlineSeconds: 600 } },
    });
    const { status, attempts } = await service.run(id);
    assert.equal(status, 'failed');
    assert.equal(
      attempts[0]!.error,
      'The target said later that it failed: Bearer [secret] [secret] [secret]',
    );
  }
  while (callbacks.length < auths.length) await new Promise(setImmediate);
  const secrets = [...tokens, BEARER, ACCESS_TOKEN];
  for (const secret of secrets) {
    assert.ok(!callbacks.join().includes(secret));
    assert.ok(!(service.running.out() + service.running.err()).includes(secret));
  }
  assert.equal(await service.running.stop(), 0);
  const files = readdirSync(service.folder.path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  assert.ok(files.some(file => file.endsWith('punctual.db')));
  for (const file of files) {
    const bytes = readFileSync(file);
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `${file} has ${secret}`);
  }
});
