import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../src/telemetry.ts';

test('what an error repeats of its input is not logged', () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: line => lines.push(line) });
  const broken = Object.assign(new Error('no such row'), {
    code: '23514',
    detail: 'Failing row contains (1, https://hooks.test/the-secret, Bearer the-secret).',
  });
  log.error({ err: broken }, 'the store failed');
  assert.throws(
    () => new URL('//the-secret'),
    (error: Error) => {
      log.error({ err: error }, 'this schedule is left alone');
      return true;
    },
  );
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /"code":"23514"/);
  assert.doesNotMatch(lines.join(), /the-secret/);
});
