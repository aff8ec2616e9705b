import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SendResult } from '../../src/outbound/send.ts';
import { grantedToken, tokenRequest } from '../../src/outbound/token-request.ts';

/** The request for a token, and what its answer grants. */

const AUTH = { type: 'oauth2', tokenUrl: 'https://auth.example/token', clientId: 'a:d a' } as const;

const answered = (privateBody: string, responseStatus = 200): SendResult => ({
  ...{ outcome: 'response', startedAt: 0, durationMs: 1, phases: {} },
  ...{ responseStatus, privateBody },
});

test('is one POST that has ten seconds, whose answer is kept nowhere', () => {
  const { headers, body, ...rest } = tokenRequest(AUTH, 's+cret/=');
  assert.deepEqual(rest, {
    ...{ method: 'POST', url: AUTH.tokenUrl, timeoutMs: 10_000, isPrivate: true },
  });
  assert.equal(body, 'grant_type=client_credentials');
  assert.equal(headers.at(-1), `Basic ${btoa('a%3Ad+a:s%2Bcret%2F%3D')}`);
});

test('an answer grants a bearer token, for as long as it says', () => {
  const lifetimes: [string, number][] = [
    ['"expires_in":3600', 3_600_000],
    ['"expires_in":"90"', 90_000],
    ['"expires_in":0', 0],
    ['"expires_in":null', 300_000],
    ['"expires_in":-1', 300_000],
    ['"expires_in":""', 300_000],
    ['"expires_in":"soon"', 300_000],
    ['"token_type":"Bearer"', 300_000],
    ['"token_type":"BEARER"', 300_000],
  ];
  for (const [field, lifetimeMs] of lifetimes) {
    const granted = grantedToken(answered(`{"access_token":"t",${field}}`));
    assert.deepEqual(granted, { accessToken: 't', lifetimeMs }, field);
  }
});

test('any other answer grants none, and nothing of it is repeated', () => {
  const secret = 'do-not-repeat-me';
  for (const body of [
    '',
    'null',
    `"${secret}"`,
    `["${secret}"]`,
    `{"access_token":["${secret}"]}`,
    '{"access_token":""}',
    `{"access_token":"${secret} with a space"}`,
    `{"access_token":"${secret}ä"}`,
    `{"access_token":"${secret}","token_type":"DPoP"}`,
    `{"access_token":"${secret}","token_type":7}`,
    `{"error":"${secret}"}`,
  ]) {
    const granted = grantedToken(answered(body));
    assert.equal(granted, 'The token endpoint answered 200, but with no token.', body);
  }
  const redirect = grantedToken(answered(`{"access_token":"${secret}"}`, 302));
  assert.equal(redirect, 'The token endpoint answered 302.');
});
