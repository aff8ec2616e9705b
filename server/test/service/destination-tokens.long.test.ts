import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import {
  type MutableResponse,
  OAuth2Server,
  type TokenRequestIncomingMessage,
} from 'oauth2-mock-server';
import {
  CLIENT_ID,
  type DestinationService,
  destinationService,
} from '../support/service/destination-service.ts';
import { type EchoTarget, echoTarget } from '../support/service/echo-target.ts';

/** Tokens of destinations, from a service in its own process: against an authorization server, and as their verifiers. */

const ISSUER = 'https://punctual.example.com';

/** An authorization server; `answers` may change each answer of its token endpoint. */
async function authorizationServer(t: TestContext) {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  await server.start(0, 'localhost');
  const asked: { authorization: string | undefined; form: unknown }[] = [];
  const state = {
    asked,
    server,
    tokenUrl: `${server.issuer.url}/token`,
    answer: (_response: MutableResponse) => {},
    jwks: createRemoteJWKSet(new URL(`${server.issuer.url}/jwks`)),
  };
  server.service.on(
    'beforeResponse',
    (response: MutableResponse, request: TokenRequestIncomingMessage) => {
      asked.push({ authorization: request.headers.authorization, form: { ...request.body } });
      state.answer(response);
    },
  );
  t.after(() => server.listening && server.stop());
  return state;
}

let destinations = 0;

/** A schedule behind a destination of its own. */
async function oauth2Schedule(
  t: TestContext,
  service: DestinationService,
  fields: object = {},
  auth: object = {},
) {
  const server = await authorizationServer(t);
  const target = await echoTarget(t);
  destinations += 1;
  const name = `billing-${destinations}`;
  await service.put(name, {
    hosts: ['127.0.0.1'],
    allowHttp: true,
    auth: {
      ...{ type: 'oauth2', tokenUrl: server.tokenUrl, clientId: 'punctual' },
      clientSecret: 'the secret of the client',
      ...auth,
    },
  });
  const id = await service.schedule({ url: target.url, destination: name, ...fields });
  return { server, target, name, run: () => service.run(id) };
}

const bearerOf = ({ requests }: EchoTarget) =>
  requests.at(-1)!.authorization!.replace('Bearer ', '');

test('tokens of destinations', async t => {
  const service = await destinationService(t, { PUNCTUAL_URL: `${ISSUER}/` });

  await t.test('an authorization server grants the token, and the target verifies it', async t => {
    const { server, target, run } = await oauth2Schedule(t, service, {}, { scope: 'read write' });
    assert.equal((await run()).status, 'succeeded');
    assert.deepEqual(server.asked, [
      {
        authorization: `Basic ${btoa('punctual:the+secret+of+the+client')}`,
        form: { grant_type: 'client_credentials', scope: 'read write' },
      },
    ]);
    const { payload } = await jwtVerify(bearerOf(target), server.jwks, {
      issuer: server.server.issuer.url!,
    });
    assert.equal(payload.scope, 'read write');
    assert.equal((await run()).status, 'succeeded');
    assert.equal(server.asked.length, 1, 'it is used again');
  });

  await t.test('the credentials stand in the body where the server wants them there', async t => {
    const { server, run } = await oauth2Schedule(t, service, {}, { sendAs: 'body' });
    assert.equal((await run()).status, 'succeeded');
    assert.deepEqual(server.asked, [
      {
        authorization: undefined,
        form: {
          grant_type: 'client_credentials',
          client_id: 'punctual',
          client_secret: 'the secret of the client',
        },
      },
    ]);
  });

  await t.test('a token that has ended is fetched again', async t => {
    const { server, run } = await oauth2Schedule(t, service);
    server.answer = ({ body }) => Object.assign(body as object, { expires_in: 60 });
    await run();
    await run();
    assert.equal(server.asked.length, 2);
  });

  await t.test('a token that is refused, comes late or never: the run says which', async t => {
    const { server, target } = await oauth2Schedule(t, service);
    const policy = { maxRetries: 0 };
    const fails = async (name: string, tokenUrl: string, sentence: RegExp) => {
      const auth = {
        type: 'oauth2',
        tokenUrl,
        clientId: 'punctual',
        clientSecret: 'another secret',
      };
      await service.put(name, { hosts: ['127.0.0.1'], allowHttp: true, auth });
      const id = await service.schedule({ url: target.url, destination: name, policy });
      const { status, attempts } = await service.run(id);
      assert.equal(status, 'failed');
      assert.equal(attempts[0]!.outcome, 'connectionError');
      assert.match(attempts[0]!.error!, sentence);
    };
    server.answer = response =>
      Object.assign(response, { statusCode: 401, body: { error: 'invalid_client' } });
    await fails('refused', server.tokenUrl, /^The token endpoint answered 401\.$/);
    server.answer = response => Object.assign(response, { body: { error: 'none' } });
    await fails('empty', server.tokenUrl, /^The token endpoint answered 200, but with no token\.$/);
    await server.server.stop();
    await fails(
      'down',
      server.tokenUrl,
      /^The token endpoint gave no token: the connection to localhost:\d+ was refused\.$/,
    );
    assert.deepEqual(target.requests, []);
  });

  await t.test('a target that refuses the token gets another one, once', async t => {
    const { server, target, run } = await oauth2Schedule(t, service, {
      policy: { retryDelaysSeconds: [1, 1, 1] },
    });
    target.status = 401;
    const { status, attempts } = await run();
    assert.equal(status, 'failed');
    assert.equal(attempts.length, 2);
    assert.equal(server.asked.length, 2);
    assert.equal(target.requests.length, 2);
  });

  await t.test(
    'a signed token is what a verifier takes, and which client it is stands in it',
    async t => {
      const target = await echoTarget(t);
      const auth = { type: 'oidc', audience: 'https://target.example.com' };
      await service.put('target', { hosts: ['127.0.0.1'], allowHttp: true, auth });
      const id = await service.schedule({ url: target.url, destination: 'target' });
      await service.run(id);
      const token = bearerOf(target);
      const jwks = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
      const expected = { issuer: ISSUER, audience: auth.audience, subject: `client:${CLIENT_ID}` };
      const { payload, protectedHeader } = await jwtVerify(token, jwks, expected);
      assert.equal(protectedHeader.alg, 'RS256');
      assert.equal(payload.exp! - payload.iat!, 600);
      assert.ok(Math.abs(payload.iat! - Date.now() / 1_000) < 60);
      await service.run(id);
      assert.equal(bearerOf(target), token, 'one for five minutes');

      const { body } = await service.call('GET', '/.well-known/openid-configuration');
      const { issuer, jwks_uri } = body as Record<string, string>;
      assert.deepEqual([issuer, jwks_uri], [ISSUER, `${ISSUER}/.well-known/jwks.json`]);
    },
  );

  await t.test(
    'the key is rotated beside a running service: the new one is published before it signs',
    async t => {
      const target = await echoTarget(t);
      const destination = {
        hosts: ['127.0.0.1'],
        allowHttp: true,
        auth: { type: 'oidc', audience: 'target' },
      };
      await service.put('one', destination);
      await service.run(await service.schedule({ url: target.url, destination: 'one' }));
      const before = bearerOf(target);
      const { code, out, err } = await service.folder.run(
        ['issuer', 'rotate', '--json'],
        service.environment,
      );
      assert.equal(code, 0, err);
      const rotated = JSON.parse(out) as Record<'kid' | 'signsAt' | 'oldPublishedUntil', string>;
      const { kid, signsAt, oldPublishedUntil } = rotated;
      const minutes = (Date.parse(signsAt) - Date.now()) / 60_000;
      assert.ok(minutes > 55 && minutes <= 60, signsAt);
      assert.equal(Date.parse(oldPublishedUntil) - Date.parse(signsAt), 7 * 86_400_000);
      await service.put('two', destination);
      await service.run(await service.schedule({ url: target.url, destination: 'two' }));
      const after = bearerOf(target);
      assert.notEqual(decodeProtectedHeader(before).kid, kid);
      assert.equal(decodeProtectedHeader(after).kid, decodeProtectedHeader(before).kid);
      const { body } = await service.call('GET', '/.well-known/jwks.json');
      const published = (body as { keys: { kid: string }[] }).keys;
      assert.deepEqual(
        published.map(each => each.kid),
        [kid, decodeProtectedHeader(before).kid],
      );
      assert.ok(!JSON.stringify(body).includes('"d"'), 'no private part');
      const jwks = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
      for (const token of [before, after]) await jwtVerify(token, jwks, { issuer: ISSUER });
    },
  );

  await t.test('a try goes through the destination, also where it is refused', async t => {
    const { server, target, name } = await oauth2Schedule(t, service);
    const body = {
      url: target.url,
      verb: 'POST',
      interval: '@daily',
      timezone: 'UTC',
      destination: name,
    };
    const tried = (await service.call('POST', '/v1/try', body)).body as {
      attempt: { responseBody: string };
    };
    assert.equal(decodeJwt(bearerOf(target)).iss, server.server.issuer.url);
    assert.match(tried.attempt.responseBody, /"Bearer \[secret\]"/);
  });
});

test('without PUNCTUAL_URL there is no issuer, and no destination that would need one', async t => {
  const service = await destinationService(t);
  for (const path of ['openid-configuration', 'jwks.json']) {
    assert.equal((await service.call('GET', `/.well-known/${path}`)).status, 404);
  }
  const auth = { type: 'oidc', audience: 'target' };
  const { status, body } = await service.call('PUT', '/v1/destination/target', {
    hosts: ['a.example'],
    auth,
  });
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /PUNCTUAL_URL/);
});
