import assert from 'node:assert/strict';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkHeaders } from '../../src/domain/schedule/headers.ts';

function refuses(headers: Record<string, string>, sentence: RegExp): void {
  assert.throws(() => checkHeaders(headers), {
    name: 'PunctualError',
    code: 'headers_invalid',
    message: sentence,
  });
}

test('no headers, ordinary headers and odd names that are tokens pass', () => {
  checkHeaders({});
  checkHeaders({ Authorization: 'Bearer x', 'Content-Type': 'text/plain', 'User-Agent': 'me' });
  checkHeaders({ "!#$%&'*+-.^_`|~09azAZ": 'x', __proto__x: 'y' });
  checkHeaders(JSON.parse('{"__proto__": "p", "constructor": "c"}'));
});

for (const name of [
  '',
  ' ',
  'a b',
  'a:',
  'ä',
  'a\r\nb',
  'a\0',
  '(a)',
  'a/b',
  'a"b',
  'a,b',
  'a\x7f',
]) {
  test(`${JSON.stringify(name)} is no header name`, () => {
    refuses(
      { [name]: 'x' },
      /^headers: ".*" is not a valid header name(?:; the text that was sent .*)?\.$/,
    );
  });
}

for (const name of [
  'Host',
  'content-length',
  'TRANSFER-ENCODING',
  'Connection',
  'Keep-Alive',
  'Upgrade',
  'te',
  'Trailer',
  'Expect',
  'Proxy-Authorization',
  'proxy-connection',
  'webhook-id',
  'Webhook-Signature',
  'webhook-',
  'Punctual-Attempt',
  'PUNCTUAL-anything',
]) {
  test(`${name} is reserved`, () => {
    refuses({ [name]: 'x' }, /^headers: ".*" is set by the connection or by the service itself\.$/);
  });
}

test('names that only look like reserved ones pass', () => {
  checkHeaders({
    Hosts: 'x',
    'X-Webhook-Id': 'x',
    Punctual: 'x',
    Proxy: 'x',
    Webhook: 'x',
    Tea: 'x',
  });
});

test('two names that differ only in case are refused', () => {
  refuses({ 'X-A': '1', 'x-a': '2' }, /^headers: "x-a" is there twice, in different case\.$/);
  refuses({ 'x-a': '1', 'X-A': '2' }, /^headers: "X-A" is there twice, in different case\.$/);
});

for (const value of [
  'a\rb',
  'a\nb',
  'a\0b',
  '\r\nX: y',
  'a\x01b',
  'a\x1fb',
  'a\x7fb',
  'a\ud800b',
]) {
  test(`the value ${JSON.stringify(value)} is refused and does not stand in the sentence`, () => {
    refuses({ 'X-A': value }, /^headers: the value of "X-A" must be well-formed text without /);
  });
}

test('tabs, text of any language and characters that end in CR LF bytes pass', () => {
  checkHeaders({ A: 'a\tb', B: 'Zoë 🎈', C: 'a\u010D\u010Ab', D: '\x80\xff' });
});

test('50 headers pass, 51 do not', () => {
  const some = (n: number) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`X-${i}`, '']));
  checkHeaders(some(50));
  refuses(some(51), /^headers: at most 50 headers are allowed\.$/);
});

test('names and values together have at most 16 KiB, in bytes of UTF-8', () => {
  checkHeaders({ ABCD: 'x'.repeat(16 * 1024 - 4) });
  refuses(
    { ABCD: 'x'.repeat(16 * 1024 - 3) },
    /^headers: names and values together are at most 16 KiB/,
  );
  checkHeaders({ AB: 'ä'.repeat(8 * 1024 - 1) });
  refuses({ AB: 'ä'.repeat(8 * 1024) }, /16 KiB/);
  refuses({ A: 'x'.repeat(8 * 1024), B: 'x'.repeat(8 * 1024) }, /16 KiB/);
});

test('a very long name is cut in the sentence', () => {
  assert.throws(
    () => checkHeaders({ [`${'🎈'.repeat(5000)}`]: 'x' }),
    (error: Error) => error.message.length < 200 && error.message.isWellFormed(),
  );
});

test('whatever passes is accepted by the platform, and the other way round', () => {
  const name = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 4 });
  const value = fc.string({ unit: 'binary-ascii', maxLength: 4 });
  fc.assert(
    fc.property(name, value, (name, value) => {
      assert.equal(passes(`x${name}`, value), platformTakes(`x${name}`, value));
    }),
    { numRuns: 2_000 },
  );
});

function passes(name: string, value: string): boolean {
  try {
    checkHeaders({ [name]: value });
    return true;
  } catch {
    return false;
  }
}

function platformTakes(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
