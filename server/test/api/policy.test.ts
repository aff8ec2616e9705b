import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startService, valid } from '../support/api/service.ts';

/** The policy of a schedule on the wire: success, retries, and how much of an answer is kept. */

const service = await startService();
after(() => service.close());

const policy = {
  maxRetries: 4,
  success: {
    statuses: ['2xx', '304'],
    bodyContains: 'done',
    bodyLacks: 'error',
    json: { pointer: '/a~1b/0', equals: false },
  },
  retryDelaysSeconds: [1, 86_400],
  retryForSeconds: 604_800,
  retryStatuses: ['429', '5xx'],
  keepResponse: 'headers',
};

test('what is sent is given back, by every way of writing', async () => {
  const created = await service.create({ policy });
  assert.deepEqual(created.policy, policy);
  const path = `/v1/schedule/${created.id}`;
  assert.deepEqual((await service.call('GET', path)).body.policy, policy);
  const replaced = await service.call('PUT', path, { body: { ...valid, policy } });
  assert.deepEqual(replaced.body.policy, policy);
  const without = await service.call('PUT', path, { body: valid });
  assert.equal('policy' in without.body, false, 'a PUT that leaves it out removes it');
  const patched = await service.call('PATCH', path, { body: { policy } });
  assert.deepEqual(patched.body.policy, policy);
});

test('a PATCH merges at every depth, replaces lists, and removes by null', async () => {
  const { id } = await service.create({ policy });
  const { body } = await service.call('PATCH', `/v1/schedule/${id}`, {
    body: {
      policy: {
        success: { statuses: ['204'], bodyLacks: null, json: { equals: 'yes' } },
        retryStatuses: [],
        keepResponse: null,
      },
    },
  });
  const { keepResponse: _, ...rest } = policy;
  assert.deepEqual(body.policy, {
    ...rest,
    success: {
      statuses: ['204'],
      bodyContains: 'done',
      json: { pointer: '/a~1b/0', equals: 'yes' },
    },
    retryStatuses: [],
  });
  const nothing = await service.call('PATCH', `/v1/schedule/${id}`, {
    body: { policy: { success: null } },
  });
  assert.equal('success' in nothing.body.policy, false);
});

test('every scalar can be demanded, at every pointer', async () => {
  for (const equals of [null, true, false, 0, -1.5, 1e300, '', 'ä', '{{run.id}}']) {
    for (const pointer of ['', '/', '/~0~1', '/a b', '/ä/0/-']) {
      const own = { success: { json: { pointer, equals } } };
      assert.deepEqual((await service.create({ policy: own })).policy, own);
    }
  }
});

test('null is demanded by POST and PUT, and a PATCH with it says so', async () => {
  const json = { pointer: '/error', equals: null };
  const { id } = await service.create({ policy: { success: { json: { ...json, equals: 1 } } } });
  const at = `/v1/schedule/${id}`;
  const patched = await service.call('PATCH', at, { body: { policy: { success: { json } } } });
  const error =
    'policy.success.json.equals is required: a PATCH removes what is null, so set null by PUT.';
  assert.deepEqual([patched.status, patched.body], [400, { error }]);
  const put = await service.call('PUT', at, { body: { ...valid, policy: { success: { json } } } });
  assert.deepEqual(put.body.policy.success.json, json);
  const pointer = { policy: { success: { json: { pointer: '/errors' } } } };
  const { body } = await service.call('PATCH', at, { body: pointer });
  assert.deepEqual(body.policy.success.json, { pointer: '/errors', equals: null });
});

describe('check', () => {
  test('names each problem of a policy where it stands, all at once, with the sentence of a create', async () => {
    const wrong = {
      success: {
        statuses: ['2xx', '20'],
        json: { pointer: 'ok', equals: true },
      },
      retryStatuses: ['2xx', '429', 'all'],
    };
    const { status, body } = await service.call('POST', '/v1/check', {
      body: { ...valid, policy: wrong },
    });
    assert.equal(status, 200);
    assert.deepEqual(
      body.problems.map(({ where }: { where: string }) => where),
      [
        'policy.success.statuses[1]',
        'policy.success.json.pointer',
        'policy.retryStatuses[0]',
        'policy.retryStatuses[2]',
      ],
    );
    assert.equal(body.times.length, 10, 'the times are counted all the same');
    const created = await service.call('POST', '/v1/schedule', {
      body: { ...valid, policy: wrong },
    });
    assert.deepEqual([created.status, created.body.error], [400, body.problems[0].sentence]);
  });

  test('has nothing to say of a right one', async () => {
    const { body } = await service.call('POST', '/v1/check', { body: { ...valid, policy } });
    assert.deepEqual(body.problems, []);
  });
});

test('a PATCH of something else does not judge the policy again', async () => {
  const { id } = await service.create({ policy });
  const { status } = await service.call('PATCH', `/v1/schedule/${id}`, { body: { label: 'x' } });
  assert.equal(status, 200);
});
