import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/domain/id.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());

test('200: the schedule as it was answered when it was made', async () => {
  const created = await service.create({ label: 'x', headers: { 'X-A': '1' } });
  const answer = await service.call('GET', `/v1/schedule/${created.id}`);
  assertOk(answer);
  assert.deepEqual(answer.body, created);
});

test('200: a deleted schedule, with all that was stored', async () => {
  const created = await service.create({ label: 'x', data: { a: 'b' } });
  await service.call('DELETE', `/v1/schedule/${created.id}`);
  const { status, body } = await service.call('GET', `/v1/schedule/${created.id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { ...created, status: 'deleted', updatedAt: body.updatedAt });
});

test('400: query parameters, since there are none here', async () => {
  const { id } = await service.create();
  const path = `/v1/schedule/${id}?__proto__[x]=1&a=1&a=2&limit=x&%zz=%ff`;
  assertError(
    await service.call('GET', path),
    400,
    /^This operation has no query parameters "__proto__\[x\]", "a", "limit", "%zz"\. It takes none\.$/,
  );
});

test("404: an id that never was, another client's and a text that is none get one answer", async () => {
  const { id } = await service.create();
  const theirs = await service.create({}, service.theirs);
  const texts = new Set<string>();
  for (const other of [
    newId(Date.now()),
    theirs.id,
    id.toUpperCase(),
    `${id}0`,
    `${id}%00`,
    `{${id}}`,
    id.replaceAll('-', ''),
    '00000000-0000-0000-0000-000000000000',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'null',
    'toString',
    '__proto__',
    'batch',
    '*',
    '%2e%2e%2f',
    "1'%20OR%20'1'='1",
    'x'.repeat(8_000),
  ]) {
    const answer = await service.call('GET', `/v1/schedule/${other}`);
    assertError(answer, 404, /^There is no schedule with this id/);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

test('401: without a key there is no difference between an id that is and one that is not', async () => {
  const { id } = await service.create();
  const headers = { ApiKey: 'wrong' };
  const known = await service.call('GET', `/v1/schedule/${id}`, { headers });
  const unknown = await service.call('GET', '/v1/schedule/x', { headers });
  assertError(known, 401);
  assert.equal(known.text, unknown.text);
});
