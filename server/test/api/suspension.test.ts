import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { assertErrorBody } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';

/** A process that was suspended reads what has arrived before it judges how late it is. */

const limits = {
  headersTimeoutMs: 300,
  requestTimeoutMs: 600,
  timeoutCheckMs: 50,
  keepAliveMs: 100,
};
const service = await startService({ limits });
after(() => service.close());

const HEAD = `GET /v1/schedule HTTP/1.1\r\nHost: h\r\nClientId: ${service.mine.clientId}\r\n`;
const KEY = `ApiKey: ${service.mine.apiKey}\r\n`;
const BODY = '{"interval":"* * * * *","timezone":"UTC"}';
const POST =
  `${HEAD.replace('GET /v1/schedule', 'POST /v1/preview')}${KEY}` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;

async function connected(t: TestContext): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1').setNoDelay(true);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Sends it, and the service reads it. */
async function sendAndLetRead(socket: Socket, bytes: string): Promise<void> {
  socket.write(bytes);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}

/** It arrives while the event loop has no turn, as in a process that is suspended. */
function sendAndSuspend(socket: Socket, bytes: string, ms: number): void {
  socket.write(bytes);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function answerOn(socket: Socket): Promise<string> {
  const [bytes] = await Promise.race([
    once(socket, 'data'),
    once(socket, 'close').then(() => [Buffer.from('closed')]),
  ]);
  return String(bytes);
}

for (const [what, first, rest] of [
  ['the rest of its headers', HEAD, `${KEY}\r\n`],
  ['everything', '', `${HEAD}${KEY}\r\n`],
  ['the rest of its body', POST + BODY.slice(0, 5), BODY.slice(5)],
] as const) {
  test(`a request of which ${what} came to a suspended process is answered`, async t => {
    const socket = await connected(t);
    await sendAndLetRead(socket, first);
    sendAndSuspend(socket, rest, 900);
    assert.match(await answerOn(socket), /^HTTP\/1\.1 200 /);
  });
}

test('a request on a connection that rested for too long meanwhile is answered', async t => {
  const socket = await connected(t);
  await sendAndLetRead(socket, `${HEAD}${KEY}\r\n`);
  assert.match(await answerOn(socket), /^HTTP\/1\.1 200 /);
  // Node gives a resting connection a second more than it promises.
  sendAndSuspend(socket, `${HEAD}${KEY}\r\n`, 1_400);
  assert.match(await answerOn(socket), /^HTTP\/1\.1 200 /);
});

test('what did not come as a whole is refused soon after the process wakes', async t => {
  for (const [first, rest] of [
    [HEAD, KEY],
    [HEAD, ''],
    [POST, BODY.slice(0, 5)],
  ] as const) {
    const socket = await connected(t);
    await sendAndLetRead(socket, first);
    sendAndSuspend(socket, rest, 900);
    const [head, body] = (await answerOn(socket)).split('\r\n\r\n');
    assert.match(head!, /^HTTP\/1\.1 400 /);
    assertErrorBody('application/json', body!, /did not arrive in time/);
  }
});

test('a resting connection on which nothing came is closed', async t => {
  const socket = await connected(t);
  await sendAndLetRead(socket, `${HEAD}${KEY}\r\n`);
  assert.match(await answerOn(socket), /^HTTP\/1\.1 200 /);
  sendAndSuspend(socket, '', 1_400);
  assert.equal(await answerOn(socket), 'closed');
});

test('the rest of a refused body that came meanwhile is read: nothing resets the answer', async t => {
  const socket = await connected(t);
  let reset: Error | undefined;
  socket.on('error', error => (reset = error));
  const head = HEAD.replace('GET /v1/schedule', 'POST /v1/nothing') + KEY;
  await sendAndLetRead(socket, `${head}Content-Length: 100000\r\n\r\n`);
  sendAndSuspend(socket, 'x'.repeat(100_000), 2_200);
  assert.match(await answerOn(socket), /^HTTP\/1\.1 404 /);
  socket.end();
  await once(socket, 'close');
  assert.equal(reset, undefined);
});
