import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import cases from '../data/bad-requests.json' with { type: 'json' };
import destinationCases from '../data/bad-requests-destinations.json' with { type: 'json' };
import policyCases from '../data/bad-requests-policy.json' with { type: 'json' };
import whenCases from '../data/bad-requests-when.json' with { type: 'json' };
import { assertErrorCode } from '../support/api/expect.ts';
import { exchange, type RawAnswer, requestBytes } from '../support/api/raw.ts';
import { secretsIn, startService } from '../support/api/service.ts';
import { cpuMs } from '../support/cpu-time.ts';

/**
 * 200 requests that a service like this is sent sooner or later, each with the statuses that are
 * right, over raw sockets: a right status, always the error object, never a hang, and nothing of
 * anybody's changed. Then those of timing, ids, tags, policies, destinations and
 * calls that may be sent again, each with the field that its sentence must name.
 */
interface Case {
  name: string;
  method: string;
  path: string;
  headers: string[][];
  body: string;
  expect: number[];
  prefer?: number;
  after?: string;
  bodyGen?: { prefix: string; unit: string; count: number; suffix: string };
  bodyBase64?: string;
  rawBase64?: string;
  closeOk?: boolean;
  /** A part of the sentence. */
  names?: string;
}

/** Shorter: sent by `mine`, with a body as JSON. */
interface WhenCase {
  name: string;
  method: string;
  path: string;
  headers?: string[][];
  body?: object;
  bodyGen?: NonNullable<Case['bodyGen']>;
  expect: number;
  names?: string;
}

const service = await startService();
after(() => service.close());
const own = await service.create({ headers: { 'X-A': '1' }, data: { a: 'b' }, label: 'own' });
const others = await service.create({}, service.theirs);
const deleted = await service.create();
await service.call('DELETE', `/v1/schedule/${deleted.id}`);
await service.create({ externalId: 'own-id' });
await service.call('PUT', '/v1/calendar/de', {
  body: { periods: [{ from: '2098-12-24', to: '2098-12-27' }] },
});
await service.call('PUT', '/v1/destination/own', {
  body: { hosts: ['api.example.com'], auth: { type: 'bearer', token: 'own-token' } },
});
const { mine, theirs } = service;
const names: Record<string, string> = {
  CLIENT_ID: mine.clientId,
  API_KEY: mine.apiKey,
  API_KEY_FLIPPED: mine.apiKey.slice(0, -1) + (mine.apiKey.endsWith('A') ? 'B' : 'A'),
  OTHER_CLIENT_ID: theirs.clientId,
  OWN_SCHEDULE_ID: own.id,
  OTHER_SCHEDULE_ID: others.id,
  DELETED_SCHEDULE_ID: deleted.id,
  THROWAWAY_ID: (await service.create()).id,
  SPARE_ID: (await service.create()).id,
};

const filled = (text: string) => text.replace(/\{\{([A-Z_]+)\}\}/g, (_, name) => names[name] ?? _);

function bodyOf({ body, bodyGen, bodyBase64 }: Case): string | Buffer {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  if (bodyGen === undefined) return filled(body);
  return bodyGen.prefix + bodyGen.unit.repeat(bodyGen.count) + bodyGen.suffix;
}

function bytesOf(entry: Case): Buffer {
  const { method, path, headers, rawBase64 } = entry;
  if (rawBase64 !== undefined) {
    const raw = Buffer.from(rawBase64, 'base64').toString('latin1');
    return Buffer.from(filled(raw), 'latin1');
  }
  const pairs = headers.map(([name = '', value = '']) => [name, filled(value)] as const);
  return requestBytes(method, filled(path), pairs, bodyOf(entry));
}

/** Header values are text, which is sent as UTF-8: allowed, though 400 was preferred. */
const LIKED_LESS = new Set(['hdr: unicode value', 'hdr: emoji value']);

function whole({ headers = [], body, expect, ...same }: WhenCase): Case {
  return {
    ...same,
    headers: [
      ['ClientId', '{{CLIENT_ID}}'],
      ['ApiKey', '{{API_KEY}}'],
      ['Content-Type', 'application/json'],
      ...headers,
    ],
    body: body === undefined ? '' : JSON.stringify(body),
    expect: [expect],
  };
}

const shortCases = [...whenCases, ...policyCases, ...destinationCases] as WhenCase[];

for (const entry of [...(cases as Case[]), ...shortCases.map(whole)]) {
  test(`${entry.name}: ${entry.expect.join(' or ')}`, async () => {
    const startedAt = cpuMs();
    const { answers, rest } = await exchange(service.port, bytesOf(entry), {
      bodyless: entry.method === 'HEAD',
      timeLimitMs: 10_000,
    });
    const [answer] = answers;
    assert.ok(answer, 'an answer');
    assert.equal(rest, '');
    assert.ok(entry.expect.includes(answer.status), `${answer.status} ${answer.body}`);
    if (entry.prefer !== undefined && !LIKED_LESS.has(entry.name)) {
      assert.equal(answer.status, entry.prefer, answer.body);
    }
    if (answer.status !== 200) {
      assertErrorCode(answer.headers['punctual-error-code'], answer.status);
      assertErrorObject(answer, entry.method);
      if (entry.names !== undefined) assert.ok(answer.body.includes(entry.names), answer.body);
    }
    if (entry.after === 'under 50 ms') assert.ok(cpuMs() - startedAt < 500);
    if (answer.status === 200 && entry.method === 'POST') await assertKept(entry, answer);
    await assertUnchanged();
  });
}

test('none of them put a key into the log, or anything at the level of an error', () => {
  assert.deepEqual(secretsIn(service), []);
  assert.deepEqual(
    service.logged.filter(({ level }) => (level as number) >= 40),
    [],
  );
});

function assertErrorObject({ headers, body }: RawAnswer, method: string): void {
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  if (method === 'HEAD') return;
  const parsed = JSON.parse(body);
  assert.deepEqual(Object.keys(parsed), ['error']);
  assert.match(parsed.error, /^\S.*\.$/s);
  assert.doesNotMatch(parsed.error, /\bat .*\.[jt]s|node_modules|SELECT|FST_|HPE_/);
}

/** What was accepted is given back as it was sent, and what is the server's is the server's. */
async function assertKept(entry: Case, { body }: RawAnswer): Promise<void> {
  const created = JSON.parse(body);
  const sent = JSON.parse(filled(entry.body));
  const got = await service.call('GET', `/v1/schedule/${created.id}`);
  assert.deepEqual(got.body, created);
  const kept = ['url', 'verb', 'interval', 'timezone', 'headers', 'data'];
  for (const name of [...kept, 'externalId', 'tags', 'body', 'maxRuns', 'windowSeconds']) {
    assert.deepEqual(got.body[name], sent[name], name);
  }
  assert.equal(got.body.label, sent.label ?? '');
  assert.match(got.body.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.notEqual(got.body.id, sent.id);
  assert.equal(Object.hasOwn(got.body, 'deletedAt'), false);
}

async function assertUnchanged(): Promise<void> {
  const get = (id: string, as = mine) => service.call('GET', `/v1/schedule/${id}`, { as });
  assert.deepEqual((await get(own.id)).body, own);
  assert.deepEqual((await get(others.id, theirs)).body, others);
  assert.equal((await get(deleted.id)).body.status, 'deleted');
}
