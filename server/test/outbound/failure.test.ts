import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import {
  answer,
  type Behaviour,
  get,
  leftOpen,
  NOTHING_OPEN,
  names,
  sender,
  serve,
} from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

/** One request to a server that behaves badly. HOST in the sentence stands for its address. */
async function fails(t: TestContext, behaviour: Behaviour, sentence: string): Promise<number> {
  const target = await serve(t, behaviour);
  const { send, stats } = sender(t);
  const result = await send(get(target.url, { method: 'POST', body: 'x' }));
  assert.equal(result.outcome, 'connectionError');
  assert.equal(result.error, sentence.replace('HOST', `127.0.0.1:${target.port}`));
  assert.equal(stats().idle, 0);
  assert.equal(target.requests.length, 1);
  return result.responseStatus ?? 0;
}

test('a refused connection is a connectionError that says so', async t => {
  const port = await unusedPort();
  const result = await sender(t).send(get(`http://127.0.0.1:${port}/secret?token=1`));
  assert.equal(result.outcome, 'connectionError');
  assert.equal(result.error, `The connection to 127.0.0.1:${port} was refused.`);
  assert.equal(result.phases.firstByteMs, undefined);
});

test('a connection that is closed without an answer is a connectionError', async t => {
  const status = await fails(
    t,
    socket => socket.end(),
    'HOST closed the connection without an answer.',
  );
  assert.equal(status, 0);
});

test('a connection that is reset without an answer is a connectionError', async t => {
  await fails(
    t,
    socket => socket.resetAndDestroy(),
    'HOST closed the connection without an answer.',
  );
});

test('an answer shorter than its length is a connectionError that keeps the status', async t => {
  const target = await serve(t, socket =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
  );
  const result = await sender(t).send(get(target.url));
  assert.equal(result.outcome, 'connectionError');
  assert.equal(result.responseStatus, 200);
  assert.equal(result.responseBody, 'half');
  assert.equal(result.responseHeaders!['content-length'], '10');
  assert.equal(result.error, `127.0.0.1:${target.port} broke off its answer before the end.`);
});

test('a short answer that announces the close is a connectionError too', async t => {
  const status = await fails(
    t,
    socket => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf'),
    'HOST broke off its answer before the end.',
  );
  assert.equal(status, 200);
});

test('an answer that is reset before its end is a connectionError that keeps the status', async t => {
  const status = await fails(
    t,
    socket => {
      socket.write('HTTP/1.1 500 Oh\r\nContent-Length: 10\r\n\r\nhalf', () =>
        setTimeout(() => socket.resetAndDestroy(), 20),
      );
    },
    'HOST broke off its answer before the end.',
  );
  assert.equal(status, 500);
});

test('a reset is no end of a body without a length', async t => {
  const status = await fails(
    t,
    socket => {
      socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf', () =>
        setTimeout(() => socket.resetAndDestroy(), 20),
      );
    },
    'HOST broke off its answer before the end.',
  );
  assert.equal(status, 200);
});

for (const header of ['', 'Connection: close\r\n']) {
  test(`a chunked body without its last chunk is a connectionError: "${header.trim()}"`, async t => {
    const head = `HTTP/1.1 200 OK\r\n${header}Transfer-Encoding: chunked\r\n\r\n`;
    await fails(
      t,
      socket => socket.end(`${head}3\r\nabc\r\n`),
      'HOST broke off its answer before the end.',
    );
  });
}

test('a close inside the head is a connectionError that keeps the status', async t => {
  const status = await fails(
    t,
    socket => socket.end('HTTP/1.1 404 Not Found\r\nX-A: b\r\n'),
    'HOST broke off its answer before the end.',
  );
  assert.equal(status, 404);
});

for (const [what, bytes, reason] of [
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9.9\r\n', 'Expected HTTP/, RTSP/ or ICE/'],
  ['a status of letters', 'HTTP/1.1 abc OK\r\n\r\n', 'Invalid status code'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'Invalid status code'],
  ['a status of four digits', 'HTTP/1.1 1000 X\r\n\r\n', 'Invalid response status'],
  ['a negative status', 'HTTP/1.1 -1 X\r\n\r\n', 'Invalid status code'],
  ['no status', 'HTTP/1.1 \r\n\r\n', 'Invalid status code'],
  ['random bytes', '\xde\xad\xbe\xef\r\n\r\n', 'Expected HTTP/, RTSP/ or ICE/'],
] as const) {
  test(`an answer with ${what} is a connectionError`, async t => {
    await fails(
      t,
      socket => socket.write(Buffer.from(bytes, 'latin1')),
      `HOST did not answer in valid HTTP/1.1 (${reason}).`,
    );
  });
}

/** Header lines of which the names and values have so many bytes together. */
function headerBytes(count: number): string {
  const [name, most] = ['X-Some', 1_000];
  const lines = [];
  for (let left = count; left > 0; left -= most) {
    lines.push(`${name}: ${'a'.repeat(Math.min(left, most) - name.length)}\r\n`);
  }
  return lines.join('');
}

const KIB_16 = 16 * 1024;
const LENGTH_0 = 'Content-Length: 0\r\n';
const LENGTH_0_BYTES = 'Content-Length0'.length;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n';

test('16 KiB of answer headers are taken, one byte more is a connectionError', async t => {
  for (const count of [KIB_16 - 1, KIB_16]) {
    const headers = LENGTH_0 + headerBytes(count - LENGTH_0_BYTES);
    const target = await serve(t, socket => socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`));
    assert.equal((await sender(t).send(get(target.url))).outcome, 'response', `${count}`);
  }
  const tooMany = LENGTH_0 + headerBytes(KIB_16 + 1 - LENGTH_0_BYTES);
  const status = await fails(
    t,
    socket => socket.write(`HTTP/1.1 200 OK\r\n${tooMany}\r\n`),
    'HOST answered with more than 16 KiB of headers.',
  );
  assert.equal(status, 200);
});

test('the trailers have 16 KiB of their own, and so has the answer behind interim ones', async t => {
  const interim = `HTTP/1.1 103 Early Hints\r\n${headerBytes(9_000)}\r\n`;
  const target = await serve(t, socket =>
    socket.write(`${interim.repeat(3)}${CHUNKED}${headerBytes(KIB_16)}\r\n`),
  );
  assert.equal((await sender(t).send(get(target.url))).responseBody, 'ok');
  const status = await fails(
    t,
    socket => socket.write(`${CHUNKED}${headerBytes(KIB_16 + 1)}\r\n`),
    'HOST answered with more than 16 KiB of trailers.',
  );
  assert.equal(status, 200);
});

test('headers without end are cut off', async t => {
  await fails(
    t,
    socket => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write('X-Again: and again\r\n'));
      };
      socket.on('drain', more);
      more();
    },
    'HOST answered with more than 16 KiB of headers.',
  );
});

test('an upgrade that was not asked for is a connectionError', async t => {
  await fails(
    t,
    socket =>
      socket.write('HTTP/1.1 101 Switch\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    'HOST switched to another protocol, which it was not asked to.',
  );
});

for (const status of ['000', '001', '099']) {
  test(`the status ${status} is a connectionError that says so`, async t => {
    for (const rest of ['', 'Content-Length: 0\r\n']) {
      const kept = await fails(
        t,
        socket => socket.write(`HTTP/1.1 ${status} X\r\n${rest}\r\n`),
        `HOST answered with the status ${status}, which HTTP does not have.`,
      );
      assert.equal(kept, 0);
    }
  });
}

test('a name that does not exist is a connectionError that says so', async t => {
  const { send } = sender(t, { resolve: names({}) });
  const result = await send(get('http://nowhere.test/path'));
  assert.equal(result.outcome, 'connectionError');
  assert.equal(result.error, 'The name of nowhere.test:80 does not exist or has no address.');
});

test('a name without an address is a connectionError', async t => {
  const { send } = sender(t, { resolve: names({ 'empty.test': [] }) });
  const result = await send(get('https://empty.test/'));
  assert.equal(result.error, 'The name of empty.test:443 does not exist or has no address.');
});

test('a name server that does not answer is a connectionError', async t => {
  const resolve = async () => {
    throw Object.assign(new Error('again'), { code: 'EAI_AGAIN' });
  };
  const result = await sender(t, { resolve }).send(get('http://slow.test/'));
  assert.match(result.error!, /^The name of slow\.test:80 could not be resolved: no name server/);
});

for (const [what, request] of [
  ['a url of another scheme', get('ftp://127.0.0.1/')],
  ['a url that is none', get('http://[')],
  ['a header that cannot be sent', get('http://127.0.0.1/', { headers: ['X-A', 'a\r\nb: c'] })],
  ['a header name that cannot be sent', get('http://127.0.0.1/', { headers: ['a b', 'c'] })],
  ['a method that cannot be sent', get('http://127.0.0.1/', { method: 'GET /' })],
] as const) {
  test(`${what} is a value, never thrown, and nothing is sent`, async t => {
    const target = await serve(t, socket => socket.write(answer('')));
    const url = request.url.replace('127.0.0.1', `127.0.0.1:${target.port}`);
    const result = await sender(t).send({ ...request, url });
    assert.equal(result.outcome, 'connectionError');
    assert.match(result.error!, /\.$/);
    assert.equal(target.requests.length, 0);
  });
}

test('after failures of every kind the sender goes on', async t => {
  const target = await serve(t, (socket, nth) => {
    if (nth % 2 === 0) socket.write(answer('fine'));
    else socket.resetAndDestroy();
  });
  const { send, close, stats } = sender(t, { connectionsPerOrigin: 1 });
  const outcomes = [];
  const request = get(target.url, { method: 'POST', body: 'x' });
  for (let i = 0; i < 6; i++) outcomes.push((await send(request)).outcome);
  assert.deepEqual(outcomes, Array(3).fill(['connectionError', 'response']).flat());
  await close();
  assert.deepEqual(stats(), NOTHING_OPEN);
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}
