import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { demandsOf } from '../../src/domain/run/success.ts';
import { textOf } from '../../src/outbound/body-text.ts';
import { attemptOf, type OutboundRequest, type SendResult } from '../../src/outbound/send.ts';
import { get, leftOpen, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

const JSON_TYPE = 'application/json';
const TEXT = 'Zürich: "grüß" – 日本\n';

/** A request that is answered with this body. */
async function answered(
  t: TestContext,
  body: Buffer,
  headers: Record<string, string>,
  more: Partial<OutboundRequest> = {},
): Promise<SendResult> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = await serve(t, socket => {
    socket.write(`HTTP/1.1 200 OK\r\n${lines.join('')}Content-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
  return sender(t).send(get(target.url, more));
}

const CODINGS: [string, (bytes: Buffer) => Buffer][] = [
  ['gzip', zlib.gzipSync],
  ['X-GZIP', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
  ['identity', bytes => bytes],
  ['deflate, gzip', bytes => zlib.gzipSync(zlib.deflateSync(bytes))],
];

describe('a body in a coding', () => {
  for (const [coding, encoded] of CODINGS) {
    const headers = { 'Content-Encoding': coding, 'Content-Type': JSON_TYPE };
    test(`${coding} is kept as its text`, async t => {
      const body = encoded(Buffer.from(TEXT));
      const { responseBody, note } = await answered(t, body, headers);
      assert.equal(responseBody, TEXT);
      assert.equal(note, undefined);
    });

    test(`${coding} is kept as its first 4 KiB, where it has more`, async t => {
      const text = Array.from({ length: 20_000 }, (_, line) => `${line} ${Math.sin(line)}`).join();
      const { responseBody } = await answered(t, encoded(Buffer.from(text)), headers);
      assert.equal(responseBody, text.slice(0, 4_096));
    });
  }

  for (const [coding, encoded] of CODINGS.slice(0, 6)) {
    test(`${coding} costs bounded memory where it is a bomb`, async t => {
      const bomb = encoded(Buffer.alloc(1 << 26, 'x'));
      const before = process.memoryUsage().arrayBuffers;
      const { responseBody } = await answered(t, bomb, { 'Content-Encoding': coding });
      assert.equal(responseBody, 'x'.repeat(4_096));
      assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 24);
    });
  }

  test('is judged by its text', async t => {
    const body = zlib.gzipSync(Buffer.from('{"state":"done"}'));
    const headers = { 'Content-Encoding': 'gzip' };
    const verdicts: [string, string | undefined][] = [
      ['done', undefined],
      ['open', '/state was "done", and must be "open".'],
    ];
    for (const [equals, unmet] of verdicts) {
      const success = { json: { pointer: '/state', equals } };
      const result = await answered(t, body, headers, { success });
      assert.equal(result.unmet, unmet);
    }
  });

  test('has its secrets masked', async t => {
    const secret = 'a-secret-of-the-destination';
    const body = zlib.brotliCompressSync(Buffer.from(`you said ${secret}`));
    const more = { secrets: [secret] };
    const { responseBody } = await answered(t, body, { 'Content-Encoding': 'br' }, more);
    assert.doesNotMatch(responseBody!, new RegExp(secret));
  });

  test('that is none is not kept, and the attempt says so', async t => {
    const success = { bodyLacks: 'error' };
    for (const coding of ['gzip', 'br', 'zstd', 'compress', 'gzip, gzip, gzip, gzip']) {
      const headers = { 'Content-Encoding': coding, 'Content-Type': JSON_TYPE };
      const result = await answered(t, Buffer.from('an error'), headers, { success });
      assert.deepEqual(
        [result.outcome, result.responseStatus, result.responseBody],
        ['response', 200, undefined],
      );
      assert.equal(
        result.note,
        `The body (application/json, 8 bytes) is not kept, because it cannot be decoded (${coding}).`,
      );
      assert.equal(result.unmet, 'The body cannot be decoded, so it meets no condition.');
    }
  });
});

/** Bytes, their type, and the text that is kept of them; null: they are no text. */
const TEXTS: [number[] | string, string, string | null][] = [
  [[0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68], 'text/plain; charset=iso-8859-1', 'Zürich'],
  [[0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68], 'text/plain;Charset="ISO-8859-1"', 'Zürich'],
  [[0x80, 0x20, 0x31], 'text/html; charset=windows-1252; x=y', '€ 1'],
  [[0x93, 0xfa, 0x96, 0x7b], 'text/plain; charset=Shift_JIS', '日本'],
  [[0xc6, 0xfc, 0xcb, 0xdc], 'text/plain; charset=EUC-JP', '日本'],
  [[0xff, 0xfe, 0x5a, 0, 0xfc, 0], 'text/plain; charset=utf-16', 'Zü'],
  [[0, 0x5a, 0, 0xfc], 'text/plain; charset=utf-16be', 'Zü'],
  [[0xff, 0xfe, 0x5a, 0, 0xfc, 0], 'application/json', 'Zü'],
  [[0xfe, 0xff, 0, 0x5a], '', 'Z'],
  ['Zürich', 'text/plain; charset=utf-8', 'Zürich'],
  ['Zürich', 'text/plain; charset=us-ascii', 'Zürich'],
  ['Zürich', 'text/plain; charset=none-such', 'Zürich'],
  ['Zürich', 'image/png', 'Zürich'],
  [[0x5a, 0xfc], 'text/plain', 'Z\uFFFD'],
  [[0x5a, 0xfc], 'application/problem+json', 'Z\uFFFD'],
  [[0x5a, 0xfc], '', 'Z\uFFFD'],
  [[0x89, 0x50, 0x4e, 0x47], 'image/png', null],
  [[0x08, 0x96, 0x01], 'application/octet-stream', null],
  [[0x5a, 0], 'text/plain', 'Z\uFFFD'],
];

describe('the bytes of a body', () => {
  for (const [bytes, type, kept] of TEXTS) {
    test(`${JSON.stringify(bytes)} as ${type || 'no type'}`, async t => {
      const body = Buffer.from(bytes as string);
      const headers = type === '' ? {} : { 'Content-Type': type };
      const { responseBody, note } = await answered(t, body, headers as Record<string, string>);
      assert.equal(responseBody, kept ?? undefined);
      const told = `The body (${type}, ${body.length} bytes) is not kept, because it is no text.`;
      assert.equal(note, kept === null ? told : undefined);
    });
  }

  test('are told nothing of where history keeps no body', async t => {
    for (const keepResponse of ['headers', 'none'] as const) {
      for (const coding of ['identity', 'gzip']) {
        const headers = { 'Content-Type': 'image/png', 'Content-Encoding': coding };
        const success = demandsOf({ keepResponse })!;
        const result = await answered(t, Buffer.from([0x89, 0x50]), headers, { success });
        assert.deepEqual([result.responseStatus, result.note], [200, undefined]);
      }
    }
  });

  test('may be any, of any type: the text has whole characters', () => {
    const types = fc.constantFrom('utf-8', 'shift_jis', 'utf-16le', 'gb18030', 'euc-kr', 'none');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(40), types, (bytes, limit, charset) => {
        const headers = { 'content-type': `text/plain; charset=${charset}` };
        const { text } = textOf(Buffer.from(bytes), limit, headers);
        assert.ok(text.isWellFormed());
      }),
    );
  });
});

test('no sentence of an attempt has control characters', () => {
  const result: SendResult = { outcome: 'response', startedAt: 0, durationMs: 1, phases: {} };
  const responseHeaders = { location: '/a\u0085b\u009bc' };
  const note = 'a\u0000b';
  const attempt = attemptOf(1, { ...result, responseStatus: 302, responseHeaders, note });
  for (const sentence of [attempt.error, attempt.note]) {
    assert.doesNotMatch(sentence!, /\p{Cc}/u);
  }
});
