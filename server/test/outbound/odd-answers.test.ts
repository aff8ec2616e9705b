import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { judge } from '../../src/domain/run/verdict.ts';
import type { OutboundRequest, SendResult } from '../../src/outbound/send.ts';
import { attemptOf } from '../../src/outbound/send.ts';
import { answer, get, leftOpen, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

/** One POST that is answered with these pieces, then another one; the connection of the first is not used again. */
async function asked(
  t: TestContext,
  pieces: string[],
  more: Partial<OutboundRequest> = {},
): Promise<SendResult> {
  const target = await serve(t, async (socket, nth) => {
    socket.setNoDelay(true);
    for (const piece of nth === 1 ? pieces : [answer('next')]) {
      socket.write(piece, 'latin1');
      // Long enough for the other side, which is in this process, to read it.
      if (pieces.length > 1) for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    }
  });
  const { send, stats } = sender(t);
  const result = await send(get(target.url, { method: 'POST', body: '{}', ...more }));
  assert.equal(target.requests.length, 1, 'one request');
  assert.equal(stats().idle, 0, 'its connection is not kept');
  assert.equal((await send(get(target.url))).responseBody, 'next');
  assert.equal(target.connections, 2);
  return result;
}

function verdictOf(result: SendResult): string {
  return judge([attemptOf(1, result)], undefined, { scheduledFor: 0, nextFor: null }, 1, 0).kind;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const LENGTH = 'Content-Length: 2\r\n';
const CHUNKS = '1\r\no\r\n1\r\nk\r\n0\r\n\r\n';

/** Answers with the body "ok" that other clients read. */
const READ: [string, string, Record<string, string>?][] = [
  [
    'a folded line',
    `${OK}X-A: one\r\n  two\r\n\tthree\r\n${LENGTH}\r\nok`,
    { 'x-a': 'one two three' },
  ],
  ['a folded line before the first field', `${OK} X-A: b\r\n${LENGTH}\r\nok`, {}],
  ['bare line feeds', `${OK}X-A: b\r\n${LENGTH}\r\nok`.replaceAll('\r', ''), { 'x-a': 'b' }],
  ['a bare line feed at one line', `${OK}X-A: b\n${LENGTH}\r\nok`, { 'x-a': 'b' }],
  ['chunks with bare line feeds', `${OK}${CHUNKED}\r\n${CHUNKS}`.replaceAll('\r', '')],
  ['chunked before a length', `${OK}${CHUNKED}Content-Length: 9\r\n\r\n${CHUNKS}`],
  ['chunked behind a length', `${OK}Content-Length: 9\r\n${CHUNKED}\r\n${CHUNKS}`],
  ['chunked beside a length that is none', `${OK}Content-Length: x\r\n${CHUNKED}\r\n${CHUNKS}`],
  ['chunked twice', `${OK}${CHUNKED}${CHUNKED}\r\n${CHUNKS}`, { 'transfer-encoding': 'chunked' }],
  ['identity beside a length', `${OK}Transfer-Encoding: identity\r\n${LENGTH}\r\nok`],
  ['the same length twice', `${OK}${LENGTH}${LENGTH}\r\nok`, { 'content-length': '2' }],
  ['a length as a list', `${OK}Content-Length: 2, 2\r\n\r\nok`, { 'content-length': '2' }],
  ['a blank before the colon', `${OK}X-A : b\r\nContent-Length \t: 2\r\n\r\nok`, { 'x-a': 'b' }],
  ['control characters', `${OK}X-A: a\0b\x07\x7fc\r\n${LENGTH}\r\nok`, { 'x-a': 'a b c' }],
  ['a bare carriage return', `${OK}X-A: a\rb\r\n${LENGTH}\r\nok`, { 'x-a': 'a b' }],
  ['a blank behind the size of a chunk', `${OK}${CHUNKED}\r\n2 \t\r\nok\r\n0 \r\n\r\n`],
  ['trailers that are none', `${OK}${CHUNKED}\r\n2\r\nok\r\n0\r\nno field\r\n: x\r\n\r\n`],
  ['a status line with two blanks', `HTTP/1.1  200  OK\r\n${LENGTH}\r\nok`],
  ['a status line with control characters', `HTTP/1.1 200 \0\r\n${LENGTH}\r\nok`],
  ['a later version of HTTP/1', `HTTP/1.2 200 OK\r\n${LENGTH}\r\nok`],
];

for (const [what, bytes, headers = {}] of READ) {
  test(`an answer with ${what} is read, in one piece and in many`, async t => {
    for (const pieces of [[bytes], [...bytes]]) {
      const result = await asked(t, pieces);
      assert.equal(result.outcome, 'response');
      assert.equal(result.responseStatus, 200);
      assert.equal(result.responseBody, 'ok');
      assert.equal(result.note, undefined);
      for (const [name, value] of Object.entries(headers)) {
        assert.equal(result.responseHeaders![name], value);
      }
    }
  });
}

for (const [what, lines] of [
  ['a folded line', 'X-A: one\r\n two\r\n'],
  ['chunked and a length', `${CHUNKED}${LENGTH}`],
  ['a length and chunked', `${LENGTH}${CHUNKED}`],
  ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n'],
  ['a header line without a name', ': b\r\n'],
] as const) {
  test(`an answer to HEAD with ${what} is read, and so is a 304`, async t => {
    const head = await asked(t, [`${OK}${lines}\r\n`], { method: 'HEAD', body: null });
    assert.deepEqual([head.outcome, head.responseStatus], ['response', 200]);
    const unchanged = await asked(t, [`HTTP/1.1 304 Not Modified\r\n${lines}\r\n`]);
    assert.deepEqual([unchanged.outcome, unchanged.responseStatus], ['response', 304]);
  });
}

/** Answers that end with their fault, as STATUS has them. */
const UNREADABLE: [string, string, string, string?][] = [
  ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n\r\nok', 'its length is not clear'],
  ['two lengths in a list', 'Content-Length: 1, 2\r\n\r\nok', 'its length is not clear'],
  ['a length that is none', 'Content-Length: +2\r\n\r\nok', 'its length is not clear'],
  ['no length behind the colon', 'Content-Length:\r\n\r\nok', 'its length is not clear'],
  ['a header line without a name', `: b\r\n${LENGTH}\r\nok`, 'one of its header lines has no name'],
  [
    'a header line without a colon',
    `abc\r\n${LENGTH}\r\nok`,
    'one of its header lines has no name',
  ],
  ['a chunk without a size', `${CHUNKED}\r\n1\r\no\r\nzz\r\n`, 'a chunk of it has no size', 'o'],
  [
    'an endless size',
    `${CHUNKED}\r\n1\r\no\r\n${'f'.repeat(20)}`,
    'a chunk of it has no size',
    'o',
  ],
  [
    'a chunk beyond its size',
    `${CHUNKED}\r\n1\r\nok`,
    'a chunk of it is longer than its size',
    'o',
  ],
];

for (const [what, bytes, reason, body] of UNREADABLE) {
  test(`an answer with ${what} keeps its status, its verdict, and says so`, async t => {
    for (const [status, verdict] of [
      [200, 'succeeded'],
      [404, 'failed'],
      [503, 'retry'],
    ] as const) {
      const result = await asked(t, [`HTTP/1.1 ${status} X\r\nX-A: b\r\n${bytes}`]);
      assert.equal(result.outcome, 'response');
      assert.equal(result.responseStatus, status);
      assert.equal(result.responseHeaders!['x-a'], 'b');
      assert.equal(result.responseBody, body);
      assert.match(
        result.note!,
        /^127\.0\.0\.1:\d+ answered \d{3}, and that counts, but the rest of its answer is no valid HTTP\/1\.1 \(/,
      );
      assert.ok(result.note!.endsWith(`(${reason}).`), result.note!);
      assert.equal(attemptOf(1, result).note, result.note);
      assert.equal(verdictOf(result), verdict);
    }
  });
}

test('Punctual-Control of an answer that cannot be read to its end is not obeyed', async t => {
  const result = await asked(t, [`${OK}Punctual-Control: disable\r\nContent-Length: x\r\n\r\n`]);
  assert.equal(result.outcome, 'response');
  assert.equal(result.control, undefined);
});

for (const [what, bytes] of [
  ['headers', `${OK}${'X-Some: thing\r\n'.repeat(2_000)}\r\n`],
  ['trailers', `${OK}${CHUNKED}\r\n0\r\n${'X-Some: thing\r\n'.repeat(2_000)}\r\n`],
] as const) {
  test(`an answer with more than 16 KiB of ${what} leads to no second request`, async t => {
    const result = await asked(t, [bytes]);
    assert.deepEqual([result.outcome, result.responseStatus], ['connectionError', 200]);
    assert.match(result.error!, new RegExp(`more than 16 KiB of ${what}`));
    assert.equal(verdictOf(result), 'failed');
  });
}

test('chunks that RFC 9112 allows keep their connection, wherever their bytes are split', async t => {
  const scripts: string[][] = [];
  const target = await serve(t, async (socket, nth) => {
    socket.setNoDelay(true);
    for (const piece of scripts[nth - 1]!) {
      socket.write(piece, 'latin1');
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    }
  });
  const { send } = sender(t);
  const size = fc.constantFrom('', '0', '00000000000000000000');
  const extension = fc.constantFrom('', ';a=b', ';a="b;c"', ' ; x');
  const chunk = fc.tuple(size, extension, fc.constantFrom('x', 'yz', '0\r\n\r\n', `${OK}\r\n`));
  const trailers = fc.constantFrom('', 'X-A: b\r\n', 'Content-Length: 7\r\n');
  const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk, { maxLength: 4 }),
      trailers,
      cuts,
      async (chunks, tail, at) => {
        const lines = chunks.map(
          ([zeros, more, text]) => `${zeros}${text.length.toString(16)}${more}\r\n${text}\r\n`,
        );
        const bytes = `${OK}${CHUNKED}\r\n${lines.join('')}0\r\n${tail}\r\n`;
        const ends = [...at.toSorted((a, b) => a - b), bytes.length];
        scripts.push(ends.map((end, n) => bytes.slice(ends[n - 1] ?? 0, end)).filter(Boolean));
        const result = await send(get(target.url));
        assert.equal(result.outcome, 'response');
        assert.equal(result.responseBody ?? '', chunks.map(([, , text]) => text).join(''));
      },
    ),
    { numRuns: 200 },
  );
  assert.equal(target.connections, 1);
});
