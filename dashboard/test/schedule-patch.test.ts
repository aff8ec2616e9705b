import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy, Schedule } from '@punctual/client';
import fc from 'fast-check';
import { mergedBody } from '../../server/src/domain/schedule/patch.ts';
import { asStored, previewOf } from '../src/form/as-stored.ts';
import { deliveryDraftOf } from '../src/form/delivery-draft.ts';
import { draftOf, inputOf, newDraft } from '../src/form/draft.ts';
import { patchOf, timesPatch } from '../src/form/schedule-patch.ts';
import { aPolicy } from './support/policies.ts';

const FULL: Schedule = {
  id: '019aa000-0000-7000-8000-000000000000',
  status: 'enabled',
  label: 'Invoices',
  url: 'https://a.example',
  verb: 'POST',
  interval: '0 9 * * *',
  timezone: 'Europe/Berlin',
  createdAt: '2026-11-01T00:00:00.500Z',
  startsAt: '2026-12-01T00:00:00.000Z',
  endsAt: '2027-12-01T00:00:00.000Z',
  maxRuns: 30,
  windowSeconds: 300,
  exclude: ['de', 'freeze'],
  onExcluded: 'nextDay',
  afterCompletion: 'delete',
  headers: { 'X-Key': '1' },
  body: '{"a":[1]}',
  externalId: 'invoice-7',
  tags: { team: 'billing', eu: '' },
  destination: 'billing',
  policy: {
    maxRetries: 1,
    template: true,
    success: { statuses: ['2xx', '304'], json: { pointer: '/ok', equals: true } },
    retryStatuses: [],
    overlap: 'bufferOne',
    completion: { deadlineSeconds: 600 },
  },
};

test('a schedule with every field comes out of the form as it went in', () => {
  const { id: _, status: __, createdAt: ___, ...fields } = FULL;
  assert.deepEqual(inputOf(draftOf(FULL)), fields);
});

test('an edit sends what it changed, and null for what it took away', () => {
  const before = inputOf(draftOf(FULL));
  assert.deepEqual(patchOf(before, before), {});
  const { tags: _, externalId: __, ...rest } = before;
  const after = { ...rest, label: 'Bills', headers: { 'X-Other': '2' }, exclude: ['de'] };
  assert.deepEqual(patchOf(before, after), {
    label: 'Bills',
    headers: { 'X-Key': null, 'X-Other': '2' },
    exclude: ['de'],
    tags: null,
    externalId: null,
  });
});

test('a patch of any edit makes of the stored schedule what stands in the form', () => {
  const text = fc.constantFrom('', 'a', 'b');
  const pairs = fc.constantFrom<[string, string][]>(
    [],
    [['k', '1']],
    [
      ['k', '2'],
      ['l', '1'],
    ],
  );
  const aDraft = fc.record({
    label: text,
    headers: pairs,
    tags: pairs,
    data: pairs,
    externalId: text,
    exclude: fc.constantFrom<string[]>([], ['de'], ['de', 'freeze']),
    maxRuns: fc.constantFrom('', '3'),
    windowSeconds: fc.constantFrom('', '60'),
    destination: text,
  });
  fc.assert(
    fc.property(aDraft, aDraft, aPolicy, aPolicy, (one, other, old, young) => {
      const formOf = (draft: typeof one, policy: Policy) => {
        const { timeoutSeconds, maxRetries, catchUpSeconds } = draftOf({ ...FULL, policy });
        const numbers = { timeoutSeconds, maxRetries, catchUpSeconds };
        return inputOf({ ...newDraft('UTC'), ...numbers, ...deliveryDraftOf(policy), ...draft });
      };
      const [before, after] = [formOf(one, old), formOf(other, young)];
      const stored = { ...before, timing: before, delivery: before } as unknown as Parameters<
        typeof mergedBody
      >[1];
      const merged = mergedBody(patchOf(before, after) as never, stored);
      assert.deepEqual(sorted(merged), sorted(after));
    }),
  );
});

/** Without fields that are unset, and with names in order. */
function sorted(value: object): object {
  return JSON.parse(
    JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))),
  ) as object;
}

test('only an edit of times is simulated', () => {
  const before = inputOf(draftOf(FULL));
  assert.equal(timesPatch(patchOf(before, { ...before, label: 'Bills', url: 'https://b' })), null);
  assert.deepEqual(timesPatch(patchOf(before, { ...before, label: 'Bills', maxRuns: 31 })), {
    maxRuns: 31,
  });
});

test('times of a stored schedule are asked for with its own offset, anchor and pause', () => {
  const { externalId: _, startsAt: __, ...anonymous } = FULL;
  const pausedUntil = '2026-12-03T00:00:00.000Z';
  const rate = { ...anonymous, interval: 'rate(90 minutes)', pausedUntil };
  const asked = asStored(inputOf(draftOf(rate)), rate);
  assert.equal(asked.externalId, FULL.id);
  assert.equal(asked.startsAt, '2026-11-01T00:00:01.000Z', 'the first whole second');
  assert.equal(asked.pausedUntil, pausedUntil);
  assert.deepEqual(previewOf(FULL), {
    interval: FULL.interval,
    timezone: FULL.timezone,
    startsAt: FULL.startsAt,
    endsAt: FULL.endsAt,
    maxRuns: 30,
    windowSeconds: 300,
    exclude: ['de', 'freeze'],
    onExcluded: 'nextDay',
    externalId: 'invoice-7',
  });
});
