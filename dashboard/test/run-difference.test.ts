import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt, Run, RunRequest, SentRequest } from '@punctual/client';
import { type ComparedRun, differencesOf } from '../src/run/run-difference.ts';
import { isSecretName } from '../src/schedule/secret-names.ts';
import { headersText, isSecretChange, valueText, whoText } from '../src/version/changes-words.ts';

const SENT: SentRequest = {
  method: 'POST',
  url: 'https://a.example/',
  headers: { 'X-Shop': 'berlin', 'webhook-id': '1' },
  body: '{"n":1}',
};
const compared = (
  attempt: Partial<Attempt> = {},
  request: Partial<SentRequest> = {},
  version = 1,
): ComparedRun => ({
  run: {
    attempts: [{ number: 1, outcome: 'response', durationMs: 20, responseStatus: 200, ...attempt }],
  } as Run,
  request: { version, request: { ...SENT, ...request } } as RunRequest,
});

describe('the difference from the last run that succeeded', () => {
  test('is none where only what differs in any two runs does', () => {
    const other = { headers: { 'X-Shop': 'berlin', 'webhook-id': '2', 'Punctual-Attempt': '2' } };
    const again = compared({ durationMs: 30, responseHeaders: { date: 'later' } }, other);
    assert.deepEqual(differencesOf(compared({ responseHeaders: { date: 'now' } }), again), []);
  });

  test('names result, duration, version, and each part of request and answer', () => {
    const bad = compared(
      {
        responseStatus: 500,
        durationMs: 2_000,
        responseBody: 'out of ink',
        responseHeaders: { server: 'b' },
      },
      { method: 'PUT', url: 'https://b.example/', headers: { 'X-Shop': 'hamburg' }, body: '' },
      7,
    );
    const found = differencesOf(compared({ responseHeaders: { server: 'a', via: 'x' } }), bad);
    assert.deepEqual(
      found.map(({ name, before, after }) => `${name}: ${before} > ${after}`),
      [
        'Result: status 200 > status 500',
        'Duration: 20 ms > 2 s',
        'Version: 1 > 7',
        'Method: POST > PUT',
        'Url: https://a.example/ > https://b.example/',
        'Header X-Shop: berlin > hamburg',
        'Body: {"n":1} > none',
        'Answer header server: a > b',
        'Answer header via: x > none',
        'Answer body: none > out of ink',
      ],
    );
  });

  test('a request that is not known any more differs in nothing', () => {
    const { request: _, ...gone } = compared().request;
    const found = differencesOf({ ...compared(), request: gone }, compared({}, { method: 'GET' }));
    assert.deepEqual(found, []);
  });
});

describe('changes in words', () => {
  test('name who stored a version', () => {
    const who = (fields: object) => whoText({ version: 2, at: '', ...fields });
    assert.equal(who({ by: 'key', key: { keyId: 'k', name: 'ci' } }), 'the key ci');
    assert.equal(who({ by: 'key', key: { keyId: 'k' } }), 'the key k');
    assert.equal(who({ by: 'target' }), 'its target');
    assert.equal(who({}), '');
  });

  test('show no value of a header or a payload field that looks like a secret', () => {
    const isHidden = (path: string) => isSecretChange({ path });
    const hidden = ['headers', 'headers.Authorization', 'headers["X-Key"]', 'data.api_key'];
    for (const path of [...hidden, 'data["api-key"]']) assert.ok(isHidden(path), path);
    const shown = ['headers.X-Shop', 'label', 'policy.maxRetries', 'data.shop', 'data', 'keys'];
    for (const path of shown) assert.ok(!isHidden(path), path);
    // A payload that came or went as a whole.
    const payload = { token: 'a', shop: '1' };
    assert.ok(isSecretChange({ path: 'data', after: payload }));
    assert.ok(isSecretChange({ path: 'data', before: payload }));
    assert.ok(!isSecretChange({ path: 'data', after: { shop: '1' } }));
    assert.ok(['Cookie', 'X-Api-Key', 'proxy-authorization'].every(isSecretName));
    assert.ok(!['Author', 'X-Shop', 'Content-Type', 'Idempotency-Key'].some(isSecretName));
  });

  test('tell values and headers in short', () => {
    assert.deepEqual([undefined, '', 'a', { b: 1 }].map(valueText), [
      'none',
      'empty',
      'a',
      '{"b":1}',
    ]);
    const text = headersText(
      [
        ['Same', '1'],
        ['Other', '1'],
        ['Now', '1'],
      ],
      [
        ['Same', '1'],
        ['Other', '2'],
        ['Then', '1'],
      ],
    );
    assert.equal(text, 'Then (back), Other (another value), Now (gone)');
  });
});
