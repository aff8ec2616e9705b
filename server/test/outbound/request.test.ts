import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import packageJson from '../../package.json' with { type: 'json' };
import type { SigningSecrets } from '../../src/domain/access/rotation.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';
import { VERBS } from '../../src/domain/schedule/schedule.ts';
import { buildCallbackRequest, buildRunRequest, runRequest } from '../../src/outbound/request.ts';
import type { OutboundRequest } from '../../src/outbound/send.ts';
import { StartPermit } from '../../src/outbound/start-permit.ts';
import { answer, get, leftOpen, sender, serve } from '../support/outbound/target-server.ts';

after(async () => assert.deepEqual(await leftOpen(), []));

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const FACTS = {
  runId: '01890a5d-ac96-774b-bcce-b302099a8057',
  scheduleId: '01890a5d-ac96-774b-bcce-b302099a8058',
  scheduledFor: Date.parse('2026-03-29T01:00:00.000Z'),
  attempt: 2,
  nowMs: Date.parse('2026-03-29T01:00:05.999Z'),
  secrets: { signingSecret: SECRET },
  timeoutMs: 30_000,
};

type Parts = Pick<Schedule, 'url' | 'verb' | 'headers' | 'data' | 'delivery'>;

function firing(parts: Partial<Parts>): OutboundRequest {
  return buildRunRequest({ url: 'https://example.com/a', verb: 'POST', ...parts }, FACTS);
}

function headersOf({ headers }: OutboundRequest): Record<string, string> {
  const found: Record<string, string> = {};
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    assert.equal(found[name], undefined, `${name} is there once`);
    found[name] = headers[i + 1]!;
  }
  return found;
}

test('a firing says which schedule, time and attempt it is', () => {
  const request = firing({ data: { a: '1' } });
  const { 'webhook-signature': signature, ...headers } = headersOf(request);
  assert.deepEqual(headers, {
    'user-agent': `Punctual/${packageJson.version}`,
    'content-type': 'application/json',
    'punctual-schedule-id': FACTS.scheduleId,
    'punctual-scheduled-for': '2026-03-29T01:00:00.000Z',
    'punctual-attempt': '2',
    'webhook-id': FACTS.runId,
    'webhook-timestamp': '1774746005',
  });
  assert.match(signature!, /^v1,/);
  assert.equal(request.timeoutMs, 30_000);
  assert.equal(request.method, 'POST');
});

for (const verb of ['POST', 'PUT', 'PATCH', 'OPTIONS'] as const) {
  test(`${verb}: data is the body, and the url stays as it is`, () => {
    const request = firing({ verb, data: { b: '2', a: 'ä' } });
    assert.equal(request.body, '{"b":"2","a":"ä"}');
    assert.equal(request.url, 'https://example.com/a');
  });
}

for (const verb of ['GET', 'HEAD', 'DELETE'] as const) {
  test(`${verb}: data is the query, and there is no body`, () => {
    const request = firing({ verb, data: { q: 'a b&c', ä: '=' } });
    assert.equal(request.url, 'https://example.com/a?q=a+b%26c&%C3%A4=%3D');
    assert.equal(request.body, null);
    assert.equal(headersOf(request)['content-type'], undefined);
  });
}

for (const [url, expected] of [
  ['https://example.com', 'https://example.com?n=1'],
  ['https://example.com/?a=%20b', 'https://example.com/?a=%20b&n=1'],
  ['https://example.com/?', 'https://example.com/?n=1'],
  ['https://example.com/?a&', 'https://example.com/?a&n=1'],
  ['https://example.com/#a?b', 'https://example.com/?n=1#a?b'],
  ['https://example.com/?n=0#x', 'https://example.com/?n=0&n=1#x'],
] as const) {
  test(`data goes behind the query and before the fragment of ${url}`, () => {
    const request = firing({ url, verb: 'GET', data: { n: '1' } });
    assert.equal(request.url, expected);
    assert.equal(new URL(request.url).searchParams.getAll('n').at(-1), '1');
  });
}

test('empty data is an empty object in a body, and nothing in a query', () => {
  assert.equal(firing({ data: {} }).body, '{}');
  assert.equal(firing({ verb: 'GET', data: {} }).url, 'https://example.com/a');
});

for (const type of [
  'application/x-www-form-urlencoded',
  'Application/X-WWW-Form-Urlencoded; charset=UTF-8',
  'application/x-www-form-urlencoded ;a=b',
]) {
  test(`data is a form where Content-Type says ${type}`, () => {
    const request = firing({ headers: { 'content-TYPE': type }, data: { a: 'b c', d: '&=ü' } });
    assert.equal(request.body, 'a=b+c&d=%26%3D%C3%BC');
    assert.equal(headersOf(request)['content-type'], type);
  });
}

test('any other Content-Type is kept, and the body is JSON', () => {
  const type = 'application/x-www-form-urlencoded-not';
  const request = firing({ headers: { 'Content-Type': type }, data: { a: 'b' } });
  assert.equal(request.body, '{"a":"b"}');
  assert.equal(headersOf(request)['content-type'], type);
});

for (const verb of VERBS) {
  test(`${verb} without data has no body and no Content-Type of ours`, () => {
    const request = firing({ verb });
    assert.equal(request.body, null);
    assert.equal(headersOf(request)['content-type'], undefined);
    assert.equal(request.url, 'https://example.com/a');
  });
}

test("the caller's own User-Agent wins, in any case", () => {
  assert.equal(headersOf(firing({ headers: { 'USER-agent': 'mine' } }))['user-agent'], 'mine');
});

for (const data of [undefined, { a: 'ü', b: '🎈' }]) {
  for (const verb of ['POST', 'GET'] as const) {
    test(`the signature of a ${verb} ${data ? 'with' : 'without'} data verifies`, async t => {
      const target = await serve(t, socket => socket.write(answer('')));
      const nowMs = Date.now();
      const parts: Parts = { url: target.url, verb, ...(data && { data }) };
      const request = buildRunRequest(parts, { ...FACTS, nowMs });
      assert.equal((await sender(t).send(request)).outcome, 'response');
      const { head, body } = target.requests[0]!;
      const headers = Object.fromEntries(head.split('\r\n').map(line => line.split(': ')));
      const bytes = Buffer.from(body, 'latin1').toString();
      new Webhook(SECRET).verify(bytes, headers, { jsonParse: false });
    });
  }
}

test('header values arrive as the UTF-8 that they were stored as, and smuggle nothing', async t => {
  const target = await serve(t, socket => socket.write(answer('')));
  // Cut down to their low bytes these would be CR LF, and a header of their own.
  const headers = {
    'X-A': 'Zoë 🎈',
    'X-B': 'a\u010D\u010AX-Evil: 1',
    'X-C': 'tab\there',
    'X-D': '',
  };
  const { url, ...request } = firing({ headers });
  await sender(t).send({ ...request, url: target.url });
  const lines = Buffer.from(target.requests[0]!.head, 'latin1').toString().split('\r\n');
  for (const [name, value] of Object.entries(headers))
    assert.ok(lines.includes(`${name}: ${value}`));
  assert.equal(lines.filter(line => line.startsWith('X-Evil')).length, 0);
});

test('a callback is a signed JSON POST under its own id', () => {
  const body = '{"type":"schedule.run.failed"}';
  const nowMs = Date.now();
  const request = buildCallbackRequest({
    url: 'https://example.com/hook?a=1',
    id: 'callback-1',
    body,
    attempt: 3,
    nowMs,
    secrets: { signingSecret: SECRET },
    timeoutMs: 30_000,
  });
  assert.equal(request.method, 'POST');
  assert.equal(request.url, 'https://example.com/hook?a=1');
  assert.equal(request.body, body);
  const headers = headersOf(request);
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['webhook-id'], 'callback-1');
  assert.equal(headers['punctual-attempt'], '3');
  assert.equal(headers['user-agent'], `Punctual/${packageJson.version}`);
  new Webhook(SECRET).verify(body, headers);
});

test('a request that was built can be cancelled before it starts', async t => {
  const request = firing({});
  request.permit = new StartPermit();
  request.permit.cancel();
  const result = await sender(t).send({ ...get('http://127.0.0.1:1/'), ...request });
  assert.equal(result.outcome, 'cancelled');
});

test('a raw body is sent as it is, and the Content-Type of the caller wins', () => {
  const delivery = { body: '{"a": [1, {"b": "ä"}]} ', contentType: 'application/json' };
  const request = firing({ delivery });
  assert.equal(request.body, delivery.body);
  assert.equal(headersOf(request)['content-type'], 'application/json');
  const own = firing({ delivery, headers: { 'content-type': 'application/cloudevents+json' } });
  assert.equal(headersOf(own)['content-type'], 'application/cloudevents+json');
});

test('the token of a completion is not kept where the target echoes it', async t => {
  const completionUrl = 'https://punctual.example/complete/dG9rZW4tb2YtdGhlLXJ1bg';
  const target = await serve(t, (socket, _nth, { head }) => {
    const [, url] = /^punctual-completion-url: (.*)$/im.exec(head)!;
    socket.write(answer(url!, '200 OK', [`X-Echo: ${url}`]));
  });
  const schedule: Schedule & SigningSecrets = {
    id: FACTS.scheduleId,
    status: 'enabled',
    url: `${target.url}/`,
    verb: 'POST',
    interval: '* * * * *',
    timezone: 'UTC',
    createdAt: 0,
    label: '',
    signingSecret: SECRET,
  };
  const request = runRequest(schedule, { ...FACTS, completionUrl });
  assert.equal(headersOf(request)['punctual-completion-url'], completionUrl);
  const { responseHeaders, responseBody } = await sender(t).send(request);
  assert.equal(responseHeaders!['x-echo'], 'https://punctual.example/complete/[secret]');
  assert.equal(responseBody, 'https://punctual.example/complete/[secret]');
});

test('no condition tells whether the target echoes a secret, and no other value pushes one out', async t => {
  const target = await serve(t, (socket, _nth, { head }) => {
    const [, token] = /^authorization: (.*)$/im.exec(head)!;
    socket.write(answer(`{"you sent": "${token}"}`));
  });
  const cookies = Array.from({ length: 100 }, (_, n) => `c${n}=${'long'.repeat(12)}${n}`);
  const headers = ['Cookie', cookies.join('; '), 'Authorization', 'Bearer s3cret-of-b'];
  for (const [bodyContains, isMet] of [
    ['you sent', true],
    ['s3cret', false],
  ] as const) {
    const result = await sender(t).send({
      ...get(`${target.url}/`, { headers, ownHeaders: 2 }),
      secrets: ['s3cret-of-b'],
      success: { bodyContains },
    });
    assert.equal(result.unmet === undefined, isMet, bodyContains);
    assert.equal(result.responseBody, '{"you sent": "Bearer [secret]"}');
  }
});
