import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  isSecretHeader,
  redact,
  redactCookie,
  redactCut,
  secretsAmong,
  secretsIn,
  secretsOfHeader,
  secretTexts,
} from '../../src/domain/run/redaction.ts';

const secretsOf = (...headers: string[]) => secretsIn(headers, headers.length);

describe('which headers are secret', () => {
  for (const name of [
    ...['Authorization', 'authorization', 'X-Authorisation', 'Cookie', 'X-Api-Key', 'apikey'],
    ...['X-API-Key-2', 'DD-API-KEY', 'Ocp-Apim-Subscription-Key', 'x-functions-key', 'X-Auth'],
    ...['X-Auth-Token', 'PRIVATE-TOKEN', 'X-Gitlab-Token', 'X-Csrf-Token', 'X-Vault-Token'],
    ...['X-Amz-Security-Token', 'X-Webhook-Secret', 'CF-Access-Client-Secret', 'X-Password'],
    ...['X-Hub-Signature-256', 'X-Session-Id', 'X-Credential', 'X-JWT', 'X-Pwd', 'X-Pass'],
  ]) {
    test(name, () => assert.equal(isSecretHeader(name), true));
  }
  for (const name of [
    ...['Content-Type', 'Accept', 'User-Agent', 'X-Request-Id', 'X-Author', 'X-Authority'],
    ...['Idempotency-Key', 'X-Idempotency-Key', 'X-Tenant', 'X-Environment', 'Accept-Language'],
    ...['If-Match', 'X-Keyboard', 'X-Bypass-Cache', 'Origin', 'Referer', 'traceparent'],
  ]) {
    test(`${name}: not`, () => assert.equal(isSecretHeader(name), false));
  }
});

test('credentials are a secret without their scheme, cookies without their names', () => {
  assert.deepEqual(secretsOf('Authorization', 'Bearer abcdefghij'), ['abcdefghij']);
  assert.deepEqual(secretsOf('X-Auth', 'Custom abcdefghij'), ['abcdefghij']);
  assert.deepEqual(secretsOf('X-Token', 'bearer abcdefghij'), ['abcdefghij']);
  assert.deepEqual(secretsOf('X-Password', 'correct horse battery'), ['correct horse battery']);
  assert.deepEqual(secretsOf('X-Api-Key', 'abcdefgh'), ['abcdefgh']);
  assert.deepEqual(secretsOf('Cookie', 'a=12345678; b=1; session=abc=defgh'), [
    'abc=defgh',
    '12345678',
  ]);
});

test('values of fewer than eight characters are left, and so are other headers', () => {
  assert.deepEqual(secretsOf('X-Api-Key', '1234567', 'X-Token', 'éééé'), []);
  assert.deepEqual(secretsOf('Content-Type', 'application/json'), []);
  assert.deepEqual(secretsIn(['Authorization', 'Bearer abcdefghij'], 0), []);
  assert.deepEqual(secretsOf('X-Auth', 'Basic abc'), ['Basic abc'], 'the whole is long enough');
});

test('a secret is looked for as text, as bytes and as JSON writes it', () => {
  const sent = Buffer.from('pass"wörd', 'utf8').toString('latin1');
  const secrets = secretsOf('X-Secret', sent);
  for (const echo of ['pass"wörd', sent, JSON.stringify('pass"wörd').slice(1, -1)]) {
    assert.equal(redact(`<${echo}> and <${echo}>`, secrets), '<[secret]> and <[secret]>');
  }
});

test('white space around a value and quotes around a cookie are no part of the secret', () => {
  assert.deepEqual(secretsOf('X-Token', ' \tabcdefgh '), ['abcdefgh']);
  assert.deepEqual(secretsOf('Authorization', ' Bearer  abcdefgh '), ['abcdefgh']);
  assert.deepEqual(secretsOf('Cookie', ' a="12345678" ; b=87654321 '), ['12345678', '87654321']);
});

test('a header of a schedule is judged like a header of its request', () => {
  assert.deepEqual(secretsAmong({ Authorization: 'Bearer abcdefghij', Accept: 'text/plain' }), [
    'abcdefghij',
  ]);
  assert.deepEqual(
    secretsAmong({ 'X-Secret': 'pässword' }),
    secretsOf('X-Secret', latin1('pässword')),
  );
  assert.deepEqual(secretsAmong(), []);
});

const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('a header that is secret whatever its name', () => {
  const table: [string, string, string, string[]][] = [
    ['a value', 'X-Tenant', 'abcdefgh', ['abcdefgh']],
    ['white space', 'X-Tenant', ' abcdefgh ', ['abcdefgh']],
    ['a usual scheme', 'X-Tenant', 'Bearer abcdefgh', ['Bearer abcdefgh', 'abcdefgh']],
    ['a scheme of its own', 'X-Tenant', 'Tok3n abcdefgh', ['Tok3n abcdefgh', 'abcdefgh']],
    ['cookies', 'cookie', 'a=12345678; b="87654321"', ['12345678', '87654321']],
  ];
  for (const [what, name, value, alone] of table) {
    test(what, () => {
      const texts = secretTexts(secretsOfHeader(name, value));
      for (const part of alone) assert.equal(redact(`<${part}>`, texts), '<[secret]>', part);
      assert.equal(redact(`<${value}>`, texts).includes('5678'), false);
    });
  }

  test('none of 200 cookies is left out, however many other secrets there are', () => {
    const values = Array.from({ length: 200 }, (_, n) => `value-${String(n).padStart(3, '0')}`);
    const cookies = values.map((value, n) => `c${n}=${value}`).join('; ');
    const others = Array.from({ length: 9 }, (_, n) => `"/long/secret/${n}/${'ä'.repeat(80)}"`);
    const texts = secretTexts([...others, ...secretsOfHeader('Cookie', cookies)]);
    for (const value of [...values, ...others]) {
      assert.equal(redact(`<${value}>`, texts), '<[secret]>');
    }
  });
});

test('a secret is found as writers of JSON in other languages write it', () => {
  const secret = 'p/ss"wörd';
  for (const texts of [secretsAmong({ 'X-Secret': secret }), secretTexts([secret])]) {
    for (const echo of [
      ...['p/ss\\"wörd', 'p\\/ss\\"wörd', 'p/ss\\"w\\u00f6rd', 'p\\/ss\\"w\\u00f6rd'],
    ]) {
      assert.equal(redact(`{"a":"${echo}"}`, texts), '{"a":"[secret]"}', echo);
    }
  }
});

describe('a secret that another writer has escaped', () => {
  const secret = 'pa&ss<wörd>+q\'/x y~!"z\\';
  const inJson = JSON.stringify(secret).slice(1, -1);
  const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
  const inUrl = encodeURIComponent(secret);
  const writers: Record<string, string> = {
    'JSON of Go': inJson.replace(/[<>&]/g, unit => `\\u${hex(unit)}`),
    'JSON of .NET': inJson.replace(/[<>&+'`]|[^ -~]/g, unit => `\\u${hex(unit).toUpperCase()}`),
    'JSON of PHP': inJson.replaceAll('/', '\\/'),
    'a script': inJson.replace(/[<>&']/g, unit => `\\x${hex(unit).slice(2)}`),
    'a url': inUrl,
    'a url in small letters': inUrl.replace(/%../g, code => code.toLowerCase()),
    'a url of Python': inUrl
      .replaceAll('%2F', '/')
      .replace(/[!'()*]/g, unit => `%${hex(unit).slice(2)}`),
    'a url that is whole': encodeURI(secret),
    'a form': new URLSearchParams([['', secret]]).toString().slice(1),
  };
  for (const [writer, echo] of Object.entries(writers)) {
    for (const texts of [secretsAmong({ 'X-Secret': secret }), secretTexts([secret])]) {
      test(`by ${writer} is found, once and again, and the text around it stays`, () => {
        const around = 'a\\u0041 %41 + "';
        assert.equal(redact(`<${echo}>${around}${echo}`, texts), `<[secret]>${around}[secret]`);
      });

      test(`by ${writer} is found where the text is cut`, () => {
        for (let length = 12; length < echo.length; length++) {
          const cut = `see ${echo.slice(0, length)}`;
          assert.equal(redactCut(cut, texts), 'see [secret]', cut);
        }
      });
    }
  }

  test('goes as a whole where another secret is its beginning', () => {
    const texts = secretTexts(['abcdefgh', 'abcdefgh&xyz']);
    for (const echo of ['abcdefgh\\u0026xyz', 'abcdefgh%26xyz', 'abcdefgh&xyz']) {
      assert.equal(redact(`\\n+%20${echo}`, texts), '\\n+%20[secret]', echo);
    }
  });

  test('costs little, however often it stands there', () => {
    const texts = secretTexts(['pa&ssword']);
    const text = 'pa\\u0026ssword'.repeat(20_000);
    assert.equal(redact(text, texts), '[secret]'.repeat(20_000));
  });
});

test('the longer secret goes first where one is part of another', () => {
  const secrets = secretsOf('X-Key', 'abcdefgh', 'X-Token', 'abcdefghijkl');
  assert.equal(redact('abcdefghijkl abcdefgh', secrets), '[secret] [secret]');
});

test('the beginning of a secret at the end of a cut text goes too, but for what may be chance', () => {
  const secrets = secretsOf('X-Token', 'tok-1234567890');
  assert.equal(redactCut('see tok-1234567890', secrets), 'see [secret]');
  for (let length = 4; length < 14; length++) {
    const cut = 'tok-1234567890'.slice(0, length);
    assert.equal(redactCut(`see ${cut}`, secrets), 'see [secret]', cut);
    assert.equal(redact(`see ${cut}`, secrets), `see ${cut}`, 'not where the text is whole');
  }
  assert.equal(redactCut('see tok', secrets), 'see tok');
  assert.equal(redactCut('tok-12, tok-', secrets), 'tok-12, [secret]');
  assert.equal(redactCut('', secrets), '');
});

test('of a cookie the name and the attributes stay, and an empty value', () => {
  for (const [cookie, kept] of [
    ['session=abc; Path=/; HttpOnly', 'session=[secret]; Path=/; HttpOnly'],
    ['a=b=c', 'a=[secret]'],
    ['a="b c"; Max-Age=1', 'a=[secret]; Max-Age=1'],
    ['a=; Max-Age=0', 'a=; Max-Age=0'],
    ['nameless; Path=/', '[secret]; Path=/'],
    ['=nameless; Path=/', '=[secret]; Path=/'],
    ['', ''],
  ] as const) {
    assert.equal(redactCookie(cookie), kept);
  }
});

test('many secrets cost little: of more than 64 the longest are looked for', () => {
  const cookies = Array.from({ length: 1_000 }, (_, n) => `c=${'x'.repeat(8)}${n}`).join(';');
  assert.equal(secretsOf('Cookie', cookies).length, 64);
});
