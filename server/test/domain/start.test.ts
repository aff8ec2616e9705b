import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt } from '../../src/domain/run/run.ts';
import { beyondOwn, decidedFrom, startBeyond, startOf } from '../../src/domain/run/start.ts';
import type { Schedule } from '../../src/domain/schedule/schedule.ts';

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);

const SCHEDULE: Schedule = {
  id: '019ca9a0-0000-7000-8000-000000000000',
  status: 'enabled',
  url: 'https://example.com/',
  verb: 'GET',
  interval: '*/15 * * * *',
  timezone: 'UTC',
  createdAt: at('00:00:00'),
  label: '',
};

test('a start is the first two times after an instant, of an enabled schedule only', () => {
  const start = { first: at('12:15:00'), second: at('12:30:00') };
  assert.deepEqual(startOf(SCHEDULE, at('12:00:00')), start);
  assert.equal(startOf({ ...SCHEDULE, status: 'disabled' }, at('12:00:00')), null);
  assert.equal(startOf({ ...SCHEDULE, status: 'deleted' }, at('12:00:00')), null);
});

describe('a change that is written after the first of its times', () => {
  const start = { first: at('12:00:00'), second: at('12:15:00') };

  test('starts as it was counted where nothing has fired since', () => {
    assert.deepEqual(startBeyond(start, null, SCHEDULE), start);
    assert.deepEqual(startBeyond(start, at('11:59:59'), SCHEDULE), start);
  });

  test('starts after what has fired for it, or for a later one', () => {
    const next = { first: at('12:15:00'), second: at('12:30:00') };
    assert.deepEqual(startBeyond(start, at('12:00:00'), SCHEDULE), next);
    assert.deepEqual(startBeyond(start, at('12:00:07'), SCHEDULE), next);
  });

  test('has no start where the schedule is not to fire', () => {
    const disabled: Schedule = { ...SCHEDULE, status: 'disabled' };
    assert.equal(startBeyond(null, at('12:00:00'), disabled), null);
  });
});

describe('the latest time that was decided about before a change was written', () => {
  const NOON = at('12:00:00');
  const decided = (
    scheduledFor: number,
    nextFor: number | null,
    attempts: Attempt[] = [],
    now = NOON + 200,
    before = SCHEDULE,
  ) => decidedFrom(NOON, { scheduledFor, nextFor, attempts }, before, now);
  const lost: Attempt = { number: 1, startedAt: NOON, outcome: 'lost' };

  test('comes before the first one that waits, or is being sent', () => {
    assert.equal(decided(at('12:15:00'), at('12:30:00')), NOON);
    assert.equal(decided(at('12:30:00'), null), at('12:15:00'));
    assert.equal(decided(NOON, at('12:15:00')), null);
    assert.equal(decided(at('11:45:00'), NOON), null);
  });

  test('is that of a run with attempts', () => {
    assert.equal(decided(NOON, at('12:15:00'), [lost]), NOON);
    const late = at('12:45:00');
    assert.equal(decided(late, at('13:00:00'), [lost], late), late, 'the store stood still');
  });

  test('is none of a clock that was ahead', () => {
    for (const attempts of [[], [lost]])
      assert.equal(decided(at('12:45:00'), NOON, attempts), null);
    assert.equal(decided(at('12:45:00'), at('12:15:00')), NOON);
    assert.equal(decided(at('12:45:00'), at('13:00:00'), [lost]), null);
    assert.equal(decided(at('12:00:02'), at('12:15:00'), [lost]), null);
  });

  test('is none of a schedule that was disabled, but that of a run with attempts', () => {
    const disabled: Schedule = { ...SCHEDULE, status: 'disabled' };
    assert.equal(decided(at('12:45:00'), null, [], NOON, disabled), null);
    assert.equal(decided(NOON, null, [lost], NOON, disabled), NOON);
  });
});

describe('the next time of a run that has begun', () => {
  const next = (scheduledFor: number, nextFor: number | null, wasSetBack = false) =>
    beyondOwn({ scheduledFor, nextFor }, SCHEDULE, wasSetBack).nextFor;

  test('comes after its own', () => {
    assert.equal(next(at('12:00:00'), at('12:00:00')), at('12:15:00'));
    assert.equal(next(at('12:00:07'), at('12:00:00')), at('12:15:00'));
    assert.equal(next(at('12:00:00'), at('12:00:00'), true), at('12:15:00'), 'it was sent');
  });

  test('stays where it does, and where there is none', () => {
    for (const nextFor of [at('12:00:01'), at('12:15:00'), null])
      assert.equal(next(at('12:00:00'), nextFor), nextFor);
  });

  test('stays before its own where the clock was set back, however little', () => {
    for (const nextFor of [at('11:59:59'), at('11:45:00')])
      assert.equal(next(at('12:00:00'), nextFor, true), nextFor);
  });
});
