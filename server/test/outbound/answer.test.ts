import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, get, leftOpen, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

test('an answer comes back with status, headers, body, start and phases', async t => {
  const target = await serve(t, socket =>
    socket.write(answer('done', '201 Created', ['X-One: 1', 'Set-Cookie: a=1', 'set-cookie: b=2'])),
  );
  const before = Date.now();
  const result = await sender(t).send(get(target.url));
  assert.equal(result.outcome, 'response');
  assert.equal(result.responseStatus, 201);
  assert.deepEqual(
    { ...result.responseHeaders },
    { 'content-length': '4', 'x-one': '1', 'set-cookie': 'a=[secret]\nb=[secret]' },
  );
  assert.equal(result.responseBody, 'done');
  assert.equal(result.error, undefined);
  assert.ok(result.startedAt >= before && result.startedAt <= Date.now());
  assert.ok(result.durationMs >= 0);
  assert.deepEqual(Object.keys(result.phases), ['connectMs', 'firstByteMs']);
});

test('startedAt is read from the clock that the sender was given', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  const clock = { now: () => 42, monotonicMs: () => 0, after: () => ({ cancel: () => {} }) };
  assert.equal((await sender(t, { clock }).send(get(target.url))).startedAt, 42);
});

test('path and query are sent as they are, the fragment is not', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  await sender(t).send(get(`${target.url}a//b/%2561?x=1&y=%20#part`));
  assert.match(target.requests[0]!.head, /^GET \/a\/\/b\/%2561\?x=1&y=%20 HTTP\/1\.1\r\n/);
  assert.match(target.requests[0]!.head, new RegExp(`^host: 127.0.0.1:${target.port}$`, 'm'));
});

test('headers are sent in their order and their case', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  await sender(t).send(get(target.url, { headers: ['X-B', '2', 'x-a', '1'] }));
  assert.match(target.requests[0]!.head, /\r\nX-B: 2\r\nx-a: 1$/);
});

for (const method of ['POST', 'PUT', 'PATCH', 'OPTIONS']) {
  test(`${method} carries its body and its length in bytes`, async t => {
    const target = await serve(t, socket => socket.write(answer('')));
    const body = '{"name":"Zoë"}';
    const result = await sender(t).send(get(target.url, { method, body }));
    assert.equal(result.outcome, 'response');
    assert.match(target.requests[0]!.head, /^content-length: 15$/im);
    assert.equal(Buffer.from(target.requests[0]!.body, 'latin1').toString(), body);
  });
}

for (const method of ['POST', 'PUT', 'PATCH']) {
  test(`${method} without a body says that its length is 0`, async t => {
    const target = await serve(t, socket => socket.write(answer('')));
    await sender(t).send(get(target.url, { method }));
    assert.match(target.requests[0]!.head, /^content-length: 0$/im);
  });
}

test('the first 4 KiB of the body are kept, and no character is cut in two', async t => {
  for (const [body, kept] of [
    ['x'.repeat(4096), 'x'.repeat(4096)],
    [`${'x'.repeat(4095)}ä`, 'x'.repeat(4095)],
    [`${'x'.repeat(4094)}€`, 'x'.repeat(4094)],
    [`${'x'.repeat(4093)}🎈`, 'x'.repeat(4093)],
    [`${'x'.repeat(4092)}🎈z`, `${'x'.repeat(4092)}🎈`],
    [`${'x'.repeat(4093)}€€`, `${'x'.repeat(4093)}€`],
  ] as const) {
    const target = await serve(t, socket => socket.write(answer(body)));
    const result = await sender(t).send(get(target.url));
    assert.equal(result.responseBody, kept);
  }
});

test('a body that comes in small pieces is put together', async t => {
  const text = '€'.repeat(2000);
  const target = await serve(t, async socket => {
    socket.setNoDelay(true);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1000) {
      socket.write(bytes.subarray(at, at + 1000));
      await new Promise(setImmediate);
    }
  });
  const result = await sender(t).send(get(target.url));
  assert.equal(result.outcome, 'response');
  assert.equal(result.responseBody, '€'.repeat(1365));
});

test('bytes that are no UTF-8, and NUL, become U+FFFD', async t => {
  const target = await serve(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n');
    socket.write(Buffer.from([0x61, 0xff, 0x00, 0x62, 0xc3]));
  });
  assert.equal((await sender(t).send(get(target.url))).responseBody, 'a\uFFFD\uFFFDb\uFFFD');
});

test('an answer of exactly 1 MiB is read to its end and its connection kept', async t => {
  const target = await serve(t, socket => socket.write(answer('x'.repeat(1024 * 1024))));
  const { send, stats } = sender(t);
  assert.equal((await send(get(target.url))).outcome, 'response');
  assert.equal(stats().idle, 1);
});

test('an answer of 2 MiB is cut after 1 MiB and judged by its status', async t => {
  const target = await serve(t, socket =>
    socket.write(answer('y'.repeat(2 * 1024 * 1024), '202 Accepted')),
  );
  const { send, stats } = sender(t);
  const result = await send(get(target.url));
  assert.equal(result.outcome, 'response');
  assert.equal(result.responseStatus, 202);
  assert.equal(result.responseBody, 'y'.repeat(4096));
  assert.equal(result.error, undefined);
  assert.equal(stats().idle, 0);
  await target.closed(1);
});

test('an answer without end is cut after 1 MiB, long before its time limit', async t => {
  const chunk = 'z'.repeat(64 * 1024);
  const target = await serve(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  });
  const result = await sender(t).send(get(target.url, { timeoutMs: 60_000 }));
  assert.equal(result.outcome, 'response');
  await target.closed(1);
});

test('chunked bodies are put together, and trailers are no headers', async t => {
  const target = await serve(t, socket =>
    socket.write(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n',
    ),
  );
  const result = await sender(t).send(get(target.url));
  assert.equal(result.responseBody, 'abcde');
  assert.equal(result.responseHeaders!['x-trailer'], undefined);
});

test('a body without a length ends where the server closes', async t => {
  const target = await serve(t, socket => socket.end('HTTP/1.0 200 OK\r\n\r\nold times'));
  const result = await sender(t).send(get(target.url));
  assert.equal(result.outcome, 'response');
  assert.equal(result.responseBody, 'old times');
});

for (const status of ['204 No Content', '304 Not Modified']) {
  test(`${status} needs no body and no length`, async t => {
    const target = await serve(t, socket => socket.write(`HTTP/1.1 ${status}\r\nX-A: 1\r\n\r\n`));
    const result = await sender(t).send(get(target.url));
    assert.equal(result.outcome, 'response');
    assert.equal(result.responseStatus, Number(status.slice(0, 3)));
    assert.equal('responseBody' in result, false);
  });
}

test('HEAD is complete with its headers, whatever length they announce', async t => {
  const target = await serve(t, socket =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n'),
  );
  const result = await sender(t).send(get(target.url, { method: 'HEAD' }));
  assert.equal(result.outcome, 'response');
  assert.equal(result.responseHeaders!['content-length'], '1000');
});

test('102 and 103 before the answer are passed over', async t => {
  const target = await serve(t, socket =>
    socket.write(
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${answer('end')}`,
    ),
  );
  const result = await sender(t).send(get(target.url));
  assert.equal(result.responseStatus, 200);
  assert.equal(result.responseBody, 'end');
  assert.equal(result.responseHeaders!.link, undefined);
});

test('repeated cookies are kept apart by a line break, other repeated fields by a comma', async t => {
  const day = 'Wed, 21 Oct 2026 07:28:00 GMT';
  const headers = [`Set-Cookie: a=1; Expires=${day}`, 'Via: 1.1 one', 'SET-COOKIE: b=2', 'via: 2'];
  const target = await serve(t, socket => socket.write(answer('', '200 OK', headers)));
  const kept = (await sender(t).send(get(target.url))).responseHeaders!;
  assert.deepEqual(kept['set-cookie']!.split('\n'), [`a=[secret]; Expires=${day}`, 'b=[secret]']);
  assert.equal(kept.via, '1.1 one, 2');
});

test('8 KiB of headers are kept: a value that goes beyond is cut and marked', async t => {
  const headers = [`X-A: ${'a'.repeat(6000)}`, `X-B: ${'b'.repeat(6000)}`, 'X-C: c'];
  const target = await serve(t, socket => socket.write(answer('', '200 OK', headers)));
  const kept = (await sender(t).send(get(target.url))).responseHeaders!;
  assert.equal(kept['x-a'], 'a'.repeat(6000));
  assert.match(kept['x-b']!, /^b+…$/);
  assert.equal(kept['x-c'], undefined);
  const size = Object.entries(kept).reduce((sum, [k, v]) => sum + k.length + v.length, 0);
  assert.equal(size, 8 * 1024 + 1);
});

test('binary header values come back as Latin-1', async t => {
  const target = await serve(t, socket => {
    socket.write(
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-B: \xe9\xff\r\n\r\n', 'latin1'),
    );
  });
  assert.equal((await sender(t).send(get(target.url))).responseHeaders!['x-b'], 'éÿ');
});

test('header names that mean something to JavaScript harm nothing', async t => {
  const headers = ['__proto__: p', 'constructor: c', 'toString: s', '__proto__: q'];
  const target = await serve(t, socket => socket.write(answer('', '200 OK', headers)));
  const kept = (await sender(t).send(get(target.url))).responseHeaders!;
  assert.equal(kept.constructor, 'c');
  assert.equal(Object.getPrototypeOf(kept), Object.prototype);
});
