import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NEW_JSON } from '../src/form/delivery-draft.ts';
import { completeDraft, type Draft, newDraft } from '../src/form/draft.ts';
import { draftProblems } from '../src/form/draft-problems.ts';
import {
  changedFields,
  conflictsOf,
  FIELD_NAMES,
  type Field,
  fieldText,
  merged,
} from '../src/version/merge.ts';

const base = newDraft('UTC');

test('what the other changed and I did not is told, and so is what both changed', () => {
  const mine = { ...base, interval: '0 9 * * *', label: 'mine', verb: 'PUT' as const };
  const theirs = { ...base, label: 'theirs', url: 'https://a.example', verb: 'PUT' as const };
  assert.deepEqual(conflictsOf(base, mine, theirs), [
    { field: 'label', isBoth: true },
    { field: 'url', isBoth: false },
  ]);
  const both = merged(mine, theirs, ['url']);
  assert.deepEqual(
    [both.label, both.url, both.interval],
    ['mine', 'https://a.example', '0 9 * * *'],
  );
  assert.deepEqual(conflictsOf(base, mine, base), []);
});

test('a field as text tells no value that is a secret by its name', () => {
  const data: Draft['data'] = [
    ['shop', '17'],
    ['api_key', 'k-1'],
  ];
  const headers: Draft['headers'] = [['X-Shop', 'h-1']];
  assert.equal(fieldText({ ...base, data }, 'data'), 'shop: 17, api_key: ••••••');
  assert.equal(fieldText({ ...base, headers }, 'headers'), 'X-Shop');
  assert.equal(fieldText(base, 'data'), 'none');
});

const aDraft: fc.Arbitrary<Draft> = fc.record({
  label: fc.constantFrom('', 'a', 'b'),
  verb: fc.constantFrom('GET', 'POST'),
  url: fc.constantFrom('', 'https://a.example'),
  interval: fc.constantFrom('* * * * *', '0 9 * * *'),
  timezone: fc.constantFrom('UTC', 'Asia/Tokyo'),
  headers: fc.constantFrom([], [['X', '1']] as [string, string][]),
  data: fc.constantFrom([], [['k', 'v']] as [string, string][]),
  integrations: fc.constant([]),
  timeoutSeconds: fc.constantFrom('', '5'),
  maxRetries: fc.constantFrom('', '1'),
  catchUpSeconds: fc.constantFrom('', '60'),
  startsAt: fc.constantFrom('', '2027-01-01T00:00:00.000Z'),
  endsAt: fc.constantFrom('', '2028-01-01T00:00:00.000Z'),
  maxRuns: fc.constantFrom('', '3'),
  windowSeconds: fc.constantFrom('', '60'),
  exclude: fc.constantFrom([], ['de'], ['de', 'freeze']),
  onExcluded: fc.constantFrom('skip', 'nextDay'),
  afterCompletion: fc.constantFrom('disable', 'delete'),
  body: fc.constantFrom('', '[1]'),
  externalId: fc.constantFrom('', 'invoice-7'),
  tags: fc.constantFrom([], [['team', 'billing']] as [string, string][]),
  destination: fc.constantFrom('', 'billing'),
  template: fc.constantFrom(null, true, false),
  successStatuses: fc.constantFrom('', '2xx, 304'),
  bodyContains: fc.constantFrom('', 'ok'),
  bodyLacks: fc.constantFrom('', 'error'),
  json: fc.constantFrom(null, { ...NEW_JSON }, { ...NEW_JSON, pointer: '/ok' }),
  retryDelays: fc.constantFrom('', '5, 10'),
  retryForSeconds: fc.constantFrom('', '60'),
  retryStatuses: fc.constantFrom('', 'none', '429'),
  overlap: fc.constantFrom('', 'skip', 'bufferOne'),
  disableAfterFailures: fc.constantFrom('', '3'),
  disableOnGone: fc.constantFrom(null, true),
  keepResponse: fc.constantFrom('', 'none'),
  obeyTarget: fc.constantFrom(null, false),
  completionSeconds: fc.constantFrom('', '60'),
});

test('whoever takes what the other alone changed loses nothing of either', () => {
  fc.assert(
    fc.property(aDraft, aDraft, aDraft, (start, mine, theirs) => {
      const conflicts = conflictsOf(start, mine, theirs);
      const only = conflicts.filter(({ isBoth }) => !isBoth).map(({ field }) => field);
      const result = merged(mine, theirs, only);
      for (const field of Object.keys(FIELD_NAMES) as Field[]) {
        const [byMe, byThem] = [mine, theirs].map(each =>
          changedFields(start, each).includes(field),
        );
        if (byMe) assert.deepEqual(result[field], mine[field]);
        else if (byThem) assert.deepEqual(result[field], theirs[field]);
        else assert.deepEqual(result[field], start[field]);
      }
    }),
  );
});

test('what a body cannot say is told where it stands: a name twice, a value without a name', () => {
  const headers: Draft['headers'] = [
    ['X-Key', '1'],
    ['', ''],
    [' x-key ', '2'],
    ['', 'lost'],
  ];
  assert.deepEqual(draftProblems({ ...base, headers }), [
    {
      where: 'headers[2]',
      sentence: 'x-key is there already, as header 1. Each name is sent once.',
    },
    { where: 'headers[3]', sentence: 'This value has no name.' },
  ]);
  const data: Draft['data'] = [
    ['a', '1'],
    ['A', '2'],
    ['a', '3'],
  ];
  assert.deepEqual(
    draftProblems({ ...base, data }).map(({ where }) => where),
    ['data[2]'],
  );
  assert.deepEqual(draftProblems(base), []);
});

test('numbers out of their bounds and texts too long are told at their fields, all at once', () => {
  const draft = {
    ...base,
    label: '\u{1F600}'.repeat(501),
    timeoutSeconds: '1.5',
    maxRetries: '11',
    catchUpSeconds: '-1',
  };
  assert.deepEqual(
    draftProblems(draft).map(({ where }) => where),
    ['label', 'timeoutSeconds', 'maxRetries', 'catchUpSeconds'],
  );
  assert.deepEqual(draftProblems({ ...draft, label: '\u{1F600}'.repeat(500) }).length, 3);
  const fine = { ...base, timeoutSeconds: '1800', maxRetries: '0', catchUpSeconds: ' 31536000 ' };
  assert.deepEqual(draftProblems(fine), []);
});

test('limits of the new fields are told at them, and so is a payload of two kinds', () => {
  const wrong: Partial<Draft> = {
    externalId: 'with space',
    tags: [
      ['Team', '1'],
      ['punctual.own', '1'],
      ['ok', 'x'.repeat(256)],
    ],
    maxRuns: '0',
    windowSeconds: '90000',
    data: [['a', '1']],
    body: '{}',
  };
  assert.deepEqual(
    draftProblems({ ...base, ...wrong }).map(({ where }) => where),
    ['tags[0]', 'tags[1]', 'tags[2]', 'externalId', 'body', 'maxRuns', 'windowSeconds'],
  );
  const many = Array.from({ length: 21 }, (_, index): [string, string] => [`t${index}`, '']);
  assert.deepEqual(
    draftProblems({ ...base, tags: many }).map(({ where }) => where),
    ['tags'],
  );
});

test('a draft that an older page kept has the fields that came since', () => {
  const { exclude: _, body: __, ...older } = { ...base, label: 'typed' };
  assert.deepEqual(completeDraft(older, 'UTC'), { ...base, label: 'typed' });
});
