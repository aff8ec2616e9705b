import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunTrigger } from '@punctual/client';
import { callerText, causeOf, controlText, lateOf } from '../src/run/run-words.ts';

test('a run says what caused it, and how late it was where a time was planned', () => {
  const run = {
    scheduledFor: '2026-11-24T12:00:00.000Z',
    startedAt: '2026-11-24T12:00:01.500Z',
  };
  const of = (trigger: RunTrigger) => {
    const each = { ...run, trigger };
    return [causeOf(each), callerText(each), lateOf(each)];
  };
  const triggers: RunTrigger[] = ['schedule', 'manual', 'target'];
  assert.deepEqual(triggers.map(of), [
    ['its interval', '', 1_500],
    ['a person', 'by hand: ', null],
    ['its target, which asked for it', 'asked for by its target: ', 1_500],
  ]);
  const waiting = { scheduledFor: run.scheduledFor, trigger: 'schedule' as const };
  assert.equal(lateOf(waiting), null);
});

test('what a target said is told in one sentence', () => {
  assert.equal(
    controlText({ noRetry: true, againSeconds: 60 }),
    'Its target said: no retry, one more run in 60 s.',
  );
  assert.equal(controlText({ pauseSeconds: 3_600 }), 'Its target said: pause for 60 min.');
  assert.equal(controlText({ disable: true }), 'Its target said: disable the schedule.');
});
