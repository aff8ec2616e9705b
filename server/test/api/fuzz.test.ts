import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isId } from '../../src/domain/id.ts';
import { assertErrorBody, INSTANT } from '../support/api/expect.ts';
import { mutatedBody, mutatedBytes, pick, type Random, randomFrom } from '../support/api/mutate.ts';
import { exchange, requestBytes } from '../support/api/raw.ts';
import { startService, valid } from '../support/api/service.ts';
import { casesOf } from '../support/long.ts';

/**
 * Requests that are almost right, from a seed: never a 500, never a hang, always the error object or
 * an answer of the right shape. `FUZZ_BODIES=100000` is the long form; `FUZZ_SEED` runs one again.
 */
const BODIES = Number(process.env.FUZZ_BODIES ?? casesOf(3_000));
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));
const AT_ONCE = 16;

const service = await startService();
after(() => service.close());
const own = await service.create({ externalId: 'own', tags: { team: 'billing' } });
await service.call('PUT', '/v1/calendar/de', {
  body: { periods: [{ from: '2026-12-24', to: '2099-01-02' }] },
});
const second = await service.create({ tags: { fuzz: 'own' } });
const bystander = await service.create({ label: 'bystander' });
const whole = {
  ...valid,
  label: 'l',
  status: 'enabled',
  headers: { 'X-A': '1', 'X-B': '2' },
  data: { a: 'b' },
  policy: {
    timeoutSeconds: 30,
    maxRetries: 3,
    catchUpSeconds: 0,
    success: {
      statuses: ['2xx', '304'],
      bodyContains: 'done',
      bodyLacks: 'error',
      json: { pointer: '/a~1b/0', equals: true },
    },
    retryDelaysSeconds: [5, 60],
    retryForSeconds: 3_600,
    retryStatuses: ['429', '5xx'],
    keepResponse: 'headers',
  },
  integrations: [
    {
      type: 'WEBHOOK',
      url: 'https://example.com/callback',
      name: 'n',
      callOnSuccess: true,
      includeScheduleUrlInCallback: false,
    },
  ],
};
/** With a calendar that takes many times away, and all that decides when it fires. */
const timed = {
  ...valid,
  interval: '30 9 * * *',
  timezone: 'Europe/Berlin',
  externalId: 'own',
  tags: { team: 'billing', tier: '1' },
  body: '{"a":[1]}',
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '2999-01-01T00:00:00+01:00',
  pausedUntil: '2026-12-01T00:00:00Z',
  maxRuns: 1_000_000,
  windowSeconds: 3_600,
  exclude: ['de'],
  onExcluded: 'nextDay',
  afterCompletion: 'disable',
};
const { externalId: _, ...anonymous } = timed;

interface Target {
  method: string;
  path: string;
  body: unknown;
  assertShape: (answer: unknown) => void;
  /** Its body names schedules, which may be none. */
  names?: boolean;
}

const TIMED = [
  ...['externalId', 'tags', 'body', 'startsAt', 'endsAt', 'pausedUntil', 'maxRuns'],
  ...['windowSeconds', 'exclude', 'onExcluded', 'afterCompletion', 'statusReason'],
];

// biome-ignore lint/suspicious/noExplicitAny: what was answered is judged here
function assertSchedule(answer: any): void {
  const required = ['id', 'status', 'url', 'verb', 'interval', 'timezone', 'createdAt', 'label'];
  const optional = ['updatedAt', 'headers', 'data', 'integrations', 'policy', ...TIMED];
  for (const name of required) assert.equal(typeof answer[name], 'string', name);
  assert.ok(isId(answer.id));
  assert.match(answer.createdAt, INSTANT);
  assert.match(answer.status, /^(?:enabled|disabled)$/);
  for (const name of ['startsAt', 'endsAt', 'pausedUntil']) {
    if (answer[name] !== undefined) assert.match(answer[name], INSTANT);
  }
  for (const name of Object.keys(answer))
    assert.ok([...required, ...optional].includes(name), name);
  for (const name of ['headers', 'data', 'tags']) {
    for (const value of Object.values(answer[name] ?? {})) assert.equal(typeof value, 'string');
  }
  for (const { id, type, name } of answer.integrations ?? []) {
    assert.ok(isId(id) && type === 'WEBHOOK' && typeof name === 'string');
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as above
const assertTimes = ({ times }: any) => {
  for (const time of times) assert.equal(new Date(time).toISOString(), time);
};

// biome-ignore lint/suspicious/noExplicitAny: as above
const assertSchedules = ({ items }: any) => items.forEach(assertSchedule);

// biome-ignore lint/suspicious/noExplicitAny: as above
function assertCheck({ problems, times, clockNotes, excluded = [] }: any): void {
  for (const { where, sentence } of problems) {
    assert.equal(typeof where, 'string');
    assertErrorBody('application/json', JSON.stringify({ error: sentence }));
  }
  assertTimes({ times });
  for (const { at } of [...clockNotes, ...excluded]) assert.match(at, INSTANT);
}

const path = `/v1/schedule/${own.id}`;
const TARGETS: Target[] = [
  { method: 'POST', path: '/v1/schedule', body: whole, assertShape: assertSchedule },
  { method: 'PUT', path, body: whole, assertShape: assertSchedule },
  { method: 'PATCH', path, body: { ...whole, label: null }, assertShape: assertSchedule },
  {
    method: 'POST',
    path: '/v1/schedule/batch',
    body: { items: [valid, whole] },
    assertShape: assertSchedules,
  },
  {
    method: 'POST',
    path: '/v1/preview',
    body: {
      interval: '*/5 * * * *',
      timezone: 'Europe/Berlin',
      from: '2026-03-29T00:00:00Z',
      count: 3,
    },
    assertShape: assertTimes,
  },
  { method: 'POST', path: '/v1/schedule', body: anonymous, assertShape: assertSchedule },
  { method: 'PUT', path: '/v1/schedule/ext:own', body: timed, assertShape: assertSchedule },
  { method: 'PUT', path, body: timed, assertShape: assertSchedule },
  { method: 'PATCH', path, body: timed, assertShape: assertSchedule },
  {
    method: 'POST',
    path: '/v1/schedule/batch',
    body: { items: [{ ...valid, interval: 'rate(90 minutes)' }, anonymous] },
    assertShape: assertSchedules,
  },
  {
    method: 'POST',
    path: '/v1/schedule/patch',
    body: { ids: ['ext:own', second.id], patch: { ...anonymous, tags: { a: null } } },
    assertShape: assertSchedules,
    names: true,
  },
  {
    method: 'POST',
    path: '/v1/schedule/patch',
    body: { tag: 'fuzz:own', patch: { label: 'x', maxRuns: null } },
    assertShape: assertSchedules,
  },
  { method: 'POST', path: '/v1/check', body: timed, assertShape: assertCheck },
  {
    method: 'POST',
    path: '/v1/check',
    body: { ...valid, interval: 'at(2099-12-24T18:00:00)', exclude: ['de'] },
    assertShape: assertCheck,
  },
  {
    method: 'POST',
    path: '/v1/preview',
    body: {
      ...{ interval: 'rate(90 minutes)', timezone: 'UTC', from: '2026-03-29T00:00:00Z', count: 3 },
      ...{ maxRuns: 5, windowSeconds: 60, exclude: ['de'], externalId: 'own' },
    },
    assertShape: assertTimes,
  },
];

async function inParallel(count: number, work: (random: Random) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) {
        const seed = (SEED + next++) >>> 0;
        try {
          await work(randomFrom(seed));
        } catch (error) {
          throw new Error(`FUZZ_SEED=${seed} FUZZ_BODIES=1`, { cause: error });
        }
      }
    }),
  );
}

test(`${BODIES} mutated bodies: 200 of the right shape or 400 with the error object`, async () => {
  const statuses = { 200: 0, 400: 0 };
  await inParallel(BODIES, async random => {
    const target = pick(random, TARGETS);
    const body = mutatedBody(random, target.body);
    const { status, headers, text } = await service.call(target.method, target.path, { body });
    const isAbsent = status === 404 && target.names === true;
    const isKnown = status === 200 || status === 400 || isAbsent;
    assert.ok(isKnown, `${status} for ${body.toString('latin1')}`);
    statuses[status === 200 ? 200 : 400]++;
    if (status !== 200) assertErrorBody(headers.get('content-type') ?? '', text);
    else target.assertShape(JSON.parse(text));
  });
  if (BODIES < 1_000) return;
  for (const count of Object.values(statuses)) assert.ok(count > BODIES / 50, 'both were reached');
});

const QUERIES = [
  ...['limit', 'cursor', 'status', 'label', 'url', 'scheduleId', 'from', 'to', 'count', 'tag'],
];
const VALUES = [
  '',
  '0',
  '20',
  '1e3',
  'failed',
  'deleted',
  'a',
  '%',
  '%00',
  '%ff',
  '%F0%9F%95%90',
  'team:billing',
  'team',
];

test('mutated queries: 200 or 400', async () => {
  await inParallel(Math.ceil(BODIES / 6), async random => {
    const pairs = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      [pick(random, QUERIES), pick(random, VALUES)].join('='),
    );
    const list = pick(random, ['/v1/schedule', '/v1/run', `${path}/next`]);
    const answer = await service.call('GET', `${list}?${pairs.join('&')}`);
    assert.ok([200, 400].includes(answer.status), answer.text);
    if (answer.status === 400) assertErrorBody('application/json', answer.text);
  });
});

const credentials = [
  ['ClientId', service.mine.clientId],
  ['ApiKey', service.mine.apiKey],
  ['Content-Type', 'application/json'],
] as const;
const content = JSON.stringify(valid);
const chunked = [...credentials, ['Transfer-Encoding', 'chunked']] as const;
const RAW = [
  requestBytes('GET', path, credentials),
  requestBytes('GET', '/v1/schedule?limit=1', credentials),
  requestBytes('POST', '/v1/schedule', credentials, content),
  requestBytes('PATCH', path, credentials, '{}'),
  requestBytes('DELETE', '/v1/schedule/x', credentials),
  Buffer.concat([
    requestBytes('POST', '/v1/preview', chunked),
    Buffer.from(`${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`),
  ]),
  Buffer.concat([requestBytes('GET', '/healthz'), requestBytes('GET', '/v1/run', credentials)]),
];

test('mutated bytes: every request gets one answer, and the connection comes to its end', async () => {
  await inParallel(Math.ceil(BODIES / 3), async random => {
    let bytes = pick(random, RAW);
    for (let more = true; more; more = random() < 0.4) bytes = mutatedBytes(random, bytes);
    const { answers, rest } = await exchange(service.port, bytes, {
      half: true,
      untilClosed: true,
      timeLimitMs: 10_000,
    });
    const sent = JSON.stringify(bytes.toString('latin1'));
    if (/[^\r\n]/.test(bytes.toString('latin1'))) assert.ok(answers.length > 0, sent);
    assert.equal(rest, '', sent);
    for (const { status, headers, body } of answers) {
      assert.ok([200, 400, 401, 404].includes(status), `${status} for ${sent}`);
      if (status !== 200) assertErrorBody(headers['content-type'] ?? '', body);
    }
  });
});

test('after all that the service answers, others are unchanged, and nothing failed', async () => {
  await service.store.check();
  const { body } = await service.call('GET', `/v1/schedule/${bystander.id}`);
  assert.deepEqual(body, bystander);
  assert.equal((await service.create({ label: 'after' })).label, 'after');
  assert.deepEqual(
    service.logged.filter(({ level }) => (level as number) >= 40),
    [],
  );
});
