import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { judge } from '../../src/domain/run/verdict.ts';
import { attemptOf, type SendResult } from '../../src/outbound/send.ts';
import { pick, type Random, randomFrom } from '../support/api/mutate.ts';
import { isLongRun } from '../support/long.ts';
import {
  answer,
  get,
  leftOpen,
  NOTHING_OPEN,
  sender,
  serve,
} from '../support/outbound/target-server.ts';

/**
 * Answers that are almost right, from a seed: none hangs, none leads to a request that its status would not lead to, and no
 * other request gets a byte of them. `FUZZ_ANSWERS` says how many; `FUZZ_SEED` runs one again.
 */
const ANSWERS = Number(process.env.FUZZ_ANSWERS ?? (isLongRun ? 100_000 : 500));
const SEED = Number(process.env.FUZZ_SEED ?? 33_001);
const AT_ONCE = 16;

after(async () => assert.deepEqual(await leftOpen(), []));

const CHUNKS = '5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n';
/** As servers send them. */
const REAL = [
  'HTTP/1.1 200 OK\r\nServer: nginx/1.27.0\r\nDate: Thu, 26 Nov 2026 10:00:00 GMT\r\nContent-Type: text/html\r\nContent-Length: 11\r\nConnection: keep-alive\r\nETag: "66-1"\r\n\r\nhello world',
  `HTTP/1.1 200 OK\r\nDate: Thu, 26 Nov 2026 10:00:00 GMT\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}\r\n`,
  `HTTP/1.1 201 Created\r\nX-Powered-By: Express\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n${CHUNKS}X-Sum: 1\r\n\r\n`,
  'HTTP/1.1 404 Not Found\r\nServer: Apache/2.4.62 (Debian)\r\nContent-Length: 9\r\nKeep-Alive: timeout=5, max=100\r\nConnection: Keep-Alive\r\n\r\nnot found',
  'HTTP/1.0 200 OK\r\nServer: SimpleHTTP/0.6 Python/3.13.0\r\nContent-type: text/html\r\n\r\nhello world',
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy',
  'HTTP/1.1 204 No Content\r\nServer: Microsoft-IIS/10.0\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 120\r\n\r\n',
  'HTTP/1.1 301 Moved Permanently\r\nLocation: https://example.com/\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: a=b; Path=/\r\nSet-Cookie: c=d\r\nX-Long: one\r\n two\r\n\r\nok',
  'HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 2\n\nok',
];
const PIECES = [
  ...['\r\n', '\n', '\r', '\0', ' ', '\t', ':', ';', ',', '\x7f', '\xff', '0', '5', 'f', '-'],
  ...[
    '\r\n\r\n',
    '\n\n',
    ' :',
    '\r\n ',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
    '5 \r\n',
    '101',
    '000',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: 5, 5\r\n',
    'Content-Length : 3\r\n',
    'Upgrade: h2c\r\n',
  ],
  ...['Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip\r\n', 'Connection: close\r\n'],
  ...['HTTP/1.1 200 OK\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', `X-Big: ${'x'.repeat(9_000)}\r\n`],
];

function mutated(random: Random): string {
  const at = (text: string) => Math.floor(random() * (text.length + 1));
  let text = pick(random, REAL);
  for (let left = Math.floor(random() * 5); left > 0; left -= 1) {
    const from = at(text);
    const to = from + Math.floor(random() ** 3 * 20);
    const lines = text.split(/(?<=\n)/);
    const line = Math.floor(random() * lines.length);
    text = pick(random, [
      () => text.slice(0, from) + pick(random, PIECES) + text.slice(from),
      () => text.slice(0, from) + pick(random, PIECES) + text.slice(to),
      () => text.slice(0, from) + text.slice(to),
      () => lines.toSpliced(line, 0, pick(random, PIECES)).join(''),
      () => lines.toSpliced(line, 0, pick(random, lines)).join(''),
      () => lines.toSpliced(line, 1).join(''),
      () => text.slice(0, random() < 0.2 ? from : text.length),
      () => text + pick(random, REAL),
    ])();
  }
  return text;
}

/** Writes it in up to four pieces, and ends the connection a little later where the answer does not end by itself. */
async function play(socket: Socket, text: string, random: Random): Promise<void> {
  socket.setNoDelay(true);
  let rest = Buffer.from(text, 'latin1');
  for (let left = Math.floor(random() * 4); left > 0; left -= 1) {
    const end = Math.floor(random() * (rest.length + 1));
    if (end > 0) socket.write(rest.subarray(0, end));
    rest = rest.subarray(end);
    await new Promise(setImmediate);
  }
  socket.write(rest);
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  if (random() < 0.1) socket.resetAndDestroy();
  else socket.end();
}

/** The status of an answer whose status line is plain and not an interim one. */
function plainStatus(text: string): number | null {
  const [, status] = /^HTTP\/1\.[01] ([2-9]\d\d)(?: [\t -~]*)?\r?\n/.exec(text) ?? [];
  return status === undefined ? null : Number(status);
}

function check(result: SendResult, text: string): void {
  assert.ok(['response', 'connectionError'].includes(result.outcome), result.outcome);
  const { responseStatus: status, error = '' } = result;
  const told = plainStatus(text);
  // A reset may take bytes with it that had come.
  const isCut = /(without an answer|before the end)\.$/.test(error);
  if (told !== null && !(isCut && status === undefined)) assert.equal(status, told);
  if (status === undefined) return;
  const bounds = { scheduledFor: 0, nextFor: null };
  const { kind } = judge([attemptOf(1, result)], undefined, bounds, 1, 0);
  const isFine = status >= 200 && status < 300;
  const isRetried = status >= 500 && status < 600 ? true : [408, 425, 429].includes(status);
  // The contract: a success is a complete answer.
  const expected = isFine ? (isCut ? 'retry' : 'succeeded') : isRetried ? 'retry' : 'failed';
  if (/more than 16 KiB/.test(error) && isFine) assert.equal(kind, 'failed');
  else assert.equal(kind, expected);
}

test(`${ANSWERS} answers that are almost right, from the seed ${SEED}`, async t => {
  const texts: string[] = [];
  const played: Promise<void>[] = [];
  const target = await serve(t, (socket, _nth, { head }) => {
    const [, kind, n] = /^[A-Z]+ \/(\w+)\/(\d+) /.exec(head)!;
    if (kind === 'fine') socket.write(answer(`fine ${n}`));
    else played[Number(n)] = play(socket, texts[Number(n)]!, randomFrom(SEED ^ (Number(n) * 7919)));
  });
  const bystander = await serve(t, (socket, nth) => socket.write(answer(`own ${nth}`)));
  const { send, close, stats } = sender(t, { resolve: async () => ['127.0.0.1'] });
  const random = randomFrom(SEED);
  let next = 0;
  const worker = async (name: string) => {
    // A pool of its own, so that no other worker's request meets bytes that come late.
    const origin = `http://${name}.test:${target.port}`;
    while (next < ANSWERS) {
      const n = next++;
      texts[n] = mutated(random);
      const method = pick(random, ['POST', 'POST', 'GET', 'HEAD']);
      const body = method === 'POST' ? '{}' : null;
      const odd = await send(get(`${origin}/odd/${n}`, { method, body, timeoutMs: 20_000 }));
      // Nothing could tell bytes that come behind an answer, and behind the next request, from its answer.
      await played[n];
      // It may be on its way over a connection that the target is about to end, but it never gets another answer.
      const fine = await send(get(`${origin}/fine/${n}`, { method: 'POST', body: '{}' }));
      const other = await send(get(bystander.url, { method: 'POST', body: '{}' }));
      try {
        check(odd, texts[n]!);
        if (fine.outcome === 'response') assert.equal(fine.responseBody, `fine ${n}`);
        else assert.match(fine.error!, /closed the connection without an answer\.$/);
        assert.equal(other.outcome, 'response');
        assert.match(other.responseBody!, /^own \d+$/);
      } catch (error) {
        const what = JSON.stringify({ seed: SEED, n, method, answer: texts[n], odd, fine, other });
        throw new Error(what, { cause: error });
      }
      texts[n] = '';
      for (const { sockets, requests } of [target, bystander]) {
        sockets.length = 0;
        requests.length = 0;
      }
      delete played[n];
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => worker(`w${nth}`)));
  assert.equal(bystander.connections <= AT_ONCE, true, 'the connections of the other target last');
  await close();
  assert.deepEqual(stats(), NOTHING_OPEN);
});
