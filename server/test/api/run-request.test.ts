import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type * as Wire from '@punctual/client';
import { newId, runId } from '../../src/domain/id.ts';
import type { Attempt, RunRecord } from '../../src/domain/run/run.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { settled } from '../support/store/backend.ts';

const DAY = 86_400_000;
const SECRET = '[secret]';
const service = await startService();
after(() => service.close());
const { store } = service;

const requestOf = (id: string, query = '') => service.call('GET', `/v1/run/${id}/request${query}`);

interface Made {
  schedule: Wire.Schedule;
  run: string;
}

/** A schedule whose first time has ended so, as the engine writes it. */
async function ended(
  fields: object,
  record: (scheduledFor: number, createdAt: number) => Partial<RunRecord>,
): Promise<Made> {
  const schedule = await service.create(fields);
  const createdAt = Date.parse(schedule.createdAt);
  const at = createdAt + 3_600_000;
  const { claims } = await store.queue.claim(at, 100, 0);
  const claim = claims.find(each => each.schedule.id === schedule.id)!;
  const { scheduledFor } = claim;
  const given = record(scheduledFor, createdAt);
  const whole: RunRecord = {
    id: runId(schedule.id, scheduledFor),
    scheduledFor,
    trigger: 'schedule',
    status: 'succeeded',
    attempts: [],
    ...given,
  };
  const row = null;
  await settled(store, claim, row, { records: [whole] });
  return { schedule, run: whole.id };
}

function sent(startedAt: number, number = 1, fields: Partial<Attempt> = {}): Attempt {
  return { number, startedAt, durationMs: 1, outcome: 'response', responseStatus: 200, ...fields };
}

const once = (fields: object = {}, attempt: Partial<Attempt> = {}) =>
  ended(fields, scheduledFor => ({
    startedAt: scheduledFor,
    finishedAt: scheduledFor + 1,
    attempts: [sent(scheduledFor, 1, attempt)],
  }));

describe('GET /v1/run/{id}/request: 200', () => {
  test('method, url, headers and body, with signature and fence masked', async () => {
    const { schedule, run } = await once({
      url: 'https://example.com/a?b=1',
      verb: 'PUT',
      data: { n: '1' },
      headers: { Authorization: 'Bearer own', 'X-Text': 'ü' },
    });
    const answer = await requestOf(run);
    assertOk(answer);
    const { request, ...told } = answer.body;
    assert.deepEqual(told, {
      runId: run,
      scheduleId: schedule.id,
      attempt: 1,
      version: 1,
      presentVersion: 1,
      masked: ['Punctual-Fence', 'webhook-timestamp', 'webhook-signature'],
      notes: [],
    });
    const { headers, ...others } = request;
    assert.deepEqual(others, {
      method: 'PUT',
      url: 'https://example.com/a?b=1',
      body: '{"n":"1"}',
    });
    assert.match(headers['User-Agent'], /^Punctual\//);
    assert.deepEqual(
      { ...headers, 'User-Agent': 'x' },
      {
        Authorization: 'Bearer own',
        'X-Text': 'ü',
        'User-Agent': 'x',
        'Content-Type': 'application/json',
        'Punctual-Schedule-Id': schedule.id,
        'Punctual-Scheduled-For': (await service.call('GET', `/v1/run/${run}`)).body.scheduledFor,
        'Punctual-Fence': '[not kept]',
        'Punctual-Attempt': '1',
        'webhook-id': run,
        'webhook-timestamp': '[not kept]',
        'webhook-signature': '[secret]',
      },
    );
  });

  test('it is the request of then, also when the schedule is another one by now', async () => {
    const { schedule, run } = await once({ label: 'then', verb: 'POST', body: 'then' });
    const { id } = schedule;
    // The clock of the test stands before the run; its version is to end behind it.
    const { schedule: was, version } = (await store.schedules.find(service.mine.clientRowId, id))!;
    const updatedAt = Date.parse(schedule.createdAt) + DAY;
    const next = { ...was, url: 'https://example.com/now', updatedAt };
    await store.schedules.update(service.mine.clientRowId, next, version, 'keep');
    const { request, version: of, presentVersion } = (await requestOf(run)).body;
    assert.deepEqual([of, presentVersion], [1, 2]);
    assert.deepEqual([request.url, request.body], [schedule.url, 'then']);
  });

  test('each attempt has the request of its own time; the last one where none is named', async () => {
    const { schedule, run } = await ended({ label: '1' }, at => ({
      status: 'failed',
      startedAt: at,
      finishedAt: at + 60_000,
      attempts: [sent(at), sent(at + 60_000, 2)],
    }));
    const { clientRowId } = service.mine;
    const found = (await store.schedules.find(clientRowId, schedule.id))!;
    const { scheduledFor } = (await service.call('GET', `/v1/run/${run}`)).body;
    const updatedAt = Date.parse(scheduledFor) + 30_000;
    const next = { ...found.schedule, verb: 'DELETE' as const, updatedAt };
    await store.schedules.update(clientRowId, next, found.version, 'keep');
    const methods = [];
    for (const query of ['?attempt=1', '?attempt=2', '']) {
      const { attempt, version, request } = (await requestOf(run, query)).body;
      methods.push([attempt, version, request.method, request.headers['Punctual-Attempt']]);
    }
    const second = [2, 2, 'DELETE', '2'];
    assert.deepEqual(methods, [[1, 1, 'POST', '1'], second, second]);
    assertError(await requestOf(run, '?attempt=3'), 404, /attempt 3/);
  });

  test('a change right before it is told', async () => {
    const { schedule, run } = await once();
    const { clientRowId } = service.mine;
    const found = (await store.schedules.find(clientRowId, schedule.id))!;
    const { scheduledFor } = (await service.call('GET', `/v1/run/${run}`)).body;
    const updatedAt = Date.parse(scheduledFor) - 999;
    const next = { ...found.schedule, label: 'b', updatedAt };
    await store.schedules.update(clientRowId, next, found.version, 'keep');
    const { notes, version } = (await requestOf(run)).body;
    assert.equal(version, 2);
    assert.match(notes.join(), /changed right before: .* version before 2\.$/);
  });

  test('a run that was skipped or missed sent nothing', async () => {
    for (const status of ['skipped', 'missed'] as const) {
      const { run } = await ended({}, at => ({ status, reason: 'x', decidedAt: at }));
      const { attempt, request, notes } = (await requestOf(run)).body;
      assert.deepEqual([attempt, request], [undefined, undefined]);
      assert.deepEqual(notes, [`Nothing was sent: the run was ${status}.`]);
    }
  });

  test('a run that waits has sent nothing yet', async () => {
    const { id } = await service.create({ status: 'disabled' });
    const run = (await service.call('POST', `/v1/schedule/${id}/trigger`)).body;
    const { request, notes } = (await requestOf(run.id)).body;
    assert.equal(request, undefined);
    assert.deepEqual(notes, ['Nothing was sent yet.']);
  });

  test('an attempt that was never sent is shown, and says so', async () => {
    const cases: Partial<Attempt>[] = [
      { outcome: 'blocked', error: 'The target resolves to 10.0.0.1.' },
      { outcome: 'connectionError', refused: true, error: 'The breaker is open.' },
    ];
    for (const fields of cases) {
      const { run } = await once({}, fields);
      const { request, notes } = (await requestOf(run)).body;
      assert.equal(request.method, 'POST');
      assert.deepEqual(notes, [`It was made and not sent: ${fields.error}`]);
    }
  });

  test('templates are filled in with the facts of then', async () => {
    const { run } = await once({
      url: 'https://example.com/{{run.localDate}}?l={{schedule.label}}',
      label: 'a b',
      timezone: 'Pacific/Kiritimati',
      policy: { template: true },
      headers: { 'X-Previous': '{{previous.status}}', 'X-Run': '{{run.id}}-{{run.trigger}}' },
    });
    const { scheduledFor } = (await service.call('GET', `/v1/run/${run}`)).body;
    const { request, notes } = (await requestOf(run)).body;
    const day = new Date(Date.parse(scheduledFor) + 14 * 3_600_000).toISOString().slice(0, 10);
    assert.equal(request.url, `https://example.com/${day}?l=a%20b`);
    assert.deepEqual(
      [request.headers['X-Previous'], request.headers['X-Run']],
      ['', `${run}-schedule`],
    );
    assert.deepEqual(notes, [], 'no run before it can be gone: the schedule is younger');
  });

  test('a destination that adds headers, was changed since, or is gone', async () => {
    const destination = (body: object) =>
      service.call('PUT', '/v1/destination/adds', { body: { hosts: ['example.com'], ...body } });
    const headers = { 'X-One': 'a-secret', 'X-Two': 'b-secret' };
    assertOk(await destination({ auth: { type: 'headers', headers } }));
    // The run is of the moment at which its schedule was made.
    const { schedule, run } = await ended({ destination: 'adds' }, (_, at) => ({
      startedAt: at,
      finishedAt: at + 1,
      attempts: [sent(at)],
    }));
    const first = (await requestOf(run)).body;
    assert.deepEqual(first.notes, []);
    assert.deepEqual(first.masked.slice(-2), ['X-One', 'X-Two']);
    const { request } = first;
    assert.deepEqual([request.headers['X-One'], request.headers['X-Two']], [SECRET, SECRET]);
    assert.doesNotMatch(JSON.stringify(first), /a-secret|b-secret/);

    while (Date.now() <= Date.parse(schedule.createdAt));
    assertOk(await destination({ auth: { type: 'bearer', token: 'c-secret-c' } }));
    const changed = (await requestOf(run)).body;
    assert.equal(changed.request.headers.Authorization, SECRET);
    assert.match(changed.notes.join(), /destination adds was changed since/);

    await service.call('PATCH', `/v1/schedule/${schedule.id}`, { body: { destination: null } });
    assertOk(await service.call('DELETE', '/v1/destination/adds'));
    const gone = (await requestOf(run)).body;
    assert.deepEqual([gone.version, gone.presentVersion], [1, 2]);
    assert.match(gone.notes.join(), /destination adds is gone/);
  });

  test('with completion, the url is masked: whoever has it may end the run', async () => {
    const { run } = await once({ policy: { completion: { deadlineSeconds: 60 } } });
    const { request, masked } = (await requestOf(run)).body;
    assert.equal(request.headers['Punctual-Completion-Url'], '[secret]');
    assert.ok(masked.includes('Punctual-Completion-Url'));
  });
});

describe('GET /v1/run/{id}/request: what is gone', () => {
  test('the version, and the runs before it', async t => {
    const template = { policy: { template: true }, headers: { X: '{{previous.status}}' } };
    const { schedule, run } = await once(template);
    const { clientRowId } = service.mine;
    const found = (await store.schedules.find(clientRowId, schedule.id))!;
    const { scheduledFor } = (await service.call('GET', `/v1/run/${run}`)).body;
    const later = await startService({
      store: { ...store, close: async () => {} },
      clock: { now: () => Date.now() + 90 * DAY, monotonicMs: () => performance.now() } as never,
    });
    t.after(() => later.close());
    const asked = () => later.call('GET', `/v1/run/${run}/request`, { as: service.mine });
    assert.match((await asked()).body.notes.join(), /Runs before it may be gone/);
    const updatedAt = Date.parse(scheduledFor) + DAY;
    const next = { ...found.schedule, label: 'b', updatedAt };
    await store.schedules.update(clientRowId, next, found.version, 'keep');
    const failedBefore = updatedAt + 3 * DAY;
    while ((await store.runs.prune({ succeededBefore: 0, failedBefore })) > 0);
    const { request, version, presentVersion, notes } = (await asked()).body;
    assert.deepEqual([request, version, presentVersion], [undefined, undefined, 2]);
    assert.deepEqual(notes, ['The version of the schedule that was sent is not kept any more.']);
  });
});

describe('GET /v1/run/{id}/request: 400 and 404', () => {
  test('an attempt that is no number from 1 to 11, and anything unknown', async () => {
    const { run } = await once();
    for (const query of ['?attempt=0', '?attempt=12', '?attempt=x', '?attempts=1']) {
      assertError(await requestOf(run, query), 400, /attempt/);
    }
  });

  test("a run that is not there, or is another client's", async () => {
    const { run } = await once();
    const as = service.theirs;
    assertError(await service.call('GET', `/v1/run/${run}/request`, { as }), 404);
    for (const unknown of [newId(Date.now()), 'x']) assertError(await requestOf(unknown), 404);
  });
});
