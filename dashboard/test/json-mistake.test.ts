import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonMistake } from '../src/form/editor/json-mistake.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('a text has a mistake if, and only if, it is no JSON', () => {
  const values = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  const changes = fc.record({
    at: fc.nat(),
    drop: fc.nat({ max: 2 }),
    insert: fc.constantFrom(
      '',
      '',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '0',
      '-',
      '.',
      ' ',
      'x',
    ),
  });
  fc.assert(
    fc.property(values, fc.boolean(), changes, (value, isWide, { at, drop, insert }) => {
      const whole = JSON.stringify(value, null, isWide ? 2 : 0);
      assert.equal(jsonMistake(whole), null);
      const place = 1 + (at % whole.length);
      const changed = whole.slice(0, place) + insert + whole.slice(place + drop);
      assert.equal(jsonMistake(changed) === null, isJson(changed), changed);
    }),
    { numRuns: 2_000 },
  );
});

test('a mistake has its line, its place and a sentence', () => {
  const cases: [text: string, line: number, place: string, sentence: string][] = [
    ['{\n "a": 1\n "b": 2\n}', 3, '"b"', 'A comma is missing before this.'],
    ['{\n "a": 1,\n}', 2, ',', 'This comma stands before }, and nothing follows it.'],
    ['[1, 2', 1, '', 'The [ of line 1 is not closed.'],
    ['[1}', 1, '}', 'This } does not close the [ of line 1.'],
    ['{"a" 1}', 1, '1', 'A colon is missing before this.'],
    ['{a: 1}', 1, 'a', 'a is no value of JSON. Texts stand in double quotes.'],
    ["{'a': 1}", 1, "'a'", 'JSON has double quotes, and no single ones.'],
    ['[01]', 1, '01', '01 is no number of JSON.'],
    ['[\n // no\n]', 2, '//', 'JSON has no comments.'],
    ['["a\n"]', 1, '\n', 'The text of this line has no closing quote.'],
    ['["\\x"]', 1, '\\x', 'This backslash begins no escape of JSON.'],
    ['{"n": {{run.attempt}}}', 1, '{{', 'Within JSON, names in braces stand in double quotes.'],
    ['[] []', 1, '[]', 'The JSON has ended before this.'],
  ];
  for (const [text, line, place, sentence] of cases) {
    const found = jsonMistake(text);
    assert.deepEqual({ line: found?.line, sentence: found?.sentence }, { line, sentence }, text);
    assert.ok(text.slice(found!.at).startsWith(place), text);
  }
});

test('other texts have none, and depth has no bound', () => {
  assert.equal(jsonMistake(''), null);
  assert.equal(jsonMistake('a=1&b=2'), null);
  assert.equal(jsonMistake('{"at": "{{run.scheduledFor}}"}'), null);
  const deep = '['.repeat(60_000) + ']'.repeat(60_000);
  assert.equal(jsonMistake(deep), null);
  assert.equal(jsonMistake(`["${'x'.repeat(120_000)}"]`), null);
});
