import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Draft, newDraft } from '../src/draft.ts';
import { draftProblems } from '../src/draft-problems.ts';
import { changedFields, conflictsOf, FIELD_NAMES, type Field, merged } from '../src/merge.ts';

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
