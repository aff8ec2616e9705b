import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Destination } from '@punctual/client';
import { fitsHosts } from '../../server/src/domain/destination/hosts.ts';
import type { SendResult } from '../../server/src/outbound/send.ts';
import { grantedToken } from '../../server/src/outbound/token-request.ts';
import {
  type DestinationDraft,
  destinationDraftOf,
  destinationInputOf,
  newDestinationDraft,
} from '../src/destination/destination-draft.ts';
import { byFit, isAmong } from '../src/destination/destination-hosts.ts';
import { destinationProblems, problemsNamedIn } from '../src/destination/destination-problems.ts';
import {
  authText,
  behindAnswer,
  limitsText,
  tlsText,
} from '../src/destination/destination-words.ts';

const BILLING: Destination = {
  name: 'billing',
  createdAt: '2026-11-01T00:00:00.000Z',
  usedBy: 2,
  hosts: ['api.example.com', '*.billing.example:8443'],
  allowHttp: true,
  auth: {
    type: 'oauth2',
    tokenUrl: 'https://login.example.com/token',
    clientId: 'punctual',
    hasSecret: true,
    scope: 'invoices',
    audience: 'billing',
    sendAs: 'body',
  },
  tls: { certificate: 'CERTIFICATE', ca: 'CA', hasSecret: true },
  limits: { maxConcurrent: 5, perSecond: 0.5 },
};

const problemsOf = (draft: DestinationDraft, stored: Destination | null, taken: string[] = []) =>
  destinationProblems(draft, stored, taken).map(({ where, sentence }) => `${where}: ${sentence}`);

test('an untouched destination is put as it was, and its secrets are left out, so they are kept', () => {
  const draft = destinationDraftOf(BILLING);
  const { hasSecret: _, ...auth } = BILLING.auth as { hasSecret: boolean };
  const { hosts, allowHttp, limits } = BILLING;
  const tls = { certificate: 'CERTIFICATE', ca: 'CA' };
  assert.deepEqual(destinationInputOf(draft), { hosts, allowHttp, auth, tls, limits });
  assert.deepEqual(problemsOf(draft, BILLING), []);
});

test('each kind of auth sends its own fields only', () => {
  const filled: DestinationDraft = {
    ...newDestinationDraft(),
    hosts: 'a.example, b.example',
    username: 'ann',
    password: 'p4ss',
    token: ' t0ken ',
    headers: [
      [' X-Key ', 'k3y'],
      ['', ''],
    ],
    tokenUrl: 'https://login.example/token',
    clientId: 'id',
    clientSecret: 's3cret',
    audience: 'us',
  };
  const authOf = (auth: DestinationDraft['auth']) => destinationInputOf({ ...filled, auth }).auth;
  assert.deepEqual(
    (['none', 'basic', 'bearer', 'headers', 'oauth2', 'oidc'] as const).map(authOf),
    [
      undefined,
      { type: 'basic', username: 'ann', password: 'p4ss' },
      { type: 'bearer', token: 't0ken' },
      { type: 'headers', headers: { 'X-Key': 'k3y' } },
      {
        type: 'oauth2',
        tokenUrl: 'https://login.example/token',
        clientId: 'id',
        clientSecret: 's3cret',
        audience: 'us',
      },
      { type: 'oidc', audience: 'us' },
    ],
  );
  assert.deepEqual(destinationInputOf(filled).hosts, ['a.example', 'b.example']);
});

test('a new secret has to be given, and so has one whose way has changed', () => {
  const stored = destinationDraftOf(BILLING);
  const withHosts = { ...stored, hosts: 'evil.example' };
  assert.deepEqual(problemsOf(withHosts, BILLING), [
    'clientSecret: The hosts have changed: give the client secret again.',
    'key: The hosts have changed: give the key again.',
  ]);
  assert.deepEqual(problemsOf({ ...withHosts, clientSecret: 'again', key: 'KEY' }, BILLING), []);
  assert.deepEqual(
    problemsOf({ ...stored, tokenUrl: 'https://evil.example' }, BILLING)[0],
    ['clientSecret: The token url has changed: give the client secret again.'][0],
  );
  assert.deepEqual(problemsOf({ ...stored, auth: 'bearer' }, BILLING), [
    'token: Give the token.',
    'key: The sign-in has changed: give the key again.',
  ]);
  assert.deepEqual(problemsOf({ ...stored, auth: 'none', certificate: '', ca: 'CA' }, BILLING), []);
  assert.deepEqual(
    problemsOf({ ...newDestinationDraft(), name: 'new', hosts: 'a', auth: 'basic' }, null),
    ['username: The user name is missing.', 'password: Give the password.'],
  );
});

test('mistakes are told at their field', () => {
  const draft: DestinationDraft = {
    ...newDestinationDraft(),
    name: 'billing',
    hosts: 'https://api.example.com/v1',
    auth: 'headers',
    headers: [
      ['X-Key', '1'],
      ['x-key', '2'],
      ['', '3'],
      ['X-Other', ''],
    ],
    maxConcurrent: '0',
    perSecond: 'fast',
  };
  const whereOf = (problems: string[]) => problems.map(each => each.split(':')[0]);
  assert.deepEqual(whereOf(problemsOf(draft, null, ['billing'])), [
    'name',
    'hosts',
    'headers[1]',
    'headers[2]',
    'headers[3]',
    'maxConcurrent',
    'perSecond',
  ]);
  assert.deepEqual(whereOf(problemsOf(newDestinationDraft(), null)), ['name', 'hosts']);
});

test('a refusal of the service goes to the fields that it names', () => {
  assert.deepEqual(
    [
      'hosts[1] is the same host as hosts[0].',
      'auth.token and tls.key must be sent again, because hosts has changed.',
      'auth.type oidc needs PUNCTUAL_URL: it is the issuer of the token.',
      'auth.headers: X-Key must not be empty.',
      'tls.certificate has expired at 2026-01-01T00:00:00.000Z.',
      'limits.perSecond must be at most 10000.',
      'The store cannot be reached.',
    ].map(sentence => problemsNamedIn(sentence).map(({ where }) => where)),
    [['hosts'], ['token', 'key'], ['auth'], ['headers'], ['certificate'], ['perSecond'], []],
  );
});

test('a url is among hosts by name, by one label in front, and by port where one is bound', () => {
  const cases: [hosts: string, url: string, isIn: boolean][] = [
    ['api.example.com', 'https://API.example.com/v1', true],
    ['api.example.com', 'https://api.example.com:8443', true],
    ['api.example.com:443', 'https://api.example.com', true],
    ['api.example.com:443', 'https://api.example.com:8443', false],
    ['api.example.com:80', 'http://api.example.com', true],
    ['*.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://a.b.example.com', false],
    ['*.example.com', 'https://example.com', false],
    ['*.localhost', 'http://localhost', false],
    ['*.0.0.1', 'http://127.0.0.1', false],
    ['API.example.com', 'https://api.example.com.', true],
    ['bücher.example', 'https://xn--bcher-kva.example', true],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/x', true],
    ['[::1]:8080', 'http://[::1]:8080/x', true],
    ['api.example.com', 'https://api.example.com.evil.example', false],
    ['api.example.com', 'not a url', false],
  ];
  for (const [host, url, isIn] of cases) {
    const hosts = ['other.example', host];
    assert.equal(isAmong(hosts, url), isIn, `${host} ${url}`);
    assert.equal(fitsHosts(url, hosts), isIn, `the service: ${host} ${url}`);
  }
});

test('destinations that fit the url come first', () => {
  const named = ['c', 'b', 'a'].map(name => ({ name, hosts: [`${name}.example`] }));
  const { fitting, others } = byFit(named, 'https://b.example/x');
  assert.deepEqual(
    [fitting, others].map(each => each.map(({ name }) => name)),
    [['b'], ['a', 'c']],
  );
});

test('a destination is told in words', () => {
  assert.deepEqual(
    [authText(BILLING.auth), authText(undefined), tlsText(BILLING), limitsText(BILLING)],
    [
      'OAuth 2 client punctual',
      'no sign-in',
      'client certificate, own authorities',
      '5 at a time, 0.5 a second',
    ],
  );
});

test('a failed test says what stands behind it, and nothing where the answer says it', () => {
  const behind = (error: string) => behindAnswer(BILLING, { error }) ?? '';
  // The service's own sentence.
  const refused = grantedToken({ outcome: 'response', responseStatus: 401 } as SendResult);
  assert.match(behind(refused as string), /does not accept the client id/);
  assert.match(behind('The token endpoint answered 503.'), /would try again/);
  assert.match(behind('The token endpoint answered 404.'), /not the address of a token endpoint/);
  assert.match(behind('The token endpoint answered 200, but with no token.'), /page for people/);
  assert.match(
    behind('The token endpoint gave no token: the connection to a.example was refused.'),
    /could not be reached/,
  );
  assert.match(
    behind('The certificate of a.example is self-signed and not trusted.'),
    /another authority than those/,
  );
  const oidc: Destination = { ...BILLING, auth: { type: 'oidc', audience: 'billing' } };
  assert.match(behindAnswer(oidc, { responseStatus: 401 })!, /expect the audience billing/);
  assert.equal(behindAnswer(oidc, { responseStatus: 200 }), null);
  assert.equal(behindAnswer(oidc, { responseStatus: 500, error: 'The target failed.' }), null);
});
