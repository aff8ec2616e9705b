import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRate } from '../../server/src/domain/calendar/rate.ts';
import {
  everyRate,
  formOf,
  isUnfilled,
  localOfOnce,
  onceAt,
  RATE_UNITS,
  rateOf,
} from '../src/form/interval-forms.ts';

test('each interval opens on the tab of its form', () => {
  const forms: [string, string][] = [
    ['at(2026-12-24T18:00:00)', 'once'],
    ['at(2026-12-24T17:00:00Z)', 'once'],
    ['at()', 'once'],
    ['rate(90 minutes)', 'every'],
    [' rate(1 day)', 'every'],
    ['*/5 * * * *', 'repeats'],
    ['@daily', 'repeats'],
    ['@every 90m', 'repeats'],
    ['', 'repeats'],
  ];
  for (const [interval, form] of forms) assert.equal(formOf(interval), form, interval);
});

test('a one-off of the wall clock has a field, and any other is edited as text', () => {
  assert.equal(localOfOnce('at(2026-12-24T18:00)'), '2026-12-24T18:00');
  assert.equal(localOfOnce('at(2026-12-24T18:00:05)'), '2026-12-24T18:00:05');
  assert.equal(localOfOnce('at()'), '');
  for (const other of [
    'at(2026-12-24T17:00:00Z)',
    'at(2026-12-24T18:00+01:00)',
    'at(2026-12-24T18:00:00.5)',
    'at(tomorrow)',
    'at(2026-12-24',
  ]) {
    assert.equal(localOfOnce(other), null, other);
  }
  assert.equal(onceAt('2026-12-24T18:00'), 'at(2026-12-24T18:00)');
});

test('a rate is a number and a unit, singular and plural alike, while it is typed too', () => {
  assert.deepEqual(rateOf('rate(90 minutes)'), { count: '90', unit: 'minutes' });
  assert.deepEqual(rateOf('rate(1 hour)'), { count: '1', unit: 'hours' });
  assert.deepEqual(rateOf('rate( minutes)'), { count: '', unit: 'minutes' });
  assert.equal(rateOf('rate(1.5 hours)'), null);
  assert.equal(rateOf('rate(1 fortnight)'), null);
  assert.equal(everyRate({ count: '1', unit: 'days' }), 'rate(1 day)');
  fc.assert(
    fc.property(fc.nat({ max: 99_999 }), fc.constantFrom(...RATE_UNITS), (count, unit) => {
      const rate = { count: String(count), unit };
      assert.deepEqual(rateOf(everyRate(rate)), rate);
    }),
  );
});

test('whatever the tab makes of a number in bounds is a rate of the service', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 366 }), fc.constantFrom(...RATE_UNITS), (count, unit) => {
      assert.ok(parseRate(everyRate({ count: String(count), unit })) >= 1_000);
    }),
  );
});

test('only a form without its time or number is unfilled', () => {
  assert.deepEqual(['at()', 'rate()', '', 'rate( days)'].map(isUnfilled), [
    true,
    true,
    false,
    true,
  ]);
});
