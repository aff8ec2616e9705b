import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import {
  type IssuerKeys,
  newIssuerKey,
  PUBLISHED_FOR_MS,
  publicKeysOf,
  signingKeyOf,
  withNewKey,
} from '../../src/domain/access/issuer-keys.ts';
import { tokenSigner } from '../../src/engine/identity/issuer.ts';
import { TokenFault } from '../../src/engine/identity/token.ts';
import { issuerKeys, rotateIssuer } from '../../src/store/issuer.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';

/** The issuer: its keys, and the tokens that it signs. */

const NOW = Date.parse('2026-03-01T12:00:00.900Z');
const ISSUER = 'https://punctual.example.com';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let keys: IssuerKeys;

before(async () => {
  keys = [await newIssuerKey(NOW)];
});

test('a token has the claims of the issuer, the client and the audience, for ten minutes', async () => {
  const sign = tokenSigner({ publicUrl: ISSUER, keys: async () => keys });
  const { text, usableUntil } = await sign({ audience: 'target', clientId: 'ada' }, NOW);
  const jwks = createLocalJWKSet({ keys: publicKeysOf(keys, NOW) });
  const { payload, protectedHeader } = await jwtVerify(text, jwks, { currentDate: new Date(NOW) });
  const issuedAt = Math.floor(NOW / 1_000);
  assert.deepEqual(payload, {
    ...{ iss: ISSUER, sub: 'client:ada', aud: 'target' },
    ...{ iat: issuedAt, exp: issuedAt + 600 },
  });
  assert.deepEqual(protectedHeader, { alg: 'RS256', typ: 'JWT', kid: keys[0].kid });
  assert.equal(usableUntil, NOW + 300_000);
});

test('without a url or a secret key nothing is signed, and the sentence names the setting', async () => {
  const claims = { audience: 'target', clientId: 'ada' };
  for (const [options, setting] of [
    [{ publicUrl: null, keys: async () => keys }, /PUNCTUAL_URL is not set/],
    [{ publicUrl: ISSUER, keys: null }, /PUNCTUAL_SECRET_KEY is not set/],
  ] as const) {
    await assert.rejects(
      tokenSigner(options)(claims, NOW),
      error => error instanceof TokenFault && setting.test(error.message),
    );
  }
});

test('the id of a key is its thumbprint, and only its public half is published', async () => {
  const [published] = publicKeysOf(keys, NOW);
  assert.equal(published!.kid, await calculateJwkThumbprint({ ...published! }));
  assert.deepEqual(Object.keys(published!).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

const key = (kid: string) => ({ ...keys[0], kid });

test('a new key is published for an hour before it signs; the first one signs at once', async () => {
  const first = withNewKey(null, key('a'), NOW);
  assert.equal(signingKeyOf(first, NOW).kid, 'a');
  const all = withNewKey(first, key('b'), NOW + DAY);
  assert.deepEqual(
    publicKeysOf(all, NOW + DAY).map(({ kid }) => kid),
    ['b', 'a'],
  );
  assert.equal(signingKeyOf(all, NOW + DAY + HOUR - 1).kid, 'a');
  assert.equal(signingKeyOf(all, NOW + DAY + HOUR).kid, 'b');
  const sign = tokenSigner({ publicUrl: ISSUER, keys: async () => all });
  for (const [at, kid] of [
    [NOW + DAY, 'a'],
    [NOW + DAY + HOUR, 'b'],
  ] as const) {
    const { text } = await sign({ audience: 'target', clientId: 'ada' }, at);
    assert.equal(decodeProtectedHeader(text).kid, kid);
  }
});

test('each of two new keys of one hour signs in its turn', () => {
  let all = withNewKey(withNewKey(null, key('a'), NOW), key('b'), NOW + DAY);
  all = withNewKey(all, key('c'), NOW + DAY + HOUR / 2);
  assert.deepEqual(
    [0, HOUR - 1, HOUR, 1.5 * HOUR - 1, 1.5 * HOUR].map(
      after => signingKeyOf(all, NOW + DAY + after).kid,
    ),
    ['a', 'a', 'b', 'b', 'c'],
  );
});

test('a replaced key is published for seven days after it has signed', () => {
  const kidsAt = (all: IssuerKeys, now: number) => publicKeysOf(all, now).map(({ kid }) => kid);
  const replacedAt = NOW + HOUR;
  let all = withNewKey(withNewKey(null, key('a'), NOW), key('b'), NOW);
  assert.deepEqual(kidsAt(all, replacedAt + PUBLISHED_FOR_MS - 1).length, 2);
  assert.deepEqual(kidsAt(all, replacedAt + PUBLISHED_FOR_MS).length, 1);
  all = withNewKey(all, key('c'), NOW + 6 * DAY);
  assert.deepEqual(
    all.map(each => [each.kid, each.replacedAt]),
    [
      ['c', undefined],
      ['b', NOW + 6 * DAY + HOUR],
      ['a', replacedAt],
    ],
  );
  all = withNewKey(all, key('d'), NOW + 8 * DAY);
  assert.deepEqual(
    all.map(({ kid }) => kid),
    ['d', 'c', 'b'],
  );
});

test('nodes that need the first key at the same time, or replace it, agree on one', async () => {
  const { installation, close } = openSqlite(':memory:');
  const made = await Promise.all([1, 2, 3].map(() => issuerKeys(installation, NOW)));
  assert.equal(new Set(made.map(([{ kid }]) => kid)).size, 1);
  await Promise.all([1, 2].map(() => rotateIssuer(installation, NOW + 1)));
  const after = await issuerKeys(installation, NOW + 2);
  assert.equal(after.length, 3, 'each replacement counts');
  assert.equal(after[2]!.kid, made[0]![0].kid);
  await close();
});
