import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { emptyFolder, urlOf } from '../support/service/command.ts';
import { slowNames, whyNoSlowNames } from '../support/service/slow-names.ts';

const KEY = { PUNCTUAL_CLIENT_ID: 'ada', PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace' };
const ADA = { ClientId: 'ada', ApiKey: KEY.PUNCTUAL_API_KEY };
/** Longer than the whole test. */
const SECONDS = 45;
const why = whyNoSlowNames();

test('slow names of one client hold up neither the firings of another nor the end', {
  skip: why ?? false,
}, async context => {
  // Each firing has a connection, and so a lookup, of its own.
  const server = createServer((_request, response) => {
    response.setHeader('Connection', 'close').end('ok');
    server.emit('arrival');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => server.close());
  const folder = emptyFolder(context);
  const environment = {
    ...KEY,
    ...slowNames(folder.path, SECONDS),
    PUNCTUAL_ALLOW_TARGETS: 'localhost',
    PUNCTUAL_STOP_SECONDS: '1',
  };
  const service = await folder.start(['serve'], /"url":"/, environment);
  const base = urlOf(service.out());
  const made = await folder.run(['client', 'create', '--name', 'B', '--json']);
  const { clientId, apiKey } = JSON.parse(made.out);
  const create = async (headers: Record<string, string>, urls: string[]) => {
    const items = urls.map(url => ({ url, verb: 'GET', interval: '* * * * * *', timezone: 'UTC' }));
    const response = await fetch(`${base}/v1/schedule/batch`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ items }),
    });
    assert.equal(response.status, 200);
  };
  await create(
    ADA,
    Array.from({ length: 300 }, (_, n) => `http://${n}.slow.test/`),
  );
  // Until the first of them have begun.
  await new Promise(done => setTimeout(done, 2_000));
  const { port } = server.address() as AddressInfo;
  await create({ ClientId: clientId, ApiKey: apiKey }, [`http://localhost:${port}/`]);
  for (let arrivals = 0; arrivals < 5; arrivals += 1) await once(server, 'arrival');
  const answer = await fetch(`${base}/v1/run?status=failed`, {
    headers: { ClientId: clientId, ApiKey: apiKey },
  });
  assert.deepEqual(((await answer.json()) as { items: unknown[] }).items, []);
  await service.stop();
  assert.equal(service.child.signalCode, 'SIGTERM');
  assert.match(service.out(), /"stopped"/);
});
