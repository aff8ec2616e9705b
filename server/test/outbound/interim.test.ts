import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import type { Sender } from '../../src/outbound/sender.ts';
import {
  answer,
  get,
  leftOpen,
  names,
  sender,
  serve,
  type TargetServer,
} from '../support/outbound/target-server.ts';

const TRUSTED = readFileSync(new URL('../data/localhost-trusted.pem', import.meta.url), 'utf8');
setDefaultCACertificates([...getCACertificates('default'), TRUSTED]);
const resolve = names({ localhost: ['127.0.0.1'] });

after(async () => assert.deepEqual(await leftOpen(), []));

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';

/** A server that answers each request with the next of these, in the pieces in which they stand. */
async function answering(t: TestContext, pem?: string): Promise<Answering> {
  const scripts: string[][] = [];
  const target = await serve(
    t,
    async (socket: Socket, nth) => {
      socket.setNoDelay(true);
      for (const piece of scripts[nth - 1]!) {
        socket.write(piece, 'latin1');
        // Long enough for the other side, which is in this process, to read it.
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      }
    },
    pem === undefined ? {} : { pem },
  );
  return { target, scripts };
}

interface Answering {
  target: TargetServer;
  scripts: string[][];
}

async function post({ target, scripts }: Answering, { send }: Sender, script: string[]) {
  scripts.push(script);
  const before = target.requests.length;
  const result = await send(get(target.url, { method: 'POST', body: '{}' }));
  assert.equal(target.requests.length, before + 1, 'one request');
  return result;
}

for (const status of ['100 Continue', '102 Processing', '103 Early Hints', '110 X', '199 X']) {
  test(`${status}, which was not asked for, is passed over: the answer behind it counts`, async t => {
    const server = await answering(t);
    const own = sender(t);
    for (const pieces of [2, 1]) {
      const script = [`HTTP/1.1 ${status}\r\n\r\n`, answer('end', '201 Created', ['X-A: b'])];
      const result = await post(server, own, pieces === 1 ? [script.join('')] : script);
      assert.equal(result.outcome, 'response');
      assert.equal(result.responseStatus, 201);
      assert.equal(result.responseBody, 'end');
      assert.deepEqual({ ...result.responseHeaders }, { 'content-length': '3', 'x-a': 'b' });
      assert.equal(result.error, undefined);
    }
    assert.equal(server.target.connections, 1);
  });
}

for (const [what, head] of [
  ['of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
  ['that announces the close', 'HTTP/1.1 102 Processing\r\nConnection: close\r\n\r\n'],
  ['without a reason', 'HTTP/1.1 100\r\n\r\n'],
  ['with a length', 'HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n'],
  ['with bare line feeds', 'HTTP/1.1 100 Continue\nX-A: b\n\n'],
  ['with 20 KiB of headers', `HTTP/1.1 103 Hints\r\nLink: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['with empty lines around it', `\r\n${CONTINUE}\r\n`],
] as const) {
  test(`an interim answer ${what} is passed over too`, async t => {
    const server = await answering(t);
    const result = await post(server, sender(t), [head + answer('end')]);
    assert.equal(result.responseStatus, 200);
    assert.equal(result.responseBody, 'end');
  });
}

test('interim answers are passed over wherever their bytes are split', async t => {
  const server = await answering(t);
  const own = sender(t);
  const bytes = CONTINUE + HINTS + answer('end');
  for (let at = 1; at < bytes.length; at++) {
    const result = await post(server, own, [bytes.slice(0, at), bytes.slice(at)]);
    assert.equal(result.responseStatus, 200, `split at ${at}`);
    assert.equal(result.responseBody, 'end', `split at ${at}`);
  }
  assert.equal(server.target.connections, 1);
});

for (const scheme of ['http', 'https']) {
  test(`${scheme}: interim answers that come byte by byte are passed over, request after request`, async t => {
    const server = await answering(t, scheme === 'http' ? undefined : TRUSTED);
    const own = sender(t, { resolve });
    for (const body of ['one', '', CONTINUE]) {
      const result = await post(server, own, [...(CONTINUE + HINTS + answer(body))]);
      assert.equal(result.responseStatus, 200);
      assert.equal(result.responseBody ?? '', body);
    }
    assert.equal(server.target.connections, 1);
  });
}

test('a body that looks like an interim answer stays as it came', async t => {
  const server = await answering(t);
  const own = sender(t);
  const trap = `${CONTINUE}${HINTS}HTTP/1.1 500 Trap\r\n\r\n`;
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${trap.length}\r\n\r\n`;
  const chunk = `${trap.length.toString(16)}\r\n${trap}\r\n0\r\n\r\n`;
  for (const script of [
    [head, trap],
    [head, ...trap],
    [CONTINUE, head, trap],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', chunk],
  ]) {
    assert.equal((await post(server, own, script)).responseBody, trap);
  }
  assert.equal(server.target.connections, 1);
});

test('any interim answers, split anywhere, change nothing of the answer behind them', async t => {
  const server = await answering(t);
  const own = sender(t);
  const line = fc.constantFrom('X-A: b', 'Connection: close', 'HTTP/1.1 200 OK', 'Upgrade: x');
  const head = fc
    .tuple(fc.constantFrom('100', '102', '103', '142'), fc.array(line, { maxLength: 3 }))
    .map(
      ([code, lines]) => `HTTP/1.1 ${code} X\r\n${lines.map(each => `${each}\r\n`).join('')}\r\n`,
    );
  const interim = fc.array(head, { maxLength: 4 });
  const cuts = fc.array(fc.nat({ max: 300 }), { maxLength: 5 });
  const body = fc.constantFrom('', 'x', CONTINUE, '\r\n\r\n');
  await fc.assert(
    fc.asyncProperty(interim, cuts, body, async (heads, at, text) => {
      const bytes = heads.join('') + answer(text, '202 Accepted');
      const ends = [...at.toSorted((a, b) => a - b), bytes.length];
      const script = ends.map((end, n) => bytes.slice(ends[n - 1] ?? 0, end)).filter(Boolean);
      const result = await post(server, own, script);
      assert.equal(result.responseStatus, 202);
      assert.equal(result.responseBody ?? '', text);
    }),
    { numRuns: 200 },
  );
  assert.equal(server.target.connections, 1);
});

test('2,000 interim answers before one answer are passed over', async t => {
  const server = await answering(t);
  const result = await post(server, sender(t), [CONTINUE.repeat(2_000) + answer('end')]);
  assert.equal(result.responseBody, 'end');
});

for (const [what, first, again] of [
  ['interim answers without end are', '', CONTINUE],
  ['an interim answer without end is', 'HTTP/1.1 100 Continue\r\n', 'X-A: b\r\n'],
] as const) {
  test(`${what} cut off after 1 MiB, long before the time limit`, async t => {
    const target = await serve(t, socket => {
      socket.write(first);
      const more = () => {
        while (!socket.destroyed && socket.write(again.repeat(1_000)));
      };
      socket.on('drain', more);
      more();
    });
    const result = await sender(t).send(get(target.url, { timeoutMs: 60_000 }));
    assert.equal(result.outcome, 'connectionError');
    assert.equal(
      result.error,
      `127.0.0.1:${target.port} sent more than 1 MiB of interim answers (1xx) and no final one.`,
    );
    await target.closed(1);
  });
}

for (const [what, bytes] of [
  ['with its headers', 'HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ['without them', 'HTTP/1.1 101 X\r\n\r\n'],
  ['behind an interim answer', `${CONTINUE}HTTP/1.1 101 X\r\n\r\n${answer('end')}`],
] as const) {
  test(`101 ${what} is a connectionError that says so`, async t => {
    const server = await answering(t);
    const own = sender(t);
    const result = await post(server, own, [bytes]);
    assert.equal(result.outcome, 'connectionError');
    assert.match(result.error!, /^127\.0\.0\.1:\d+ switched to another protocol, which it was not/);
    assert.equal(result.responseStatus, undefined);
    assert.equal(own.stats().idle, 0);
  });
}

for (const bytes of ['HTTP/1.1 10', CONTINUE, `${CONTINUE}HTTP/1.1 1`, 'HTTP/1.1 100 Cont']) {
  test(`a close after ${JSON.stringify(bytes)} is a close without an answer`, async t => {
    const target = await serve(t, socket => socket.end(bytes));
    const result = await sender(t).send(get(target.url));
    assert.equal(result.outcome, 'connectionError');
    assert.match(result.error!, /closed the connection without an answer\.$/);
  });
}

test('an interim answer that comes between two requests is taken for neither', async t => {
  const server = await answering(t);
  const own = sender(t);
  assert.equal((await post(server, own, [answer('1') + CONTINUE + answer('-')])).responseBody, '1');
  assert.equal((await post(server, own, [answer('2')])).responseBody, '2');
  server.target.sockets.at(-1)!.write(CONTINUE);
  await server.target.closed(2);
  assert.equal((await post(server, own, [answer('3')])).responseBody, '3');
});

for (const method of ['HEAD', 'GET']) {
  test(`${method} without a body in its answer passes over what comes before`, async t => {
    const server = await answering(t);
    const own = sender(t);
    for (const status of ['204 No Content', '304 Not Modified']) {
      server.scripts.push([`${CONTINUE}HTTP/1.1 ${status}\r\n\r\n`]);
      const result = await own.send(get(server.target.url, { method }));
      assert.equal(result.responseStatus, Number(status.slice(0, 3)));
    }
  });
}
