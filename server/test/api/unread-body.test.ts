import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../support/api/service.ts';

/** A caller that is refused while it is still writing sees why, and cannot write for ever. */

const service = await startService();
after(() => service.close());
const { clientId, apiKey } = service.mine;
const auth = { ClientId: clientId, ApiKey: apiKey };
const json = { ...auth, 'Content-Type': 'application/json' };
const MIB = 1024 * 1024;

const REFUSALS: [what: string, status: number, path: string, headers: Record<string, string>][] = [
  ['a body that is too large', 400, '/v1/schedule', json],
  ['a wrong key', 401, '/v1/schedule', { ...json, ApiKey: 'wrong' }],
  ['a path that is not there', 404, '/v1/nothing', json],
  ['a path outside /v1 that is not there', 404, '/nothing', json],
  ['another Content-Type', 400, '/v1/schedule', { ...auth, 'Content-Type': 'text/plain' }],
  ['a Content-Encoding', 400, '/v1/schedule', { ...json, 'Content-Encoding': 'gzip' }],
  ['an unknown query parameter', 400, '/v1/preview?a=1', json],
  ['headers that are too large', 400, '/v1/schedule', { ...json, 'X-Large': 'x'.repeat(20_000) }],
  ['a name that is no host', 400, '/v1/schedule', { ...json, Host: '' }],
];

const headOf = (path: string, headers: Record<string, string>, bytes: number | null) =>
  [
    `POST ${path} HTTP/1.1`,
    ...Object.entries({ Host: 'h', Connection: 'close', ...headers }).map(pair => pair.join(': ')),
    bytes === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`,
    '\r\n',
  ].join('\r\n');

/** Writes the head, and the body only when the answer is there; reads nothing before all is written. */
async function writeAll(head: string, body: Buffer): Promise<string> {
  const socket = await opened();
  socket.pause();
  socket.write(head);
  await sleep(50);
  for (let at = 0; at < body.length; at += MIB / 4) {
    if (!socket.write(body.subarray(at, at + MIB / 4))) await once(socket, 'drain');
  }
  return text(socket);
}

async function opened(): Promise<Socket> {
  const socket = connect({ port: service.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  return socket;
}

describe('a caller that is still writing', () => {
  for (const [what, status, path, headers] of REFUSALS) {
    test(`${status}, and 3 MiB are read to their end: ${what}`, async () => {
      const answer = await writeAll(headOf(path, headers, 3 * MIB), Buffer.alloc(3 * MIB, 97));
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(answer, /\r\n\r\n\{"error":"[^"]+/);
    });

    test(`${status}, to Node's own client that keeps no connection: ${what}`, async () => {
      for (let round = 0; round < 5; round++) {
        const options = { port: service.port, path, headers, method: 'POST', agent: false };
        const sent = request(options).end(Buffer.alloc(3 * MIB, 97));
        const [answer] = await once(sent, 'response');
        assert.equal(answer.statusCode, status);
        await text(answer);
      }
    });
  }

  test('400, in chunks', async () => {
    const chunk = Buffer.concat([Buffer.from('40000\r\n'), Buffer.alloc(0x40000, 97)]);
    const body = Buffer.concat([
      ...Array.from({ length: 12 }, () => [chunk, Buffer.from('\r\n')]).flat(),
      Buffer.from('0\r\n\r\n'),
    ]);
    const answer = await writeAll(headOf('/v1/schedule', json, null), body);
    assert.match(answer, /^HTTP\/1\.1 400 .*The body is larger than this operation takes/s);
  });

  for (const connection of ['close', 'keep-alive']) {
    test(`is cut off 8 MiB beyond its answer: Connection: ${connection}`, async () => {
      const socket = await opened();
      socket.on('error', () => {});
      const closed = new Promise(resolve => socket.once('close', resolve));
      socket.resume();
      socket.write(headOf('/v1/nothing', { ...json, Connection: connection }, 1_000 * MIB));
      const block = Buffer.alloc(MIB, 97);
      let written = 0;
      while (!socket.destroyed && written < 500 * MIB) {
        written += block.length;
        if (!socket.write(block)) {
          await Promise.race([new Promise(resolve => socket.once('drain', resolve)), closed]);
        }
      }
      await closed;
      assert.ok(written < 100 * MIB, `${written} bytes were taken`);
    });

    test(`that stops in the middle is cut off too: Connection: ${connection}`, async () => {
      const socket = await opened();
      socket.write(headOf('/v1/nothing', { ...json, Connection: connection }, 3 * MIB));
      socket.write(Buffer.alloc(MIB, 97));
      assert.match(await text(socket), /^HTTP\/1\.1 404 /);
    });
  }

  test('goes on with the same connection when all of it has come', async () => {
    const socket = await opened();
    const keep = { ...json, Connection: 'keep-alive' };
    socket.write(headOf('/v1/nothing', keep, MIB));
    await sleep(50);
    socket.write(Buffer.alloc(MIB, 97));
    socket.write(headOf('/v1/other', { ...keep, Connection: 'close' }, 0));
    const statuses = (await text(socket)).match(/HTTP\/1\.1 404/g);
    assert.equal(statuses?.length, 2);
  });
});
