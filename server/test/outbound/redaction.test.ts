import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { buildRunRequest } from '../../src/outbound/request.ts';
import type { OutboundRequest, Send } from '../../src/outbound/send.ts';
import { createSenderPool } from '../../src/outbound/sender-pool.ts';
import { answer, leftOpen, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

const TOKEN = 'eyJhbGciOi-the-token';
const HEADERS = {
  Authorization: `Bearer ${TOKEN}`,
  Cookie: 'session=cookie-of-the-session; theme=dark',
  'X-Api-Key': 'key "of" Zoë',
  'Content-Type': 'application/json',
};

function firing(url: string, headers: Record<string, string> = HEADERS): OutboundRequest {
  return buildRunRequest(
    { url, verb: 'POST', headers, data: { a: 'b' } },
    {
      runId: '01890a5d-ac96-774b-bcce-b302099a8057',
      scheduleId: '01890a5d-ac96-774b-bcce-b302099a8058',
      scheduledFor: 0,
      attempt: 1,
      nowMs: 0,
      secrets: { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      timeoutMs: 10_000,
    },
  );
}

/** Everything that was sent comes back: in a header of the answer, and as JSON in its body. */
const serveEcho = (t: TestContext) =>
  serve(t, (socket, _nth, { head }) => {
    const body = JSON.stringify({ got: Buffer.from(head, 'latin1').toString('utf8') });
    const echo = `X-Echo: ${/^authorization: (.*)$/im.exec(head)![1]}`;
    const key = `X-Echo: ${/^x-api-key: (.*)$/im.exec(head)![1]}`;
    socket.write(Buffer.from(`HTTP/1.1 401 No\r\n${echo}\r\n${key}\r\n`, 'latin1'));
    socket.write('Set-Cookie: session=abc; Path=/\r\nSet-Cookie: theme=; Max-Age=0\r\n');
    socket.write('Content-Type: application/json\r\n');
    socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });

function threads(t: TestContext): Send {
  const made = createSenderPool({
    allow: parseAllowTargets('127.0.0.0/8'),
    threads: 1,
    connectionsPerOrigin: 1,
    maxOrigins: 1,
    maxLookups: 1,
  });
  t.after(() => made.close());
  return made.send;
}

for (const by of ['the main thread', 'a thread']) {
  test(`secrets of the request that the target echoes are not kept, sent by ${by}`, async t => {
    const target = await serveEcho(t);
    const send = by === 'a thread' ? threads(t) : sender(t).send;
    const result = await send(firing(target.url));
    assert.equal(result.responseStatus, 401);
    assert.deepEqual(
      { ...result.responseHeaders, 'content-length': '' },
      {
        'content-length': '',
        'content-type': 'application/json',
        'set-cookie': 'session=[secret]; Path=/\ntheme=; Max-Age=0',
        'x-echo': 'Bearer [secret], [secret]',
      },
    );
    const body = result.responseBody!;
    assert.match(body, /Authorization: Bearer \[secret\]\\r\\n/);
    assert.match(body, /Cookie: session=\[secret\]; theme=dark\\r\\n/);
    assert.match(body, /X-Api-Key: \[secret\]\\r\\n/);
    assert.match(body, /Content-Type: application\/json\\r\\n/);
    const kept = JSON.stringify(result);
    for (const secret of ['the-token', 'cookie-of', 'of\\', 'Zo']) {
      assert.ok(!kept.includes(secret), secret);
    }
  });
}

test('an echo that the limit of 4 KiB cuts is not kept either, wherever it is cut', async t => {
  const target = await serve(t, (socket, _nth, { head }) => {
    const before = Number(/^POST \/(\d+) /.exec(head)![1]);
    socket.write(answer(`${'x'.repeat(before)}${TOKEN} and more`));
  });
  const { send } = sender(t);
  for (let before = 4_096 - TOKEN.length - 1; before < 4_096; before++) {
    const { responseBody } = await send(firing(`${target.url}${before}`));
    const behind = ' and more'.slice(0, Math.max(0, 4_096 - before - TOKEN.length));
    assert.equal(responseBody, `${'x'.repeat(before)}[secret]${behind}`);
  }
  const { responseBody } = await send(firing(`${target.url}4096`));
  assert.equal(responseBody, 'x'.repeat(4_096));
});

test('nor one that is escaped, nor one in a body that is compressed', async t => {
  const inJson = [...TOKEN].map(unit => `\\u00${unit.charCodeAt(0).toString(16)}`).join('');
  for (const charset of ['utf-8', 'utf-16le']) {
    const size = charset === 'utf-8' ? 1 : 2;
    const before = 'x'.repeat(4_096 / size - 7);
    const text = Buffer.from(`${before}${inJson} and more`, charset as BufferEncoding);
    for (const body of [text, gzipSync(text)]) {
      const coding = body === text ? 'identity' : 'gzip';
      const type = `Content-Type: application/json; charset=${charset}`;
      const head = [type, `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`];
      const target = await serve(t, socket => {
        socket.write(`HTTP/1.1 200 OK\r\n${head.join('\r\n')}\r\n\r\n`);
        socket.write(body);
      });
      const { responseBody } = await sender(t).send(firing(target.url));
      assert.equal(responseBody, `${before}[secret]`);
    }
  }
});

test('no condition sees the beginning of a secret where 64 KiB cut it', async t => {
  const before = 'x'.repeat(64 * 1_024 - 3);
  const target = await serve(t, socket => socket.write(answer(`${before}${TOKEN}`)));
  const request = { ...firing(target.url), secrets: [TOKEN] };
  const guess = TOKEN.slice(0, 2);
  const result = await sender(t).send({ ...request, success: { bodyContains: guess } });
  assert.equal(result.unmet, `The body does not contain "${guess}".`);
});

test('nor one that breaks off, nor one in a header that is cut', async t => {
  const target = await serve(t, (socket, nth) => {
    if (nth === 1) {
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsent: ${TOKEN.slice(0, 9)}`);
      return;
    }
    const long = `X-Long: ${'x'.repeat(8_150)}${TOKEN}`;
    socket.write(answer('', '200 OK', [long]));
  });
  const { send } = sender(t);
  const broken = await send(firing(target.url));
  assert.equal(broken.outcome, 'connectionError');
  assert.equal(broken.responseBody, 'sent: [secret]');
  const cut = await send(firing(target.url));
  assert.match(cut.responseHeaders!['x-long']!, /^x{8150}\[secret\]$|^x{8150}\[?s?e?c?r?e?t?…$/);
});

test('where the request has no secret, nothing is taken for one', async t => {
  const target = await serve(t, (socket, _nth, { head }) => socket.write(answer(head)));
  const headers = {
    'X-Api-Key': 'short',
    'Content-Type': 'application/json',
    'X-Team': 'platform',
  };
  const result = await sender(t).send(firing(target.url, headers));
  assert.equal(result.responseBody, target.requests[0]!.head);
});

test('where a redirect points to is told without the secrets in it', async t => {
  const target = await serve(t, socket =>
    socket.write(answer('', '302 Found', [`Location: /sign-in?token=${TOKEN}`])),
  );
  const result = await sender(t).send(firing(target.url));
  assert.equal(result.responseHeaders!.location, '/sign-in?token=[secret]');
});
