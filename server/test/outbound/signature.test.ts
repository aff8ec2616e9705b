import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createSigningSecret, sign, signatures } from '../../src/outbound/signature.ts';

test('Standard Webhooks: the vector of its reference libraries', () => {
  const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
  const payload = '{"event_type":"ping","data":{"success":true}}';
  assert.equal(
    sign(secret, 'msg_loFOjxBNrRLzqYUf', 1_731_705_121, payload),
    'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  );
});

test('Standard Webhooks: the vector of its specification', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const payload = '{"test": 2432232314}';
  assert.equal(
    sign(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, payload),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('Standard Webhooks: its library verifies whatever is signed', () => {
  const now = Math.floor(Date.now() / 1_000);
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), fc.string({ unit: 'binary' }), (id, body) => {
      const secret = createSigningSecret(randomBytes(32));
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(now),
        'webhook-signature': sign(secret, id, now, body),
      };
      new Webhook(secret).verify(body, headers, { jsonParse: false });
    }),
  );
});

test('it is the HMAC of Node, whatever the lengths of key and body', () => {
  const lengths = { minLength: 1, maxLength: 200 };
  const bodies = fc
    .tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.integer({ min: 0, max: 9_000 }))
    .map(([text, length]) => text.repeat(Math.ceil(length / text.length)).slice(0, length));
  fc.assert(
    fc.property(fc.uint8Array(lengths), bodies, (key, body) => {
      const secret = `whsec_${Buffer.from(key).toString('base64')}`;
      const digest = createHmac('sha256', key).update(`a.1.${body}`).digest('base64');
      assert.equal(sign(secret, 'a', 1, body), `v1,${digest}`);
    }),
  );
});

test('id, time, body and secret all change the signature', () => {
  const [one, two] = [createSigningSecret(randomBytes(32)), createSigningSecret(randomBytes(32))];
  const signatures = [
    sign(one, 'a', 1, 'x'),
    sign(two, 'a', 1, 'x'),
    sign(one, 'b', 1, 'x'),
    sign(one, 'a', 2, 'x'),
    sign(one, 'a', 1, 'y'),
    sign(one, 'a', 1, ''),
  ];
  assert.equal(new Set(signatures).size, signatures.length);
  assert.equal(sign(one, 'a', 1, 'x'), signatures[0]);
});

test('a signing secret is whsec_ and the base64 of what it is made of', () => {
  const random = randomBytes(32);
  const secret = createSigningSecret(random);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/);
  assert.deepEqual(Buffer.from(secret.slice(6), 'base64'), random);
});

test('a signing secret has 24 to 64 bytes', () => {
  assert.throws(() => createSigningSecret(randomBytes(23)), RangeError);
  assert.throws(() => createSigningSecret(randomBytes(65)), RangeError);
});

test('while an overlap lasts both secrets verify, by the library of the standard, and then only the new one', () => {
  const [fresh, old] = [createSigningSecret(randomBytes(32)), createSigningSecret(randomBytes(32))];
  const nowMs = Date.now();
  const verifies = (secret: string, until: number) => {
    const secrets = { signingSecret: fresh, oldSecret: { secret: old, until } };
    const headers = {
      'webhook-id': 'a',
      'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
      'webhook-signature': signatures(secrets, 'a', nowMs, 'x'),
    };
    try {
      new Webhook(secret).verify('x', headers, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  };
  for (const [until, isOldGood] of [
    [nowMs + 1, true],
    [nowMs, false],
  ] as const) {
    assert.deepEqual([verifies(fresh, until), verifies(old, until)], [true, isOldGood]);
  }
});

test('the new secret signs first, and a space is between the two', () => {
  const [one, two] = [createSigningSecret(randomBytes(32)), createSigningSecret(randomBytes(32))];
  const both = signatures(
    { signingSecret: one, oldSecret: { secret: two, until: 1_001 } },
    'a',
    1_000,
    '',
  );
  assert.equal(both, `${sign(one, 'a', 1, '')} ${sign(two, 'a', 1, '')}`);
  assert.equal(signatures({ signingSecret: one }, 'a', 1_000, ''), sign(one, 'a', 1, ''));
});
