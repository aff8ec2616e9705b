import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sealedTicket } from '../../src/domain/access/completion-ticket.ts';
import { newDataKey } from '../../src/domain/access/envelope.ts';
import { ERROR_CODE_HEADER } from '../../src/domain/errors.ts';
import { newId, runId } from '../../src/domain/id.ts';
import type { Attempt } from '../../src/domain/run/run.ts';
import { startOf } from '../../src/domain/run/start.ts';
import { ALLOW_PUBLIC } from '../../src/domain/schedule/target.ts';
import { fenceOf } from '../../src/engine/delivery/settlement.ts';
import type { ManualClaim } from '../../src/store/contract/queue.ts';
import { startService, valid } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

/** `POST /complete/{token}`: no key, one attempt. */

const key = newDataKey();
const clock = new ManualClock('2026-03-01T12:00:00Z');
/** The secrets of the destinations of schedules, by the row ids of their clients. */
const secretsOf = new Map<number, string[]>();
const service = await startService({
  clock,
  completionKey: async () => key,
  secretsToward: async ({ delivery }, clientRowId) =>
    delivery?.destination === undefined ? [] : (secretsOf.get(clientRowId) ?? []),
});
after(() => service.close());

const policy = { completion: { deadlineSeconds: 600 } };
const NO_KEY = { headers: { ClientId: null, ApiKey: null } };

/** A run whose target has answered 202: its schedule, and the path at which it completes. */
async function awaiting(fields: object = {}) {
  const { store, mine } = service;
  const made = await service.create({ policy, interval: '* * * * *', ...fields });
  const { schedule } = (await store.schedules.find(mine.clientRowId, made.id))!;
  const { first } = startOf(schedule, clock.now())!;
  await clock.jump(first);
  const { claims } = await store.queue.claim(first, 1_000, 0);
  const claim = claims.find(each => each.schedule.id === made.id)!;
  const { scheduleRowId, clientRowId, scheduledFor, nextFor } = claim;
  const until = first + 600_000;
  const answered: Attempt = {
    number: 1,
    startedAt: first,
    durationMs: 5,
    outcome: 'response',
    responseStatus: 202,
    phases: {},
    completion: { until },
  };
  await store.queue.settle([
    {
      scheduleRowId,
      clientRowId,
      fence: fenceOf(claim),
      records: [],
      callbacks: [],
      row: {
        state: 'awaiting',
        dueAt: until,
        scheduledFor,
        nextFor,
        attempt: 1,
        attempts: [answered],
      },
    },
  ]);
  const ticket = {
    runId: runId(made.id, first),
    scheduleId: made.id,
    clientId: mine.clientId,
    attempt: 1,
  };
  const path = `/complete/${sealedTicket(ticket, key)}`;
  return { ticket, path, scheduleId: made.id, until };
}

test('without a body the attempt has succeeded, and the engine hears of it', async () => {
  const { path, ticket } = await awaiting();
  service.told.length = 0;
  const { status, body } = await service.call('POST', path, NO_KEY);
  assert.deepEqual([status, body], [200, { success: true }]);
  assert.deepEqual(service.told, [{ dueAt: clock.now() }]);
  const [said] = await service.store.completions.of([ticket]);
  assert.equal(said!.status, 'succeeded');
});

test('a body says how it ended, whatever its Content-Type', async () => {
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
    const { path, ticket } = await awaiting();
    const body = JSON.stringify({ status: 'failed', message: 'Disk full.' });
    const headers = { ...NO_KEY.headers, 'Content-Type': type };
    assert.equal((await service.call('POST', path, { body, headers })).status, 200, type);
    const [said] = await service.store.completions.of([ticket]);
    assert.deepEqual([said!.status, said!.message], ['failed', 'Disk full.']);
  }
});

test('a heartbeat moves the deadline, and the run shows it', async () => {
  const { path, ticket, scheduleId, until } = await awaiting();
  const shown = async () => (await service.call('GET', `/v1/run/${ticket.runId}`)).body;
  const before = await shown();
  assert.equal(before.status, 'running');
  assert.equal(before.completionUntil, new Date(until).toISOString());
  assert.deepEqual(before.attempts[0].completion, { until: new Date(until).toISOString() });
  const options = { ...NO_KEY, body: { extendSeconds: 3_600 } };
  assert.equal((await service.call('POST', path, options)).status, 200);
  const later = new Date(clock.now() + 3_600_000).toISOString();
  assert.equal((await shown()).completionUntil, later);
  const list = (await service.call('GET', '/v1/run?status=running')).body.items;
  assert.ok(list.some((run: { completionUntil?: string }) => run.completionUntil === later));
  const { sentence } = (
    await service.call(
      'GET',
      `/v1/schedule/${scheduleId}/explain?at=${encodeURIComponent(before.scheduledFor)}`,
    )
  ).body;
  assert.equal(
    sentence,
    `It is under way: the target answered 202, and it waits for completion until ${later}.`,
  );
});

test('50 that race end it once', async () => {
  const { path } = await awaiting();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => service.call('POST', path, NO_KEY)),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 410)]);
});

describe('410', () => {
  const refused = async (path: string, sent: object = {}) => {
    const answer = await service.call('POST', path, { ...NO_KEY, ...sent });
    assert.equal(answer.status, 410);
    assert.equal(answer.headers.get(ERROR_CODE_HEADER), 'completion_ended');
    assert.deepEqual(answer.body, {
      error: 'The attempt has ended, a newer one has begun, or its deadline has passed.',
    });
  };

  test('has ended', async () => {
    const { path } = await awaiting();
    await service.call('POST', path, NO_KEY);
    await refused(path);
    await refused(path, { body: { extendSeconds: 60 } });
  });

  test('is past its deadline', async () => {
    const { path, until } = await awaiting();
    await clock.jump(until);
    await refused(path);
  });

  test('is not the present attempt, or its schedule is not there', async () => {
    const { ticket } = await awaiting();
    const sealed = (change: object) => `/complete/${sealedTicket({ ...ticket, ...change }, key)}`;
    await refused(sealed({ attempt: 2 }));
    await refused(sealed({ runId: newId(clock.now()) }));
    await refused(sealed({ clientId: service.theirs.clientId }));
    await refused(sealed({ scheduleId: newId(clock.now()) }));
  });
});

test('404: it was not sealed with the key of this installation, or by another method', async () => {
  const { path, ticket } = await awaiting();
  const forged = `/complete/${sealedTicket(ticket, newDataKey())}`;
  for (const wrong of [forged, '/complete/', '/complete/AAAA', `${path}A`, `${path}/`]) {
    assert.equal((await service.call('POST', wrong, NO_KEY)).status, 404, wrong);
  }
  assert.equal((await service.call('GET', path, NO_KEY)).status, 404);
  const keyless = await startService({ clock });
  try {
    assert.equal((await keyless.call('POST', path, NO_KEY)).status, 404);
  } finally {
    await keyless.close();
  }
  assert.equal((await service.call('POST', path, NO_KEY)).status, 200);
});

test('400: the body is of another shape, and nothing is kept', async () => {
  const { path, ticket } = await awaiting();
  for (const body of [
    '{',
    '[]',
    'null',
    ' null\n',
    ' ',
    '"succeeded"',
    '7',
    { status: 'running' },
    { status: null },
    { message: 7 },
    { message: 'a\0b' },
    { message: 'x'.repeat(1_001) },
    { extendSeconds: 0 },
    { extendSeconds: 604_801 },
    { extendSeconds: 1.5 },
    { extendSeconds: '60' },
  ]) {
    const { status } = await service.call('POST', path, { ...NO_KEY, body });
    assert.equal(status, 400, JSON.stringify(body));
  }
  assert.deepEqual(await service.store.completions.of([ticket]), []);
  const whole = { message: '🦊'.repeat(1_000), status: 'succeeded' };
  assert.equal((await service.call('POST', path, { ...NO_KEY, body: whole })).status, 200);
});

describe('the message of a target', () => {
  const kept = async (message: string, fields: object = {}) => {
    const { path, ticket } = await awaiting(fields);
    const token = path.split('/').at(-1)!;
    const body = { status: 'failed', message: message.replace('TOKEN', token) };
    assert.equal((await service.call('POST', path, { ...NO_KEY, body })).status, 200);
    const [said] = await service.store.completions.of([ticket]);
    return said!;
  };

  test('is kept without the token of the call', async () => {
    const { message } = await kept('POST /complete/TOKEN failed');
    assert.equal(message, 'POST /complete/[secret] failed');
  });

  test('is kept without the secrets of the headers of its schedule, also where it is cut', async () => {
    const headers = { Authorization: 'Bearer of-the-schedule', Accept: 'text/plain' };
    const { message } = await kept('of-the-schedule text/plain of-the-sch', { headers });
    assert.equal(message, '[secret] text/plain [secret]');
  });

  test('is kept without the secrets of its destination', async () => {
    const { store, mine } = service;
    const config = { hosts: ['example.com'] };
    const change = { config, version: newId(clock.now()) };
    await store.destinations.put(mine, 'billing', null, change, clock.now());
    secretsOf.set(mine.clientRowId, ['of-the-destination']);
    const message = 'of-the-destination';
    assert.equal((await kept(message, { destination: 'billing' })).message, '[secret]');
    assert.equal((await kept(message)).message, message, 'another schedule');
  });

  test('is not kept where the schedule keeps no bodies', async () => {
    for (const keepResponse of ['headers', 'none']) {
      const said = await kept('Disk full.', { policy: { ...policy, keepResponse } });
      assert.deepEqual([said.status, said.message], ['failed', undefined]);
    }
    assert.equal((await kept('Disk full.')).message, 'Disk full.');
  });
});

test('a body that is too long is refused before it is read', async () => {
  const { path } = await awaiting();
  const body = { message: 'x', more: 'x'.repeat(16 * 1024) };
  const { status } = await service.call('POST', path, { ...NO_KEY, body });
  assert.equal(status, 400);
});

test('a manual run wakes the outbox', async () => {
  const { store, mine } = service;
  const { id } = await service.create({ policy, status: 'disabled' });
  const run = (await service.call('POST', `/v1/schedule/${id}/trigger`)).body;
  const claims = (await store.outbox.claim(clock.now(), 10)) as ManualClaim[];
  assert.equal(claims[0]!.id, run.id);
  const ticket = { runId: run.id, scheduleId: id, clientId: mine.clientId, attempt: 1 };
  service.told.length = 0;
  const path = `/complete/${sealedTicket(ticket, key)}`;
  assert.equal((await service.call('POST', path, NO_KEY)).status, 200);
  assert.deepEqual(service.told, ['outbox']);
});

test('no line of the log has the token', async () => {
  const { path } = await awaiting();
  await service.call('POST', path, NO_KEY);
  await service.call('POST', path, { ...NO_KEY, body: '{' });
  const token = path.split('/').at(-1)!;
  const lines = service.logged.map(line => JSON.stringify(line));
  assert.ok(lines.some(line => line.includes('/complete/:token')));
  assert.equal(
    lines.some(line => line.includes(token)),
    false,
  );
});

describe('where PUNCTUAL_URL is unset', () => {
  const NEEDS =
    'policy.completion needs the setting PUNCTUAL_URL: targets send their completions there.';

  test('a policy with completion is a 400 that names it', async context => {
    const lacking = await startService({ allow: { ...ALLOW_PUBLIC, lacksUrl: true } });
    context.after(() => lacking.close());
    const { status, body } = await lacking.call('POST', '/v1/schedule', {
      body: { ...valid, policy },
    });
    assert.deepEqual([status, body], [400, { error: NEEDS }]);
    const { id } = await lacking.create();
    const patched = await lacking.call('PATCH', `/v1/schedule/${id}`, { body: { policy } });
    assert.deepEqual([patched.status, patched.body], [400, { error: NEEDS }]);
    const checked = await lacking.call('POST', '/v1/check', { body: { ...valid, policy } });
    assert.deepEqual(checked.body.problems, [{ where: 'policy.completion', sentence: NEEDS }]);
  });

  test('a PATCH that leaves the deadline out is a 400', async () => {
    const { id } = await service.create();
    const body = { policy: { completion: {} } };
    const { status, body: answer } = await service.call('PATCH', `/v1/schedule/${id}`, { body });
    assert.deepEqual(
      [status, answer],
      [400, { error: 'policy.completion.deadlineSeconds is required.' }],
    );
  });
});
