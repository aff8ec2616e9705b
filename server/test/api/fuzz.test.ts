import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isId } from '../../src/domain/id.ts';
import { assertErrorBody, INSTANT } from '../support/api/expect.ts';
import { mutatedBody, mutatedBytes, pick, type Random, randomFrom } from '../support/api/mutate.ts';
import { exchange, requestBytes } from '../support/api/raw.ts';
import { startService, valid } from '../support/api/service.ts';

/**
 * Requests that are almost right, from a seed: never a 500, never a hang, always the error object or
 * an answer of the right shape. `FUZZ_BODIES=100000` is the long form; `FUZZ_SEED` runs one again.
 */
const BODIES = Number(process.env.FUZZ_BODIES ?? 3_000);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));
const AT_ONCE = 16;

const service = await startService();
after(() => service.close());
const own = await service.create();
const bystander = await service.create({ label: 'bystander' });
const whole = {
  ...valid,
  label: 'l',
  status: 'enabled',
  headers: { 'X-A': '1', 'X-B': '2' },
  data: { a: 'b' },
  policy: { timeoutSeconds: 30, maxRetries: 3, catchUpSeconds: 0 },
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

interface Target {
  method: string;
  path: string;
  body: unknown;
  assertShape: (answer: unknown) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: what was answered is judged here
function assertSchedule(answer: any): void {
  const required = ['id', 'status', 'url', 'verb', 'interval', 'timezone', 'createdAt', 'label'];
  const optional = ['updatedAt', 'headers', 'data', 'integrations', 'policy'];
  for (const name of required) assert.equal(typeof answer[name], 'string', name);
  assert.ok(isId(answer.id));
  assert.match(answer.createdAt, INSTANT);
  assert.match(answer.status, /^(?:enabled|disabled)$/);
  for (const name of Object.keys(answer))
    assert.ok([...required, ...optional].includes(name), name);
  for (const name of ['headers', 'data']) {
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
    assert.ok(status === 200 || status === 400, `${status} for ${body.toString('latin1')}`);
    statuses[status]++;
    if (status === 400) assertErrorBody(headers.get('content-type') ?? '', text);
    else target.assertShape(JSON.parse(text));
  });
  if (BODIES < 1_000) return;
  for (const count of Object.values(statuses)) assert.ok(count > BODIES / 50, 'both were reached');
});

const QUERIES = ['limit', 'cursor', 'status', 'label', 'url', 'scheduleId', 'from', 'to', 'count'];
const VALUES = ['', '0', '20', '1e3', 'failed', 'deleted', 'a', '%', '%00', '%ff', '%F0%9F%95%90'];

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
