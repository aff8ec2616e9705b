import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { DestinationParts } from '../../src/domain/destination/destination.ts';
import {
  type DestinationBody,
  type DestinationFacts,
  draftDestination,
} from '../../src/domain/destination/draft/destination-draft.ts';
import { type ErrorCode, PunctualError } from '../../src/domain/errors.ts';
import { ALLOW_PUBLIC, parseAllowTargets } from '../../src/domain/schedule/target.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const FACTS: DestinationFacts = { allow: ALLOW_PUBLIC, now: NOW, isEncrypting: true, hasUrl: true };
const HOSTS = { hosts: ['api.example.com'] };

const draft = (
  body: Partial<DestinationBody>,
  present: DestinationParts | null = null,
  facts: Partial<DestinationFacts> = {},
) => draftDestination({ ...HOSTS, ...body }, present, { ...FACTS, ...facts });

const refuses = (work: () => unknown, sentence: RegExp | string, code?: ErrorCode) =>
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof PunctualError, String(error));
    if (typeof sentence === 'string') assert.equal(error.message, sentence);
    else assert.match(error.message, sentence);
    assert.equal(error.code, code ?? 'request_invalid');
    return true;
  });

/** Both of a file of PEM. */
function pair(name: string): { certificate: string; key: string } {
  const pem = readFileSync(join(import.meta.dirname, `../data/${name}.pem`), 'utf8');
  const at = pem.indexOf('-----BEGIN CERTIFICATE-----');
  return { key: pem.slice(0, at), certificate: pem.slice(at) };
}
const OWN = pair('localhost-trusted');
const OTHER = pair('localhost-untrusted');
const EXPIRED = pair('localhost-expired');

const OAUTH = {
  type: 'oauth2',
  tokenUrl: 'https://auth.example.com/token',
  clientId: 'punctual',
} as const;

describe('the parts of a destination', () => {
  test('secrets stand apart from the rest', () => {
    const tls = { ...OWN, ca: OTHER.certificate };
    const auths = [
      [
        { type: 'basic', username: 'Jürgen', password: 'a: b' },
        { type: 'basic', username: 'Jürgen' },
        { password: 'a: b' },
      ],
      [{ type: 'bearer', token: 'a|b' }, { type: 'bearer' }, { token: 'a|b' }],
      [
        { type: 'headers', headers: { 'X-Key': 'ä', 'X-Id': '1' } },
        { type: 'headers', names: ['X-Key', 'X-Id'] },
        { headers: { 'X-Key': 'ä', 'X-Id': '1' } },
      ],
      [
        { ...OAUTH, clientSecret: 's', scope: 'a b', audience: 'x', sendAs: 'body' },
        { ...OAUTH, scope: 'a b', audience: 'x', sendAs: 'body' },
        { clientSecret: 's' },
      ],
      [{ type: 'oidc', audience: 'https://api' }, { type: 'oidc', audience: 'https://api' }, {}],
    ] as const;
    for (const [auth, config, secrets] of auths) {
      assert.deepEqual(draft({ auth: auth as DestinationBody['auth'] & {}, tls }), {
        config: {
          ...HOSTS,
          auth: config,
          tls: { certificate: OWN.certificate, ca: OTHER.certificate },
        },
        secrets: { ...secrets, tlsKey: OWN.key },
      });
    }
  });

  test('objects that say nothing are left out', () => {
    assert.deepEqual(draft({ tls: {}, limits: {} }), { config: HOSTS, secrets: {} });
    const said = { allowHttp: false, limits: { perSecond: 0.5 } };
    assert.deepEqual(draft(said).config, { ...HOSTS, ...said });
  });

  test('a secret that a body leaves out is kept, and what a body leaves out otherwise is gone', () => {
    for (const auth of [
      { type: 'basic', username: 'a', password: 'b' },
      { type: 'bearer', token: 'b' },
      { type: 'headers', headers: { 'X-Key': 'b' } },
      { ...OAUTH, clientSecret: 'b' },
    ] as const) {
      const before = draft({ auth, tls: OWN, limits: { perSecond: 1 } });
      const { password: _, ...bare } = { ...auth } as Record<string, unknown>;
      const { token: _t, headers: _h, clientSecret: _s, ...rest } = bare;
      const kept = { auth: rest as never, tls: { certificate: OWN.certificate } };
      const { limits: _l, ...config } = before.config;
      assert.deepEqual(draft(kept, before), { config, secrets: before.secrets });
      assert.deepEqual(draft({}, before), { config: HOSTS, secrets: {} });
    }
  });

  test('fields that lead nowhere change without the secret', () => {
    const auth = { ...OAUTH, clientSecret: 'b' };
    const before = draft({ auth, hosts: ['a.example', 'b.example'], allowHttp: false });
    const after = draft(
      {
        hosts: ['B.example', 'a.example'],
        auth: { ...OAUTH, clientId: 'x', scope: 'y', audience: 'z', sendAs: 'body' },
        limits: { maxConcurrent: 1 },
      },
      before,
    );
    assert.equal(after.secrets.clientSecret, 'b');
  });
});

describe('a secret is not led elsewhere', () => {
  const bearer = { type: 'bearer' } as const;
  const before = draft({
    auth: { ...bearer, token: 'old' },
    tls: { ...OWN, ca: OWN.certificate },
  });
  const kept = {
    auth: bearer,
    tls: { certificate: OWN.certificate, ca: OWN.certificate },
  };
  const changes: [string, Partial<DestinationBody>][] = [
    ['hosts', { hosts: ['api.example.com', 'b.example'] }],
    ['hosts', { hosts: ['api.example.com:443'] }],
    ['allowHttp', { allowHttp: true }],
    ['tls.ca', { tls: { certificate: OWN.certificate } }],
    ['tls.ca', { tls: { certificate: OWN.certificate, ca: OTHER.certificate } }],
  ];
  for (const [field, change] of changes) {
    test(`${JSON.stringify(change).slice(0, 50)} asks for all of them`, () => {
      const body = { ...kept, ...change };
      refuses(
        () => draft(body, before),
        `auth.token and tls.key must be sent again, because ${field} has changed.`,
        'secret_required',
      );
      const sent = { ...body, auth: { ...bearer, token: 'new' } };
      refuses(() => draft(sent, before), /^tls\.key must be sent again/, 'secret_required');
      const all = { ...sent, tls: { ...body.tls, key: OWN.key } };
      assert.deepEqual(draft(all, before).secrets, { token: 'new', tlsKey: OWN.key });
    });
  }

  test('another type of authentication asks for its secret, and for the key', () => {
    const basic = { ...kept, auth: { type: 'basic', username: 'a' } as const };
    refuses(
      () => draft(basic, before),
      'auth.password must be sent, because auth.type has changed.',
      'secret_required',
    );
    const sent = { ...basic, auth: { ...basic.auth, password: 'x' } };
    refuses(
      () => draft(sent, before),
      'tls.key must be sent again, because auth.type has changed.',
      'secret_required',
    );
  });

  test('another token endpoint asks for the secret of the client', () => {
    const oauth = draft({ auth: { ...OAUTH, clientSecret: 'x' } });
    const auth = { ...OAUTH, tokenUrl: 'https://evil.example/' };
    refuses(
      () => draft({ auth }, oauth),
      'auth.clientSecret must be sent again, because auth.tokenUrl has changed.',
      'secret_required',
    );
  });

  test('a secret that was taken away does not come back', () => {
    const bare = draft({ hosts: ['evil.example'] }, before);
    assert.deepEqual(bare.secrets, {});
    refuses(
      () => draft({ hosts: ['evil.example'], auth: bearer }, bare),
      'auth.token is required.',
    );
  });

  test('the key stays where only the authentication is taken away', () => {
    assert.deepEqual(draft({ tls: kept.tls }, before).secrets, { tlsKey: OWN.key });
  });
});

describe('what is refused', () => {
  const cases: [string, Partial<DestinationBody>, RegExp | string, ErrorCode?][] = [
    ['no host', { hosts: ['a.example', 'x y'] }, /^hosts\[1\] must be a host name or an address/],
    [
      'a host twice',
      { hosts: ['a.example', 'A.EXAMPLE'] },
      'hosts[1] is the same host as hosts[0].',
    ],
    [
      'basic without a password',
      { auth: { type: 'basic', username: 'a' } },
      'auth.password is required.',
    ],
    [
      'an empty password',
      { auth: { type: 'basic', username: 'a', password: '' } },
      'auth.password must not be empty.',
    ],
    [
      'a colon in the user name',
      { auth: { type: 'basic', username: 'a:b', password: 'c' } },
      'auth.username must not contain a colon.',
    ],
    [
      'a control character in the user name',
      { auth: { type: 'basic', username: 'a\n', password: 'c' } },
      /^auth\.username must be well-formed/,
    ],
    [
      'a control character in the password',
      { auth: { type: 'basic', username: 'a', password: 'c\0' } },
      /^auth\.password must be well-formed/,
    ],
    [
      'half a character',
      { auth: { type: 'basic', username: 'a', password: '\ud800' } },
      /^auth\.password must be well-formed/,
    ],
    ['bearer without a token', { auth: { type: 'bearer' } }, 'auth.token is required.'],
    [
      'an empty token',
      { auth: { type: 'bearer', token: '' } },
      /^auth\.token must be visible ASCII/,
    ],
    [
      'a token with a line end',
      { auth: { type: 'bearer', token: 'a\r\nX: y' } },
      /^auth\.token must be visible ASCII/,
    ],
    ['headers without any', { auth: { type: 'headers' } }, 'auth.headers is required.'],
    [
      'no headers',
      { auth: { type: 'headers', headers: {} } },
      'auth.headers must have 1 to 10 headers.',
    ],
    [
      'too many headers',
      {
        auth: {
          type: 'headers',
          headers: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'x'])),
        },
      },
      'auth.headers must have 1 to 10 headers.',
    ],
    [
      'an empty header',
      { auth: { type: 'headers', headers: { 'X-A': '' } } },
      'auth.headers: X-A must not be empty.',
    ],
    [
      'a reserved header',
      { auth: { type: 'headers', headers: { Host: 'x' } } },
      /^auth\.headers: "Host" is set by the connection/,
      'headers_invalid',
    ],
    [
      'a header with a line end',
      { auth: { type: 'headers', headers: { 'X-A': 'a\r\nb' } } },
      /^auth\.headers: the value of "X-A"/,
      'headers_invalid',
    ],
    ['oauth2 without a secret', { auth: OAUTH }, 'auth.clientSecret is required.'],
    [
      'an empty client secret',
      { auth: { ...OAUTH, clientSecret: '' } },
      /^auth\.clientSecret must be printable/,
    ],
    [
      'an empty client id',
      { auth: { ...OAUTH, clientId: '', clientSecret: 'x' } },
      /^auth\.clientId must be printable/,
    ],
    [
      'an empty scope',
      { auth: { ...OAUTH, scope: '', clientSecret: 'x' } },
      /^auth\.scope must be printable/,
    ],
    [
      'a token url that is none',
      { auth: { ...OAUTH, tokenUrl: 'auth', clientSecret: 'x' } },
      /^auth\.tokenUrl: a url must be absolute/,
      'target_invalid',
    ],
    [
      'a token url within',
      { auth: { ...OAUTH, tokenUrl: 'https://169.254.169.254/', clientSecret: 'x' } },
      /^auth\.tokenUrl: .*metadata/,
      'target_refused',
    ],
    [
      'a token url in the open',
      { auth: { ...OAUTH, tokenUrl: 'HTTP://auth.example.com/', clientSecret: 'x' } },
      'auth.tokenUrl must begin with https://, unless allowHttp is true.',
    ],
    [
      'oidc for nobody',
      { auth: { type: 'oidc', audience: '' } },
      'auth.audience must not be empty.',
    ],
    ['a key alone', { tls: { key: OWN.key } }, 'tls.key needs tls.certificate beside it.'],
    [
      'a certificate alone',
      { tls: { certificate: OWN.certificate } },
      'tls.key is required beside tls.certificate.',
    ],
    [
      'a key for a certificate',
      { tls: { certificate: OWN.key, key: OWN.key } },
      'tls.certificate must be one or more certificates as PEM.',
    ],
    [
      'both in one',
      { tls: { certificate: OWN.certificate + OWN.key, key: OWN.key } },
      'tls.certificate must be one or more certificates as PEM.',
    ],
    [
      'a certificate cut short',
      { tls: { ...OWN, certificate: OWN.certificate.replace(/.{60}\n/, '\n') } },
      'tls.certificate must be one or more certificates as PEM.',
    ],
    [
      'a certificate for a key',
      { tls: { certificate: OWN.certificate, key: OWN.certificate } },
      'tls.key must be a private key as PEM, without a passphrase.',
    ],
    [
      'an empty key',
      { tls: { certificate: OWN.certificate, key: '' } },
      'tls.key must be a private key as PEM, without a passphrase.',
    ],
    [
      "another's key",
      { tls: { certificate: OWN.certificate, key: OTHER.key } },
      'tls.key does not belong to tls.certificate.',
    ],
    [
      'no authority',
      { tls: { ca: 'trust me' } },
      'tls.ca must be one or more certificates as PEM.',
    ],
    ['an expired certificate', { tls: EXPIRED }, /^tls\.certificate has expired at \d{4}-.*Z\.$/],
  ];
  for (const [name, body, sentence, code] of cases) {
    test(name, () => refuses(() => draft(body), sentence, code));
  }

  test('a setting that is missing is named', () => {
    const plain = { isEncrypting: false };
    for (const [body, field] of [
      [{ auth: { type: 'bearer', token: 'x' } }, 'auth'],
      [{ auth: { type: 'oidc', audience: 'x' } }, 'auth.type oidc'],
      [{ tls: OWN }, 'tls.key'],
    ] as [Partial<DestinationBody>, string][]) {
      refuses(
        () => draft(body, null, plain),
        `${field} needs PUNCTUAL_SECRET_KEY: without it Punctual keeps no secret of a destination.`,
      );
    }
    assert.deepEqual(
      draft({ tls: { ca: OWN.certificate }, limits: { perSecond: 1 } }, null, plain).secrets,
      {},
    );
    refuses(
      () => draft({ auth: { type: 'oidc', audience: 'x' } }, null, { hasUrl: false }),
      'auth.type oidc needs PUNCTUAL_URL: it is the issuer of the token.',
    );
  });
});

describe('what may be sent in the open, and what has ended', () => {
  test('a token endpoint may be in the open where allowHttp is true and the setting allows its host', () => {
    const auth = { ...OAUTH, tokenUrl: 'http://10.0.0.7:8080/token', clientSecret: 'x' };
    const allow = parseAllowTargets('10.0.0.0/8');
    draft({ auth, allowHttp: true }, null, { allow });
    refuses(() => draft({ auth, allowHttp: true }), /^auth\.tokenUrl: /, 'target_refused');
  });

  test('a certificate that has ended since is sent back with a change of something else', () => {
    const before: DestinationParts = {
      config: { ...HOSTS, tls: { certificate: EXPIRED.certificate } },
      secrets: { tlsKey: EXPIRED.key },
    };
    const tls = { certificate: EXPIRED.certificate };
    assert.equal(draft({ tls, limits: { perSecond: 2 } }, before).secrets.tlsKey, EXPIRED.key);
  });

  test('a renewed certificate goes on with the key where it belongs to it, and else asks for one', () => {
    const before = draft({ tls: OWN });
    // Text in front of a certificate is no part of it.
    const renewed = `subject=localhost\n${OWN.certificate}`;
    assert.equal(draft({ tls: { certificate: renewed } }, before).secrets.tlsKey, OWN.key);
    refuses(
      () => draft({ tls: { certificate: OTHER.certificate } }, before),
      'tls.key must be sent again: the key that is kept does not belong to tls.certificate.',
      'secret_required',
    );
  });
});
