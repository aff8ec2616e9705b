import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { PunctualApiError, PunctualClient } from '../../../client/src/index.ts';
import { assertError, assertOk } from '../support/api/expect.ts';
import { startService, valid } from '../support/api/service.ts';

const service = await startService();
after(() => service.close());
const path = (id: string) => `/v1/schedule/${id}`;
const call = (method: string, id: string, headers = {}, body?: unknown) =>
  service.call(method, path(id), { headers, ...(body !== undefined && { body }) });
const patch = (id: string, ifMatch: string, label = 'changed') =>
  call('PATCH', id, { 'If-Match': ifMatch }, { label });
const etagOf = async (id: string) => (await call('GET', id)).headers.get('ETag')!;

describe('the ETag of a schedule', () => {
  test('is the same in every answer of a version, and another one after each change', async () => {
    const created = await service.call('POST', '/v1/schedule', { body: valid });
    const { id } = created.body;
    const tags = [created.headers.get('ETag')];
    assert.equal(await etagOf(id), tags[0]);
    tags.push((await call('PATCH', id, {}, { label: 'b' })).headers.get('ETag'));
    assert.equal(await etagOf(id), tags[1]);
    tags.push((await call('PUT', id, {}, valid)).headers.get('ETag'));
    assert.equal(await etagOf(id), tags[2]);
    await call('DELETE', id);
    tags.push(await etagOf(id));
    assert.equal(new Set(tags).size, 4);
    for (const tag of tags) assert.match(tag!, /^"\d+"$/);
  });

  test('is not there where an answer is not one schedule', async () => {
    const { id } = await service.create();
    for (const other of ['/v1/schedule', `${path(id)}/next`]) {
      assert.equal((await service.call('GET', other)).headers.get('ETag'), null);
    }
  });
});

describe('If-None-Match', () => {
  test('304 without a body where the version is known, as a weak tag too', async () => {
    const { id } = await service.create();
    const etag = await etagOf(id);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await call('GET', id, { 'If-None-Match': known });
      assert.deepEqual([answer.status, answer.text], [304, ''], known);
      assert.equal(answer.headers.get('ETag'), etag);
    }
  });

  test('200 where it is another one', async () => {
    const { id } = await service.create();
    assertOk(await call('GET', id, { 'If-None-Match': '"0"' }));
  });

  test('404 for a schedule that is not there', async () => {
    const { id } = await service.create();
    const theirs = { 'If-None-Match': '*' };
    const answer = await service.call('GET', path(id), { headers: theirs, as: service.theirs });
    assertError(answer, 404);
  });
});

describe('If-Match', () => {
  test('200 where the version is named, alone, in a list or by *', async () => {
    const { id } = await service.create();
    assertOk(await patch(id, await etagOf(id)));
    assertOk(await patch(id, `"x" ,, ${await etagOf(id)} ,`));
    assertOk(await patch(id, '*'));
    assertOk(await call('DELETE', id, { 'If-Match': await etagOf(id) }));
  });

  test('412 where it is another one, and nothing was changed', async () => {
    const { id } = await service.create({ label: 'mine' });
    const etag = await etagOf(id);
    await patch(id, '*', 'theirs');
    const before = await call('GET', id);
    for (const [method, body] of [
      ['PUT', valid],
      ['PATCH', { label: 'lost' }],
      ['DELETE'],
    ] as const) {
      for (const tag of [etag, `W/${before.headers.get('ETag')}`, '"other"']) {
        const answer = await call(method, id, { 'If-Match': tag }, body);
        assertError(answer, 412, /no longer the version that If-Match names/);
      }
    }
    assert.deepEqual((await call('GET', id)).body, before.body);
  });

  test('412 for a second DELETE that names the version before it', async () => {
    const { id } = await service.create();
    const etag = await etagOf(id);
    assertOk(await call('DELETE', id, { 'If-Match': etag }));
    assertError(await call('DELETE', id, { 'If-Match': etag }), 412);
    assertOk(await call('DELETE', id));
  });

  for (const wrong of [
    '',
    '3',
    '"3',
    "'3'",
    '"a b"',
    '"1" "2"',
    '"1""2"',
    '*, "1"',
    '"1", x',
    ',',
  ]) {
    test(`400 for ${JSON.stringify(wrong)}, and nothing was changed`, async () => {
      const { id } = await service.create();
      assertError(await patch(id, wrong), 400, /If-Match must be \* or entity tags in quotes/);
      assert.equal((await call('GET', id)).body.label, '');
    });
  }

  test('a header of 15,000 blanks and commas is refused at once', async () => {
    const { id } = await service.create();
    assertError(await patch(id, `"1"${' , '.repeat(5_000)}x`), 400);
  });

  test('of fifty callers that change one version at the same time, one does', async () => {
    const { id } = await service.create();
    const etag = await etagOf(id);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => patch(id, etag, String(index))),
    );
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    assert.equal(answers.filter(({ status }) => status === 412).length, 49);
    assert.equal((await call('GET', id)).body.label, winners[0]!.body.label);
  });
});

test('the client reads a schedule with its tag, and is refused where somebody was faster', async () => {
  const { clientId, apiKey } = service.mine;
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const client = new PunctualClient({ baseUrl, clientId, apiKey });
  const { id } = await client.createSchedule(valid);
  const { schedule, etag } = await client.getTaggedSchedule(id);
  assert.equal(schedule.id, id);
  await client.replaceSchedule(id, { ...valid, label: 'first' }, { ifMatch: etag });
  const isLate = (error: unknown) =>
    error instanceof PunctualApiError &&
    error.status === 412 &&
    error.code === 'precondition_failed';
  for (const change of [
    () => client.replaceSchedule(id, valid, { ifMatch: etag }),
    () => client.patchSchedule(id, { label: 'second' }, { ifMatch: etag }),
    () => client.deleteSchedule(id, { ifMatch: etag }),
  ]) {
    await assert.rejects(change, isLate);
  }
  assert.equal((await client.getSchedule(id)).label, 'first');
});
