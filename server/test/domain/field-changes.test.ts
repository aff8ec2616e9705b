import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fieldChanges, shortened } from '../../src/domain/schedule/field-changes.ts';

describe('the difference between two states', () => {
  test('names what was added, changed and taken away, at every depth', () => {
    const before = { a: 1, b: { c: 'x', d: 'y' }, e: [1, { f: 2 }], g: true };
    const after = { a: 2, b: { c: 'x', h: null }, e: [1, { f: 3 }], i: {} };
    assert.deepEqual(fieldChanges(before, after), [
      { way: ['a'], before: 1, after: 2 },
      { way: ['b', 'd'], before: 'y' },
      { way: ['b', 'h'], after: null },
      { way: ['e'], before: [1, { f: 2 }], after: [1, { f: 3 }] },
      { way: ['g'], before: true },
      { way: ['i'], after: {} },
    ]);
  });

  test('is none between equal states, in whatever order their properties stand', () => {
    assert.deepEqual(
      fieldChanges({ a: [{ x: 1, y: 2 }], b: 1 }, { b: 1, a: [{ y: 2, x: 1 }] }),
      [],
    );
  });

  test('leads from one to the other, whatever they are', () => {
    const values = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.letrec<{ value: unknown }>(tie => ({
        value: fc.oneof(
          fc.constantFrom(1, 'x', null, true),
          fc.array(tie('value'), { maxLength: 2 }),
          fc.dictionary(fc.constantFrom('d', 'e'), tie('value'), { maxKeys: 2 }),
        ),
      })).value,
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(values, values, (before, after) => {
        const state = structuredClone(before) as Record<string, unknown>;
        for (const { way, ...change } of fieldChanges(before, after)) {
          const place = way.slice(0, -1).reduce((at, name) => at[name] as typeof state, state);
          if ('after' in change) place[way.at(-1)!] = change.after;
          else delete place[way.at(-1)!];
        }
        assert.deepEqual(withoutOrder(state), withoutOrder(after));
      }),
      { numRuns: 500 },
    );
  });
});

test('a long text is cut, wherever it stands, and is well-formed after that', () => {
  const long = `${'x'.repeat(999)}🚚 and more`;
  const cut = `${'x'.repeat(999)}\ufffd…`;
  assert.deepEqual(shortened({ a: long, b: [{ c: long }], d: 'x'.repeat(1_000), e: 1 }), {
    a: cut,
    b: [{ c: cut }],
    d: 'x'.repeat(1_000),
    e: 1,
  });
});

function withoutOrder(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, each) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ),
  );
}
