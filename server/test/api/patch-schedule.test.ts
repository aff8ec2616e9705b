import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const patch = (id: string, body: unknown) => service.call('PATCH', `/v1/schedule/${id}`, { body });
const get = async (id: string) => (await service.call('GET', `/v1/schedule/${id}`)).body;
const full = {
  headers: { 'X-A': '1', 'X-B': '2' },
  data: { a: 'b' },
  integrations: [{ type: 'WEBHOOK', url: 'https://example.com/callback' }],
  label: 'full',
  policy: { maxRetries: 1, timeoutSeconds: 5 },
};

test('200: what is left out stays, and updatedAt moves, for an empty patch too', async () => {
  const before = await service.create(full);
  const answer = await patch(before.id, {});
  assertOk(answer);
  assert.deepEqual(answer.body, { ...before, updatedAt: answer.body.updatedAt });
  assert.deepEqual((await patch(before.id, { verb: 'PUT' })).body.verb, 'PUT');
});

test('200: headers, data and policy are merged key by key; null removes', async () => {
  const { id } = await service.create(full);
  const { body } = await patch(id, {
    headers: { 'X-A': null, 'X-C': '3' },
    data: { c: 'd' },
    policy: { maxRetries: null },
    integrations: null,
    label: null,
  });
  assert.deepEqual(body.headers, { 'X-B': '2', 'X-C': '3' });
  assert.deepEqual(body.data, { a: 'b', c: 'd' });
  assert.deepEqual(body.policy, { timeoutSeconds: 5 });
  assert.equal('integrations' in body, false);
  assert.equal(body.label, '');
  assert.deepEqual(await get(id), body);
});

test('200: integrations are replaced as a whole; a known id is kept', async () => {
  const before = await service.create(full);
  const [known] = before.integrations!;
  const { body } = await patch(before.id, { integrations: [{ ...known, name: 'renamed' }] });
  assert.deepEqual(body.integrations, [{ ...known, name: 'renamed' }]);
  assert.deepEqual((await patch(before.id, { integrations: [] })).body.integrations, []);
});

test('200: read-only properties are ignored', async () => {
  const before = await service.create();
  const { body } = await patch(before.id, { id: null, createdAt: 1, updatedAt: 'x' });
  assert.deepEqual([body.id, body.createdAt], [before.id, before.createdAt]);
});

test('400: null for what is required, and for what is not removed but set', async () => {
  const { id } = await service.create();
  for (const name of ['url', 'verb', 'interval', 'timezone', 'status']) {
    assertError(await patch(id, { [name]: null }), 400, new RegExp(`^${name} must be `));
  }
});

test('400: shapes and limits are those of a create', async () => {
  const before = await service.create(full);
  for (const [change, sentence] of [
    [{ unknown: 1 }, /"unknown"/],
    [{ label: 1 }, /^label must be a string or null/],
    [{ headers: { 'X-A': 1 } }, /^headers\.X-A must be a string or null/],
    [{ policy: { maxRetries: 11 } }, /^policy\.maxRetries must be at most 10/],
    [{ policy: { x: null } }, /"x" in policy/],
    [{ integrations: [{}] }, /^integrations\[0\]\.type is required/],
    [{ integrations: [null] }, /^integrations\[0\] must be an object/],
    [{ headers: { 'x-a': '1' } }, /"x-a"/],
    [{ data: { b: 'x'.repeat(131_060) } }, /128 KiB/],
    [{ label: 'x'.repeat(501) }, /500/],
    [{ status: 'deleted' }, /DELETE/],
    [{ interval: 'x' }, /interval/],
    [[{ op: 'remove', path: '/label' }], /^The body must be an object/],
  ] as const) {
    assertError(await patch(before.id, change), 400, sentence);
  }
  assert.deepEqual(await get(before.id), before);
});

test('400: a deleted schedule', async () => {
  const { id } = await service.create();
  await service.call('DELETE', `/v1/schedule/${id}`);
  assertError(await patch(id, { status: 'enabled' }), 400, /deleted/);
});

test("404: an unknown id and another client's", async () => {
  const theirs = await service.create({}, service.theirs);
  for (const id of [newId(Date.now()), theirs.id, 'x']) {
    assertError(await patch(id, { label: 'x' }), 404, /^There is no schedule/);
  }
});
