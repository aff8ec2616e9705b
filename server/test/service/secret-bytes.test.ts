import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { authority, signedBy } from '../support/outbound/certificates.ts';
import {
  type DestinationService,
  destinationService,
} from '../support/service/destination-service.ts';
import { echoTarget } from '../support/service/echo-target.ts';

/**
 * No byte of a destination's secret stands anywhere after runs whose target echoes it: not in the database and its log, in
 * no line, event, trace, callback, answer or history.
 */

const PASSWORD = 'pässword-of-äda "quoted" & more';
const BEARER = 'bearer-token-0123456789';
const API_KEY = 'key-in-a-header-Ωmega';
const COOKIE = 'cookie-of-a-session-0123';
const UPSTREAM = 'token-behind-a-scheme-0123';
const PADDED = 'value-with-spaces-around';
const CLIENT_SECRET = 'client secret of the endpoint';
const ACCESS_TOKEN = 'granted-access-token-0123456789';

/** A server that keeps what comes, and answers with JSON. */
async function listener(t: TestContext, answer: object = {}) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(JSON.stringify(request.headers) + body);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The events of the service, as they are streamed. */
async function eventsOf({ url, environment }: DestinationService) {
  const heard: string[] = [];
  const abort = new AbortController();
  const { PUNCTUAL_CLIENT_ID: ClientId, PUNCTUAL_API_KEY: ApiKey } = environment;
  const headers = { ClientId: ClientId!, ApiKey: ApiKey! };
  const answer = await fetch(`${url}/v1/event`, { headers, signal: abort.signal });
  assert.equal(answer.status, 200);
  const reading = (async () => {
    for await (const chunk of answer.body!) heard.push(Buffer.from(chunk).toString());
  })().catch(() => {});
  return {
    heard,
    async end() {
      abort.abort();
      await reading;
    },
  };
}

/** Every way in which a secret may be written. */
function spellings(secret: string): Buffer[] {
  const texts = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('latin1'),
  ];
  return [...texts.map(text => Buffer.from(text)), Buffer.from(secret, 'latin1')];
}

function filesOf(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    files
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))]),
  );
}

test('no byte of a secret is left behind', async t => {
  const target = await echoTarget(t);
  const endpoint = await listener(t, { access_token: ACCESS_TOKEN, expires_in: 3_600 });
  const hook = await listener(t);
  const collector = await listener(t);
  const service = await destinationService(t, {
    PUNCTUAL_URL: 'https://punctual.example.com',
    PUNCTUAL_LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const events = await eventsOf(service);
  const { certificate, key } = await signedBy(await authority('Ours'), 'ada');
  const auths = {
    basic: { type: 'basic', username: 'ada', password: PASSWORD },
    bearer: { type: 'bearer', token: BEARER },
    headers: {
      type: 'headers',
      headers: {
        'X-Api-Key': API_KEY,
        Cookie: `theme=dark; session="${COOKIE}"`,
        'X-Upstream': `Token ${UPSTREAM}`,
        'X-Padded': `  ${PADDED} `,
      },
    },
    oauth2: {
      ...{ type: 'oauth2', tokenUrl: endpoint.url, clientId: 'ada' },
      clientSecret: CLIENT_SECRET,
    },
    oidc: { type: 'oidc', audience: 'target' },
  };
  const said: string[] = [];
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, body);
    said.push(JSON.stringify(answer.body));
    assert.ok(answer.status < 500);
    return answer.body;
  };
  for (const [name, auth] of Object.entries(auths)) {
    const tls = { certificate, key };
    const answer = await service.call('PUT', `/v1/destination/${name}`, {
      ...{ hosts: ['127.0.0.1'], allowHttp: true, auth, tls },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    said.push(JSON.stringify(answer.body));
    const fields = {
      url: target.url,
      destination: name,
      integrations: [{ type: 'WEBHOOK', url: hook.url, callOnSuccess: true }],
      policy: { maxRetries: 0 },
    };
    const id = await service.schedule(fields);
    for (const status of [200, 302, 500]) {
      target.status = status;
      await service.run(id);
    }
    target.status = 200;
    const trial = { ...fields, verb: 'POST', interval: '@daily', timezone: 'UTC' };
    await ask('POST', '/v1/try', trial);
    await ask('POST', '/v1/check', trial);
    await ask('GET', `/v1/schedule/${id}`);
    await ask('GET', `/v1/destination/${name}`);
    const { items } = (await ask('GET', `/v1/run?scheduleId=${id}`)) as { items: { id: string }[] };
    assert.equal(items.length, 3);
    for (const run of items) {
      const text = JSON.stringify(await ask('GET', `/v1/run/${run.id}`));
      assert.match(text, /\[secret\]/, 'the target has echoed it');
    }
  }
  for (const path of ['/v1/schedule', '/v1/destination', '/v1/stats']) await ask('GET', path);
  said.push(await (await fetch(`${service.url}/metrics`)).text());
  while (hook.bodies.length < 5 * 3) await new Promise(setImmediate);

  const tokens = target.requests.map(({ authorization }) => authorization?.split(' ')[1]);
  const given = [PASSWORD, BEARER, API_KEY, COOKIE, UPSTREAM, PADDED, CLIENT_SECRET, ACCESS_TOKEN];
  const secrets = [...tokens, ...given]
    .filter(text => text !== undefined)
    .concat(key.split('\n').filter(line => line.length > 30 && !line.includes('-')));
  assert.ok(
    tokens.some(text => text?.startsWith('eyJ')),
    'a signed token among them',
  );
  assert.ok(
    tokens.some(text => text === ACCESS_TOKEN),
    'and a granted one',
  );

  const places = () =>
    new Map([
      ...filesOf(service.folder.path),
      ['answers', Buffer.from(said.join('\n'))],
      ['events', Buffer.from(events.heard.join(''))],
      ['callbacks', Buffer.from(hook.bodies.join('\n'))],
      ['traces', Buffer.from(collector.bodies.join('\n'))],
      ['output', Buffer.from(service.running.out() + service.running.err())],
    ]);
  const search = (found: Map<string, Buffer>) => {
    for (const [place, bytes] of found) {
      for (const secret of new Set(secrets)) {
        const isThere = spellings(secret).some(spelling => bytes.includes(spelling));
        assert.ok(!isThere, `${place} has ${secret}`);
      }
    }
  };
  const running = places();
  assert.ok(running.has('punctual.db-wal'), [...running.keys()].join());
  search(running);
  await events.end();
  assert.equal(await service.running.stop(), 0);
  const stopped = places();
  for (const place of ['events', 'callbacks', 'traces', 'output']) {
    assert.ok(stopped.get(place)!.length > 0, place);
  }
  search(stopped);
});
