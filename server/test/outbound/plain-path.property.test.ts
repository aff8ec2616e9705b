import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { createSender } from '../../src/outbound/sender.ts';
import { SENDER_SETTINGS } from '../support/outbound/target-server.ts';

const server = createServer((request, response) => response.end(request.url));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const sender = createSender({ allow: parseAllowTargets('127.0.0.0/8'), ...SENDER_SETTINGS });
after(async () => {
  await sender.close();
  server.close();
});

test('every path and query is asked for as the WHATWG parser reads it, known origin or not', async () => {
  const piece = fc.constantFrom(
    ...['/', '.', '..', '/.', '/..', '%2e', '%2E', '?', '#', 'a', 'B9', '%20', "'", '"', '<', '`'],
    ...['{', '|', '^', 'ä', '~', '!', '$', '&', '(', '*', '+', ',', ';', '=', ':', '@', '_', '-'],
    ...['//', '[', '😀', '%', '%zz'],
  );
  const tail = fc.array(piece, { maxLength: 12 }).map(pieces => `/${pieces.join('')}`);
  await fc.assert(
    fc.asyncProperty(tail, async path => {
      const url = base + path;
      // With its question mark, also where nothing is behind it.
      const [address] = new URL(url).href.split('#', 1);
      const request = { method: 'GET', url, headers: [], body: null, timeoutMs: 5_000 };
      const { outcome, responseBody } = await sender.send(request);
      assert.equal(outcome, 'response');
      assert.equal(responseBody, address!.slice(base.length));
    }),
    { numRuns: 1_500 },
  );
});
