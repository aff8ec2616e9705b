import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { instantOf, isId, newId } from '../../src/domain/id.ts';
import { MOST_MANUAL_RUNS } from '../../src/store/manual-runs.ts';
import { assertError, assertOk, INSTANT } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';
import { ManualClock } from '../support/clock.ts';

const service = await startService();
after(() => service.close());
const trigger = (id: string) => service.call('POST', `/v1/schedule/${id}/trigger`);

test('200: the run, queued for now, and found under its id', async () => {
  const { id } = await service.create();
  service.told.length = 0;
  const startedAt = Date.now();
  const answer = await trigger(id);
  assertOk(answer);
  const { id: runId, scheduledFor, ...rest } = answer.body;
  assert.ok(isId(runId));
  assert.match(scheduledFor, INSTANT);
  assert.equal(instantOf(runId), Date.parse(scheduledFor));
  assert.ok(Date.parse(scheduledFor) >= startedAt && Date.parse(scheduledFor) <= Date.now());
  assert.deepEqual(rest, { scheduleId: id, trigger: 'manual', status: 'queued', attempts: [] });
  assert.deepEqual(service.told, ['outbox']);
  assert.deepEqual((await service.call('GET', `/v1/run/${runId}`)).body, answer.body);
});

test('200: every call is a run of its own, also within one millisecond', async t => {
  const still = await startService({ clock: new ManualClock('2026-01-01T00:00:00Z') });
  t.after(() => still.close());
  const { id } = await still.create();
  const path = `/v1/schedule/${id}/trigger`;
  const runs = await Promise.all(Array.from({ length: 20 }, () => still.call('POST', path)));
  assert.equal(new Set(runs.map(({ body }) => body.id)).size, 20);
  for (const { body } of runs) {
    assert.equal(body.scheduledFor, '2026-01-01T00:00:00.000Z');
    assert.deepEqual((await still.call('GET', `/v1/run/${body.id}`)).body, body);
  }
});

test('200: a disabled schedule too', async () => {
  const { id } = await service.create({ status: 'disabled' });
  assert.equal((await trigger(id)).body.status, 'queued');
});

test('400: one more than a client may have waiting; nothing is run, and others have theirs', async t => {
  const crowded = await startService();
  t.after(() => crowded.close());
  const { id } = await crowded.create();
  const path = `/v1/schedule/${id}/trigger`;
  for (let count = 0; count < MOST_MANUAL_RUNS; count++) assertOk(await crowded.call('POST', path));
  const refused = await crowded.call('POST', path);
  assertError(refused, 400, /1,000 manual runs that have not ended/);
  assert.equal(refused.headers.get('punctual-error-code'), 'too_many_waiting');

  const as = crowded.theirs;
  const theirs = await crowded.create({}, as);
  assertOk(await crowded.call('POST', `/v1/schedule/${theirs.id}/trigger`, { as }));
});

test('400: a deleted schedule', async () => {
  const { id } = await service.create();
  await service.call('DELETE', `/v1/schedule/${id}`);
  assertError(await trigger(id), 400, /deleted/);
});

test("404: an unknown id and another client's; nothing is run", async () => {
  const theirs = await service.create({}, service.theirs);
  for (const id of [newId(Date.now()), theirs.id, 'x']) assertError(await trigger(id), 404);
  const as = service.theirs;
  assert.deepEqual((await service.call('GET', '/v1/run', { as })).body.items, []);
});
