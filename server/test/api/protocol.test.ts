import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { assertErrorBody, assertErrorCode } from '../support/api/expect.ts';
import { exchange, type RawAnswer } from '../support/api/raw.ts';
import { type Service, startService, valid } from '../support/api/service.ts';

/** HTTP/1.1 itself: what Node or Fastify would answer in their own words, or not at all. */

const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600, timeoutCheckMs: 50 };
const service = await startService();
const hasty = await startService({ limits });
const patient = await startService({
  readiness: () => new Promise(resolve => setTimeout(resolve, 50, {})),
});
after(() => service.close());
after(() => hasty.close());
after(() => patient.close());

const credentials = ({ mine }: Service = service) =>
  `ClientId: ${mine.clientId}\r\nApiKey: ${mine.apiKey}`;
const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: h', credentials(), ...headers].join('\r\n')}\r\n\r\n`;
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';

function assertRefused(answer: RawAnswer | undefined, status = 400, sentence = /./): void {
  assert.ok(answer, 'an answer');
  assert.equal(answer.status, status, answer.body);
  assertErrorCode(answer.headers['punctual-error-code'], answer.status);
  assertErrorBody(answer.headers['content-type'] ?? '', answer.body, sentence);
}

const broken: ReadonlyArray<readonly [string, string, number?]> = [
  ['bytes that are no request', '\x16\x03\x01\x02\x00\x01\x00'],
  ['a line of nothing much', 'hello\r\n\r\n'],
  ['HTTP/9.9', 'GET / HTTP/9.9\r\nHost: h\r\n\r\n'],
  ['HTTP/2.0', head('GET /healthz').replace('HTTP/1.1', 'HTTP/2.0')],
  ['HTTP/0.9', 'GET /healthz\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['lines that end with LF', 'GET /healthz HTTP/1.1\nHost: h\n\n'],
  ['a folded header', 'GET /healthz HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n'],
  ['a space before the colon', 'GET /healthz HTTP/1.1\r\nHost : h\r\n\r\n'],
  ['a header without a name', 'GET /healthz HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n'],
  ['a NUL in a header', 'GET /healthz HTTP/1.1\r\nHost: h\r\nA: a\0b\r\n\r\n'],
  ['bytes beyond ASCII in the path', 'GET /v1/\xff HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['a path without its slash', 'GET healthz HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n'],
  ['a Host that is none', 'GET /healthz HTTP/1.1\r\nHost: a b/c\r\n\r\n'],
  ['an Expect that nobody can meet', 'GET /healthz HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n'],
  ['two lengths', `${head('POST /v1/schedule', 'Content-Length: 3', 'Content-Length: 4')}abcd`],
  ['a negative length', head('POST /v1/schedule', 'Content-Length: -1')],
  ['a length with a sign', `${head('POST /v1/schedule', 'Content-Length: +2')}{}`],
  ['a length that is none', head('POST /v1/schedule', 'Content-Length: x')],
  ['a length beyond all numbers', head('POST /v1/schedule', `Content-Length: ${'9'.repeat(30)}`)],
  [
    'a length beyond 2^53',
    head('POST /v1/schedule', JSON_TYPE, 'Content-Length: 9007199254740993'),
  ],
  ['a length and chunks', `${head('POST /v1/schedule', CHUNKED, 'Content-Length: 5')}0\r\n\r\n`],
  ['gzip and chunks', `${head('POST /v1/schedule', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`],
  ['a space before the colon of chunks', head('POST /v1/schedule', 'Transfer-Encoding : chunked')],
  ['chunks twice', `${head('POST /v1/schedule', CHUNKED, CHUNKED)}0\r\n\r\n`],
  ['chunks in HTTP/1.0', `${head('POST /healthz', CHUNKED).replace('/1.1', '/1.0')}0\r\n\r\n`],
  ['chunks that end with LF', `${head('POST /v1/schedule', JSON_TYPE, CHUNKED)}2\n{}\n0\n\n`],
  ['a chunk of no size', `${head('POST /v1/schedule', JSON_TYPE, CHUNKED)}zz\r\n{}\r\n0\r\n\r\n`],
  [
    'a chunk extension of 20 KiB',
    `${head('POST /v1/schedule', JSON_TYPE, CHUNKED)}2;a=${'x'.repeat(20_480)}\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a header of 20 KiB', head('GET /healthz', `A: ${'x'.repeat(20_480)}`)],
  ['3,000 headers', head('GET /healthz', ...Array.from({ length: 3_000 }, (_, i) => `a${i}: 1`))],
  ['a path of 20 KiB', head(`GET /${'x'.repeat(20_480)}`)],
  ['two Content-Types', `${head('POST /v1/preview', JSON_TYPE, JSON_TYPE, 'Content-Length: 2')}{}`],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 404],
  ['CONNECT to a path', head('CONNECT /v1/schedule'), 404],
  ['RTSP', 'DESCRIBE /x RTSP/1.0\r\nHost: h\r\n\r\n', 404],
];

for (const [name, bytes, status] of broken) {
  test(`${name}: ${status ?? 400} with the error object`, async () => {
    const { answers } = await exchange(service.port, bytes);
    assertRefused(answers[0], status);
  });
}

test('a request that ends before it is complete is a 400', async () => {
  for (const bytes of [
    'GET /healthz HTTP/1.1\r\nHos',
    `${head('POST /v1/schedule', JSON_TYPE, 'Content-Length: 10')}{}`,
    `${head('POST /v1/schedule', JSON_TYPE, CHUNKED)}5\r\n{`,
    `${head('POST /v1/schedule', JSON_TYPE, 'Content-Length: 10', 'Upgrade: h2c', 'Connection: upgrade')}{}`,
  ]) {
    const { answers, closed } = await exchange(service.port, bytes, {
      half: true,
      untilClosed: true,
    });
    assert.equal(answers.length, 1);
    assertRefused(answers[0], 400, /ended before it was complete/);
    assert.ok(closed);
  }
});

test('a client that ends its side after a whole request still gets its answer', async () => {
  const { answers } = await exchange(patient.port, head('GET /readyz'), { half: true });
  assert.equal(answers[0]?.status, 200);
});

test('headers or a body that do not arrive in time are a 400, and the connection is closed', async () => {
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: h\r\n${credentials(hasty)}\r\n`;
  for (const bytes of [
    '',
    'GET /healthz HTTP/1.1\r\n',
    `${head('POST /v1/schedule')}${JSON_TYPE}\r\nContent-Length: 10\r\n\r\n{`,
    `${head('POST /v1/schedule')}${JSON_TYPE}\r\n${CHUNKED}\r\n\r\n1\r\n{\r\n`,
  ]) {
    const { answers, closed } = await exchange(hasty.port, bytes, { untilClosed: true });
    assert.equal(answers.length, 1);
    assertRefused(answers[0], 400, /did not arrive in time/);
    assert.ok(closed);
  }
});

test('a body that never comes to an operation that needs none ends in one answer', async () => {
  const bytes = `DELETE /v1/schedule/x HTTP/1.1\r\nHost: h\r\n${credentials(hasty)}\r\nContent-Length: 9\r\n\r\n`;
  const { answers, closed } = await exchange(hasty.port, bytes, { untilClosed: true });
  assert.deepEqual([answers.length, answers[0]?.status, closed], [1, 404, true]);
});

test('Upgrade is ignored', async () => {
  const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AA'];
  for (const headers of [upgrade, ['Connection: Upgrade', 'Upgrade: websocket']]) {
    const { answers } = await exchange(service.port, head('GET /healthz', ...headers));
    assert.deepEqual([answers[0]?.status, answers[0]?.body], [200, '{"status":"ok"}']);
  }
});

test('none of many small headers is dropped, wherever it stands', async () => {
  const many = Array.from({ length: 2_500 }, () => 'a:');
  const bytes = head('GET /v1/schedule').replace('Host: h', ['Host: h', ...many].join('\r\n'));
  assert.equal((await exchange(service.port, bytes)).answers[0]?.status, 200);
});

test('Expect: 100-continue is met, and the answer follows', async () => {
  const body = JSON.stringify(valid);
  const { answers } = await exchange(service.port, [
    head('POST /v1/schedule', JSON_TYPE, 'Expect: 100-Continue', `Content-Length: ${body.length}`),
    body,
  ]);
  assert.equal(answers[0]?.status, 200);
});

test('HTTP/1.0 is answered, without a Host too, and closed', async () => {
  const bytes = `GET /v1/schedule HTTP/1.0\r\n${credentials()}\r\n\r\n`;
  const { answers, closed } = await exchange(service.port, bytes, { untilClosed: true });
  assert.deepEqual([answers[0]?.status, closed], [200, true]);
});

test('trailers are no headers', async () => {
  const bytes = `GET /v1/schedule HTTP/1.1\r\nHost: h\r\n${CHUNKED}\r\n\r\n0\r\n${credentials()}\r\n\r\n`;
  assertRefused((await exchange(service.port, bytes)).answers[0], 401);
});

test('requests on one connection are answered in their order', async () => {
  const body = JSON.stringify(valid);
  const post = head('POST /v1/schedule', JSON_TYPE, `Content-Length: ${body.length}`) + body;
  const bytes = [head('GET /nope'), post, head('GET /healthz'), head('GET /v1/schedule/x')];
  const { answers } = await exchange(service.port, bytes.join(''), { answers: 4 });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 200, 200, 404],
  );
});

test('what comes before a broken request is answered whole, then the 400, then the end', async () => {
  const body = JSON.stringify(valid);
  const post = head('POST /v1/schedule', JSON_TYPE, `Content-Length: ${body.length}`) + body;
  for (const [end, status] of [
    ['\x01\x02 garbage\r\n\r\n', 400],
    [`${head('POST /v1/schedule', JSON_TYPE, CHUNKED)}zz\r\n`, 400],
    [`${head('POST /nope', JSON_TYPE, CHUNKED)}zz\r\n`, 404],
    ['FOO / HTTP/1.1\r\n\r\n', 404],
    ['CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\nmore', 404],
  ] as const) {
    const bytes = `${post}${head('GET /v1/schedule?limit=1')}${end}`;
    const { answers, rest, closed } = await exchange(service.port, bytes, { untilClosed: true });
    assert.deepEqual(
      answers.map(answer => answer.status),
      [200, 200, status],
      end,
    );
    assertRefused(answers[2], status);
    assert.deepEqual([rest, closed], ['', true]);
  }
});

test('after a body that is too large the connection goes on, however it was framed', async () => {
  const size = 1024 * 1024;
  const get = head('GET /healthz');
  for (const bytes of [
    [head('POST /v1/schedule', JSON_TYPE, `Content-Length: ${size}`), 'x'.repeat(size), get],
    [
      head('POST /v1/schedule', JSON_TYPE, CHUNKED),
      `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`,
      get,
    ],
  ]) {
    const { answers } = await exchange(service.port, bytes, { answers: 2 });
    assertRefused(answers[0], 400, /larger/);
    assert.equal(answers[1]?.status, 200);
  }
});

test('a client that reads only after it has sent everything finds its answer', async () => {
  const much = 'x'.repeat(8 * 1024 * 1024);
  for (const bytes of [
    ['\x01 no request\r\n\r\n', much],
    [`${head('POST /v1/schedule', JSON_TYPE, CHUNKED)}zz\r\n`, much],
    [head('GET /healthz', `A: ${'x'.repeat(20_480)}`), much],
    [head('POST /v1/schedule', JSON_TYPE, `Content-Length: ${much.length}`), much],
    [head('DELETE /v1/nope', `Content-Length: ${much.length}`), much],
  ]) {
    const { answers } = await exchange(service.port, bytes, { late: true });
    assert.ok(answers[0] && answers[0].status >= 400);
  }
});

test('a body that is too large is refused by its length, before any of it has come', async () => {
  const bytes = head('POST /v1/schedule', JSON_TYPE, 'Content-Length: 262145');
  assertRefused((await exchange(service.port, bytes)).answers[0], 400, /larger/);
});

test('a thousand connections that send nothing do not keep others from being served', async () => {
  const idle = Array.from({ length: 1_000 }, () =>
    exchange(hasty.port, '', { untilClosed: true, timeLimitMs: 20_000 }),
  );
  assert.equal((await hasty.call('GET', '/healthz')).status, 200);
  for (const { answers } of await Promise.all(idle)) assertRefused(answers[0], 400);
});

test('nothing of this is an error to the log', () => {
  const lines = [...service.logged, ...hasty.logged].filter(({ level }) => (level as number) >= 40);
  assert.deepEqual(lines, []);
});

test('a connection beyond the limit is closed and counted, and who is there goes on', async context => {
  let refused = 0;
  const limits = { connections: 2 };
  const small = await startService({ limits, connectionRefused: () => refused++ });
  context.after(() => small.close());
  const sockets = [connect(small.port, '127.0.0.1'), connect(small.port, '127.0.0.1')];
  context.after(() => sockets.forEach(socket => void socket.destroy()));
  await Promise.all(sockets.map(socket => once(socket, 'connect')));
  const third = await exchange(small.port, 'GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n');
  assert.deepEqual([third.answers.length, third.closed, refused], [0, true, 1]);
  const [first] = sockets;
  first!.write('GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n');
  assert.match(String(await once(first!, 'data')), /^HTTP\/1\.1 200 /);
  sockets[1]!.destroy();
  while ((await exchange(small.port, 'GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n')).closed);
});
