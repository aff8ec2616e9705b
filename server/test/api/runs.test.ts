import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import type { Attempt } from '../../src/domain/run/run.ts';
import type { RunFilter, RunStore } from '../../src/store/contract/runs.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { type Credentials, type Service, startService } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());

const attempt: Attempt = {
  number: 1,
  startedAt: Date.UTC(2026, 0, 1, 0, 0, 0, 5),
  durationMs: 12.5,
  outcome: 'response',
  responseStatus: 500,
  error: 'The target answered 500.',
  phases: { connectMs: 1, firstByteMs: 2.25 },
  responseHeaders: { 'content-type': 'text/plain', __proto: 'x' },
  responseBody: 'ö\u0000\u2028',
};

const INTEGRATION = { type: 'WEBHOOK', url: 'https://example.com/callback' };

/** A run that failed, with a callback, by way of the store as the engine uses it. */
async function failedRun({ call, create, store }: Service, as: Credentials) {
  const schedule = await create({ integrations: [INTEGRATION] }, as);
  const run = (await call('POST', `/v1/schedule/${schedule.id}/trigger`, { as })).body;
  const scheduledFor = Date.parse(run.scheduledFor);
  const claims = await store.outbox.claim(Date.now() + 1_000, 100);
  const claim = claims.find(({ id }) => id === run.id)!;
  const end = { startedAt: attempt.startedAt, finishedAt: attempt.startedAt + 13 };
  await store.outbox.settle([
    {
      id: run.id,
      clientRowId: claim.clientRowId,
      scheduleRowId: claim.scheduleRowId,
      kind: 'manual',
      attempt: 1,
      claimedAt: claim.claimedAt,
      attempts: [attempt],
      next: 'failed',
      record: {
        id: run.id,
        scheduledFor,
        trigger: 'manual',
        status: 'failed',
        attempts: [attempt],
        reason: 'Its retries gave way to the next time.',
        missed: { count: 2_000, from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) },
        ...end,
      },
      callbacks: [
        {
          id: newId(Date.now()),
          runId: run.id,
          integrationId: schedule.integrations![0]!.id,
          url: INTEGRATION.url,
          body: '{}',
          dueAt: Date.now() + 3_600_000,
        },
      ],
    },
  ]);
  return { schedule, runId: run.id as string, scheduledFor };
}

const { schedule, runId, scheduledFor } = await failedRun(service, service.mine);
const others = await failedRun(service, service.theirs);
const list = (query: string) => service.call('GET', `/v1/run${query}`);

const shown = {
  number: 1,
  startedAt: '2026-01-01T00:00:00.005Z',
  durationMs: 12.5,
  outcome: 'response',
  responseStatus: 500,
  error: 'The target answered 500.',
  phases: { connectMs: 1, firstByteMs: 2.25 },
};
const run = {
  id: runId,
  scheduleId: schedule.id,
  scheduledFor: new Date(scheduledFor).toISOString(),
  trigger: 'manual',
  status: 'failed',
  startedAt: '2026-01-01T00:00:00.005Z',
  finishedAt: '2026-01-01T00:00:00.018Z',
  attempts: [shown],
  reason: 'Its retries gave way to the next time.',
  missedCount: 2_000,
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-01-02T00:00:00.000Z',
};

test('get 200: a run with what was answered, and with its callbacks', async () => {
  const answer = await service.call('GET', `/v1/run/${runId}`);
  assertOk(answer);
  const { callbacks, ...rest } = answer.body;
  const { responseHeaders, responseBody } = attempt;
  assert.deepEqual(rest, { ...run, attempts: [{ ...shown, responseHeaders, responseBody }] });
  const [{ id, ...callback }] = callbacks;
  assert.notEqual(id, runId);
  assert.deepEqual(callback, {
    integrationId: schedule.integrations![0]!.id,
    url: INTEGRATION.url,
    status: 'queued',
    attempts: [],
  });
});

test("get 404: an unknown id, another client's, a schedule's, and a text that is none", async () => {
  const texts = new Set<string>();
  for (const id of [newId(Date.now()), others.runId, schedule.id, runId.toUpperCase(), 'x']) {
    const answer = await service.call('GET', `/v1/run/${id}`);
    assertError(answer, 404, /^There is no run with this id/);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

test('list 200: without what was answered and without callbacks', async () => {
  const answer = await list('');
  assertOk(answer);
  assert.deepEqual(answer.body, { items: [run] });
});

test("list 200: another client's schedule has no runs for us", async () => {
  assert.deepEqual((await list(`?scheduleId=${others.schedule.id}`)).body, { items: [] });
});

test('list 200: filtered by schedule, status and nominal time: from inclusive, to exclusive', async () => {
  const at = (offset: number) => new Date(scheduledFor + offset).toISOString();
  for (const [query, length] of [
    [`?scheduleId=${schedule.id}`, 1],
    [`?scheduleId=${newId(Date.now())}`, 0],
    ['?status=failed', 1],
    ['?status=missed', 0],
    [`?from=${at(0)}`, 1],
    [`?from=${at(1)}`, 0],
    [`?to=${at(0)}`, 0],
    [`?to=${at(1)}`, 1],
    ['?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z', 1],
    ['?to=1950-01-01T00:00:00Z', 0],
  ] as const) {
    assert.equal((await list(query)).body.items?.length, length, query);
  }
});

test('list 200: no store is asked for instants before the epoch, where ids begin', async t => {
  const store = openSqlite(':memory:');
  const asked: RunFilter[] = [];
  const list: RunStore['list'] = (clientRowId, filter, ...rest) => {
    const { now: _, ...asks } = filter;
    asked.push(asks);
    return store.runs.list(clientRowId, filter, ...rest);
  };
  const watched = await startService({ store: { ...store, runs: { ...store.runs, list } } });
  t.after(() => watched.close());
  await watched.call('GET', '/v1/run?from=0000-01-01T00:00:00Z&to=1969-12-31T23:59:59Z');
  assert.deepEqual(asked, [{ from: 0, to: 0 }]);
});

test('list 200: queued runs stand beside ended ones, in pages, newest first', async () => {
  const { id } = await service.create();
  for (let index = 0; index < 3; index++) await service.call('POST', `/v1/schedule/${id}/trigger`);
  const first = (await list('?limit=2')).body;
  const second = (await list(`?limit=2&cursor=${first.nextCursor}`)).body;
  const ids = [...first.items, ...second.items].map(item => item.id);
  assert.equal(new Set(ids).size, 4);
  assert.deepEqual(ids, ids.toSorted().reverse());
  assert.equal('nextCursor' in second, false);
  assert.equal((await list('?status=queued')).body.items.length, 3);
});

test('list 400: a filter that cannot be read', async () => {
  for (const [query, sentence] of [
    ['?limit=0', /limit/],
    ['?cursor=x', /cursor/],
    ['?status=done', /status must be queued, .* or missed/],
    ['?scheduleId=x', /scheduleId is not an id/],
    [`?scheduleId=${schedule.id.toUpperCase()}`, /scheduleId/],
    ['?from=yesterday', /^The query parameter from must be an ISO 8601/],
    ['?to=2026-01-01', /^The query parameter to must be/],
    ['?from=2026-01-01T00:00:00+02:00', /from/],
    ['?to=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', /more than once/],
  ] as const) {
    assertError(await list(query), 400, sentence);
  }
});
