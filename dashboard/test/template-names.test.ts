import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEMPLATE_NAMES as OF_SERVICE } from '../../server/src/domain/schedule/template/names.ts';
import {
  hasNames,
  offeredFor,
  openNameAt,
  TEMPLATE_NAMES,
  withName,
} from '../src/form/editor/template-names.ts';

test('the names that are offered are those that the service knows', () => {
  assert.deepEqual(
    TEMPLATE_NAMES.map(({ name }) => name),
    OF_SERVICE,
  );
});

test('a name is offered where braces are open, and not behind a backslash', () => {
  const at = (text: string) => openNameAt(text, text.length);
  assert.deepEqual(at('?since={{prev'), { from: 9, typed: 'prev' });
  assert.deepEqual(at('{{'), { from: 2, typed: '' });
  assert.deepEqual(
    [at('a'), at('{'), at('\\{{run'), at('{{run.id}}'), at('{{run id')],
    [null, null, null, null, null],
  );
  const names = offeredFor({ from: 0, typed: 'STATUS' }).map(({ name }) => name);
  assert.deepEqual(names, ['previous.status', 'previous.responseStatus']);
  assert.equal(offeredFor({ from: 0, typed: 'run.l' })[0]!.name, 'run.localDate');
  assert.deepEqual(offeredFor({ from: 0, typed: 'nothing' }), []);
});

test('a chosen name closes its braces once, and leaves the rest as it is', () => {
  const chosen = (text: string, caret: number) =>
    withName(text, openNameAt(text, caret)!, 'run.id');
  assert.deepEqual(chosen('/{{ru&b=1', 5), { text: '/{{run.id}}&b=1', caret: 11 });
  assert.deepEqual(chosen('/{{run}}/x', 5), { text: '/{{run.id}}/x', caret: 11 });
});

test('a text with a name is told from one that has braces of its own', () => {
  assert.deepEqual(
    ['{{run.id}}', 'a {{ schedule.label }}', '\\{{run.id}}', '{{name}}', '{{run.id'].map(hasNames),
    [true, true, false, false, false],
  );
});
