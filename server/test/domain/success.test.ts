import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { demandsOf, isListed, judgesBody, unmetBy } from '../../src/domain/run/success.ts';
import { responseFault } from '../../src/domain/run/verdict.ts';
import type { Success } from '../../src/domain/schedule/schedule.ts';

const asItIs = (text: string) => text;
const unmet = (text: string, success: Success, isLonger = false) =>
  unmetBy({ text, isLonger, masked: asItIs }, success);
const ok = (equals: string | number | boolean | null, pointer = '/ok') => ({
  json: { pointer, equals },
});

describe('a body that meets the conditions', () => {
  const table: [string, Success][] = [
    ['all done', { bodyContains: 'done' }],
    ['all done', { bodyLacks: 'error' }],
    ['', { bodyLacks: 'error' }],
    ['{"ok":true}', ok(true)],
    ['\uFEFF{"ok":true}', ok(true)],
    [' {"ok" : "yes"} ', ok('yes')],
    ['{"ok":1.0}', ok(1)],
    ['{"ok":1e2}', ok(100)],
    ['{"a":[{"b":0}]}', ok(0, '/a/0/b')],
    ['true', ok(true, '')],
    ['{"ok":null}', ok(null)],
    ['{"ok":false,"ok":true}', ok(true)],
    ['{"ok":true} ', { bodyContains: 'ok', bodyLacks: 'error', ...ok(true) }],
  ];
  for (const [text, success] of table) {
    test(`${JSON.stringify(text)}: ${JSON.stringify(success)}`, () =>
      assert.equal(unmet(text, success), undefined));
  }
});

describe('a body that does not, and the sentence that says which', () => {
  const table: [string, Success, string][] = [
    ['all good', { bodyContains: 'done' }, 'The body does not contain "done".'],
    ['', { bodyContains: 'done' }, 'The body does not contain "done".'],
    ['Done', { bodyContains: 'done' }, 'The body does not contain "done".'],
    ['an error', { bodyLacks: 'error' }, 'The body contains "error", and must not.'],
    ['{"ok":false}', ok(true), '/ok was false, and must be true.'],
    ['{"ok":null}', ok(true), '/ok was null, and must be true.'],
    ['{"ok":1}', ok(true), '/ok was 1, and must be true.'],
    ['{"ok":"true"}', ok(true), '/ok was "true", and must be true.'],
    ['{"ok":true}', ok('true'), '/ok was true, and must be "true".'],
    ['{"ok":"1"}', ok(1), '/ok was "1", and must be 1.'],
    ['{"ok":0}', ok(null), '/ok was 0, and must be null.'],
    ['{}', ok(null), '/ok is missing, and must be null.'],
    ['{"ok":{"a":1}}', ok(true), '/ok was an object, and must be true.'],
    ['{"ok":[true]}', ok(true), '/ok was an array, and must be true.'],
    ['{}', ok(true), '/ok is missing, and must be true.'],
    ['"ok"', ok(true), '/ok is missing, and must be true.'],
    ['false', ok(true, ''), 'The body was false, and must be true.'],
    ['ok', ok(true), 'The body is not JSON, and /ok must be true.'],
    ['', ok(true), 'The body is not JSON, and /ok must be true.'],
    ['{"ok":true}{', ok(true), 'The body is not JSON, and /ok must be true.'],
    ['no', { bodyContains: 'yes', bodyLacks: 'no' }, 'The body does not contain "yes".'],
    ['no', { bodyLacks: 'no', ...ok(true) }, 'The body contains "no", and must not.'],
  ];
  for (const [text, success, sentence] of table) {
    test(`${JSON.stringify(text)}: ${sentence}`, () =>
      assert.equal(unmet(text, success), sentence));
  }

  test('one that is longer than 64 KiB is not read as JSON, and its start is judged', () => {
    const sentence =
      'The body is longer than 64 KiB, so it is not read as JSON, and /ok must be true.';
    assert.equal(unmet('{"ok":true}', ok(true), true), sentence);
    assert.equal(unmet('all done', { bodyContains: 'done', bodyLacks: 'error' }, true), undefined);
  });

  test('a long text is cut, and secrets are masked before', () => {
    const long = unmet(`{"ok":"${'x'.repeat(500)}"}`, ok('y'.repeat(500)))!;
    assert.ok(long.length < 300, long);
    const body = { text: '{"ok":"hunter2!"}', isLonger: false };
    const masked = (text: string) => text.replaceAll('hunter2!', '[secret]');
    assert.equal(unmetBy({ ...body, masked }, ok(true)), '/ok was "[secret]", and must be true.');
  });

  test('where history keeps no body, no sentence repeats a value of it', () => {
    for (const keepResponse of ['headers', 'none'] as const) {
      const demands = demandsOf({ keepResponse, success: ok(true) })!;
      const body = { text: '{"ok":"private"}', isLonger: false, masked: asItIs };
      assert.equal(unmetBy(body, demands), '/ok was another value, and must be true.');
    }
  });

  test('no body at all makes it throw', () => {
    const json = fc.oneof(fc.json(), fc.string());
    fc.assert(
      fc.property(json, fc.boolean(), (text, isLonger) => {
        const sentence = unmet(text, { bodyLacks: 'x', ...ok(true, '/a/0') }, isLonger);
        assert.ok(sentence === undefined || /^\S.*\.$/s.test(sentence));
      }),
    );
  });
});

describe('which statuses count as a success', () => {
  const fault = (status: number, statuses?: string[]) => responseFault(status, {}, statuses);

  test('2xx where nothing is said, also where only the body is', () => {
    assert.equal(fault(204), undefined);
    assert.equal(demandsOf({ success: { bodyContains: 'x' } })?.statuses, undefined);
  });

  test('those that are listed, one by one or as a class, and no others', () => {
    assert.equal(fault(304, ['2xx', '304']), undefined);
    assert.equal(fault(200, ['2xx', '304']), undefined);
    assert.equal(fault(404, ['404']), undefined);
    assert.equal(fault(503, ['5xx']), undefined);
    assert.equal(
      fault(200, ['304']),
      'The target answered 200, which is none of the statuses that count as a success.',
    );
    assert.equal(fault(404, ['304']), 'The target answered 404.');
    assert.match(fault(302, ['304'])!, /a redirect/);
  });

  test('each status is of one class', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), status => {
        const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'].filter(each =>
          isListed(status, [each]),
        );
        assert.deepEqual(classes, [`${String(status)[0]}xx`]);
        assert.ok(isListed(status, [String(status)]));
        assert.ok(!isListed(status, [String(status + 1)]));
      }),
    );
    assert.equal(isListed(600, ['5xx']), false);
  });
});

test('only conditions on the body make more of it be read', () => {
  for (const success of [undefined, {}, { statuses: ['304'] }]) {
    assert.equal(judgesBody(success), false);
  }
  for (const success of [{ bodyContains: 'x' }, { bodyLacks: 'x' }, ok(false)]) {
    assert.equal(judgesBody(success), true);
  }
});
