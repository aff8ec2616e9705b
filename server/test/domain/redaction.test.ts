import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  isSecretHeader,
  redact,
  redactCookie,
  redactCut,
  secretsIn,
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
