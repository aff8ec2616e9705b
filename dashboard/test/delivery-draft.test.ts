import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy } from '@punctual/client';
import fc from 'fast-check';
import {
  checkableDelivery,
  deliveryDraftOf,
  deliveryPolicyOf,
  deliveryProblems,
  fieldAt,
  NEW_JSON,
  newDelivery,
  setCount,
} from '../src/form/delivery-draft.ts';
import { newDraft } from '../src/form/draft.ts';
import { draftProblems } from '../src/form/draft-problems.ts';
import { deliveryFacts, deliveryText } from '../src/schedule/delivery-words.ts';
import { aPolicy } from './support/policies.ts';

test('every policy comes out of the form as it went in, without a problem', () => {
  fc.assert(
    fc.property(aPolicy, policy => {
      const { timeoutSeconds: _, maxRetries: __, catchUpSeconds: ___, ...rest } = policy;
      const draft = deliveryDraftOf(policy);
      assert.deepEqual(deliveryProblems(draft), []);
      assert.deepEqual(deliveryPolicyOf(draft), rest);
    }),
  );
});

test('no statuses to retry are another thing than the default', () => {
  const policyOf = (retryStatuses: string) => deliveryPolicyOf({ ...newDelivery(), retryStatuses });
  assert.deepEqual([policyOf(''), policyOf(' none ')], [{}, { retryStatuses: [] }]);
  assert.equal(deliveryDraftOf({ retryStatuses: [] }).retryStatuses, 'none');
});

test('the value that must stand in an answer keeps its kind', () => {
  const kinds = [true, false, null, 'null', 'true', 1, '1', ''].map(equals => {
    const policy: Policy = { success: { json: { pointer: '/ok', equals } } };
    return deliveryPolicyOf(deliveryDraftOf(policy)).success!.json!.equals;
  });
  assert.deepEqual(kinds, [true, false, null, 'null', 'true', 1, '1', '']);
});

test('what the service would refuse whole is told at its field, and the rest is checked', () => {
  const wrong = {
    successStatuses: '2xx, 20',
    bodyContains: 'a'.repeat(501),
    json: { ...NEW_JSON, pointer: 'ok' },
    retryDelays: '5, soon',
    retryForSeconds: '0',
    retryStatuses: '429, 2xx',
    disableAfterFailures: '1001',
    completionSeconds: '604801',
  };
  const draft = { ...newDraft('UTC'), ...wrong, bodyLacks: 'error' };
  const problems = draftProblems(draft);
  assert.deepEqual(problems.map(({ where }) => where).sort(), Object.keys(wrong).sort());
  const isWrong = (field: string) => problems.some(({ where }) => where === field);
  assert.deepEqual(deliveryPolicyOf(checkableDelivery(draft, isWrong)), {
    success: { bodyLacks: 'error' },
  });
});

test('a problem of the service is told at its field of the form', () => {
  assert.deepEqual(
    [
      'policy.success.statuses[1]',
      'policy.success.json.pointer',
      'policy.success.bodyLacks',
      'policy.retryStatuses[0]',
      'policy.retryDelaysSeconds[2]',
      'policy.completion.deadlineSeconds',
      'policy.maxRetries',
      'integrations[0].url',
    ].map(fieldAt),
    [
      'successStatuses',
      'json',
      'bodyLacks',
      'retryStatuses',
      'retryDelays',
      'completionSeconds',
      'maxRetries',
      'integrations[0].url',
    ],
  );
});

test('a pointer and a number are judged as they are typed', () => {
  const sentencesOf = (json: object) =>
    deliveryProblems({ ...newDelivery(), json: { ...NEW_JSON, ...json } }).length;
  assert.deepEqual(
    [
      { pointer: '' },
      { pointer: '/a~1b' },
      { pointer: '/a~2' },
      { kind: 'number', equals: '' },
      { kind: 'number', equals: '1e3' },
      { kind: 'text', equals: '' },
    ].map(sentencesOf),
    [0, 0, 1, 1, 0, 0],
  );
});

test('a policy is told in words, as far as it is set', () => {
  const policy: Policy = {
    template: true,
    success: { statuses: ['2xx', '304'], json: { pointer: '/ok', equals: true } },
    retryDelaysSeconds: [10, 90, 3_600],
    retryForSeconds: 5_401,
    retryStatuses: [],
    overlap: 'bufferOne',
    disableAfterFailures: 1,
    disableOnGone: true,
    keepResponse: 'none',
    obeyTarget: false,
    completion: { deadlineSeconds: 86_400 },
  };
  assert.deepEqual(deliveryFacts(policy), [
    ['Templates', 'names are replaced in the request'],
    ['Succeeds if', 'the status is 2xx or 304; /ok is true'],
    ['Delays before retries', '10 s, 90 s, 60 min'],
    ['Retried for', '5,401 s'],
    ['Statuses to retry', 'none: only timeouts and network errors'],
    ['If a run is still going', 'fire when it ends'],
    ['Disabled after', 'one failed run'],
    ['Disabled by a 410', 'yes'],
    ['Kept of answers', 'only the status'],
    ['Obeys its target', 'no'],
    ['Completion', 'a 202 may complete within 24 h'],
  ]);
  assert.deepEqual(deliveryFacts({ maxRetries: 1, obeyTarget: true, template: false }), []);
});

test('a field of two editors is told as one line each', () => {
  const draft = deliveryDraftOf({
    success: { json: { pointer: '/state', equals: 'done' } },
    disableOnGone: false,
    overlap: 'skip',
  });
  const fields = ['json', 'disableOnGone', 'overlap', 'keepResponse', 'retryDelays'] as const;
  assert.deepEqual(
    fields.map(field => deliveryText(draft, field)),
    ['/state is the text done', 'no', 'skip the time', 'the default', 'the default'],
  );
  assert.equal(setCount(draft, fields), 3);
});
