import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callbacksOf } from '../../src/domain/run/callback.ts';
import type { RunRecord } from '../../src/domain/run/run.ts';
import type { Integration, Schedule } from '../../src/domain/schedule/schedule.ts';

const AT = Date.UTC(2026, 2, 29, 1);

const integration = (fields: Partial<Integration> = {}): Integration => ({
  id: '019cb000-0000-7000-8000-00000000000a',
  type: 'WEBHOOK',
  name: 'pager',
  url: 'https://hooks.example/run',
  includeScheduleUrlInCallback: false,
  callOnSuccess: false,
  ...fields,
});

const schedule = (...integrations: Integration[]): Schedule => ({
  id: '019cb000-0000-7000-8000-000000000001',
  status: 'enabled',
  url: 'https://target.example/job?token=1',
  verb: 'POST',
  interval: '* * * * *',
  timezone: 'UTC',
  createdAt: AT,
  label: 'nightly ☾',
  integrations,
});

const failed: RunRecord = {
  id: '019cb000-0000-7000-8000-0000000000ff',
  scheduledFor: AT,
  trigger: 'schedule',
  status: 'failed',
  startedAt: AT + 7,
  finishedAt: AT + 5_100,
  attempts: [
    { number: 1, startedAt: AT + 7, outcome: 'lost', error: 'Punctual stopped.' },
    {
      number: 2,
      startedAt: AT + 5_007,
      durationMs: 93,
      outcome: 'response',
      responseStatus: 503,
      responseHeaders: { 'x-secret': 'kept' },
      responseBody: 'not in a callback',
      error: 'The target answered 503.',
    },
  ],
};
const succeeded: RunRecord = {
  ...failed,
  status: 'succeeded',
  attempts: [
    { number: 1, startedAt: AT + 7, durationMs: 90, outcome: 'response', responseStatus: 204 },
  ],
};

const bodyOf = (schedule: Schedule, run: RunRecord) =>
  JSON.parse(callbacksOf(schedule, run)[0]!.body);

describe('the body of a callback, to the letter', () => {
  test('of a run that failed', () => {
    assert.deepEqual(bodyOf(schedule(integration()), failed), {
      type: 'schedule.run.failed',
      timestamp: '2026-03-29T01:00:05.100Z',
      data: {
        scheduleId: '019cb000-0000-7000-8000-000000000001',
        label: 'nightly ☾',
        integrationId: '019cb000-0000-7000-8000-00000000000a',
        run: {
          id: '019cb000-0000-7000-8000-0000000000ff',
          scheduledFor: '2026-03-29T01:00:00.000Z',
          startedAt: '2026-03-29T01:00:00.007Z',
          finishedAt: '2026-03-29T01:00:05.100Z',
          attempts: 2,
          status: 'failed',
          outcome: 'response',
          responseStatus: 503,
          error: 'The target answered 503.',
        },
      },
    });
  });

  test('of a run that succeeded: no error', () => {
    const body = bodyOf(schedule(integration({ callOnSuccess: true })), succeeded);
    assert.equal(body.type, 'schedule.run.succeeded');
    assert.deepEqual(body.data.run, {
      id: '019cb000-0000-7000-8000-0000000000ff',
      scheduledFor: '2026-03-29T01:00:00.000Z',
      startedAt: '2026-03-29T01:00:00.007Z',
      finishedAt: '2026-03-29T01:00:05.100Z',
      attempts: 1,
      status: 'succeeded',
      outcome: 'response',
      responseStatus: 204,
    });
  });

  test("the schedule's url is in it only where includeScheduleUrlInCallback is true", () => {
    const withUrl = schedule(integration({ includeScheduleUrlInCallback: true }));
    assert.equal(bodyOf(withUrl, failed).data.scheduleUrl, 'https://target.example/job?token=1');
    assert.ok(!('scheduleUrl' in bodyOf(schedule(integration()), failed).data));
  });

  test('without an answer there is no status, and the outcome says why', () => {
    const attempts = [
      {
        number: 1,
        startedAt: AT + 7,
        outcome: 'timeout',
        error: 'No answer within 30 s.',
      } as const,
    ];
    const { run } = bodyOf(schedule(integration()), { ...failed, attempts }).data;
    assert.ok(!('responseStatus' in run));
    assert.deepEqual([run.outcome, run.error], ['timeout', 'No answer within 30 s.']);
  });

  test("where no attempt says why, the run's own reason does", () => {
    const attempts = [{ number: 1, startedAt: AT + 7, outcome: 'connectionError' } as const];
    const run = { ...failed, attempts, reason: 'It was not tried again.' };
    assert.equal(bodyOf(schedule(integration()), run).data.run.error, 'It was not tried again.');
  });
});

describe('which integrations are called', () => {
  const all = schedule(
    integration({ id: 'a', url: 'https://a.example/' }),
    integration({ id: 'b', url: 'https://b.example/', callOnSuccess: true }),
    integration({ id: 'c', url: 'https://c.example/' }),
  );
  const called = (run: RunRecord) =>
    callbacksOf(all, run).map(({ integrationId, url }) => [integrationId, url]);

  test('failed: all, in their order, each at its own url', () => {
    assert.deepEqual(called(failed), [
      ['a', 'https://a.example/'],
      ['b', 'https://b.example/'],
      ['c', 'https://c.example/'],
    ]);
  });

  test('succeeded: those with callOnSuccess', () => {
    assert.deepEqual(called(succeeded), [['b', 'https://b.example/']]);
  });

  test('skipped or missed: none, for it was never triggered', () => {
    for (const status of ['skipped', 'missed'] as const) {
      assert.deepEqual(called({ ...failed, status, attempts: [] }), []);
    }
  });

  test('a schedule without integrations calls nobody', () => {
    const { integrations: _, ...without } = schedule();
    assert.deepEqual(callbacksOf(without, failed), []);
    assert.deepEqual(callbacksOf(schedule(), failed), []);
  });

  test('a run that was triggered by hand calls back as any other', () => {
    assert.equal(callbacksOf(all, { ...failed, trigger: 'manual' }).length, 3);
  });
});

test('it tells the external id and the tags, where the schedule has some', () => {
  const told = { externalId: 'invoices', tags: { team: 'billing' } };
  const [callback] = callbacksOf({ ...schedule(integration()), delivery: told }, failed);
  const { externalId, tags } = JSON.parse(callback!.body).data;
  assert.deepEqual({ externalId, tags }, told);
});
