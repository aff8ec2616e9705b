import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Health,
  healthOf,
  type JudgedOutcome,
  nextAtOf,
  ORDERS,
  type Ranked,
} from '../../src/domain/run/health.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;

/** Newest first: `s`, `f`, `k` (skipped) or `m`, one a minute. */
function outcomes(letters: string): JudgedOutcome[] {
  const names = { s: 'succeeded', f: 'failed', k: 'skipped', m: 'missed' } as const;
  return [...letters].map((letter, back) => {
    const scheduledFor = NOON - back * MINUTE;
    const status = names[letter as keyof typeof names];
    const wasSent = status === 'succeeded' || status === 'failed';
    const sent = { startedAt: scheduledFor + 10 + back, finishedAt: scheduledFor + 110 + 2 * back };
    return { status, scheduledFor, trigger: 'schedule', ...(wasSent && sent) };
  });
}

test('failed and missed times count in a row, and skipped ones count neither way', () => {
  const rows: [letters: string, inARow: number, share: number, lastBad: number | null][] = [
    ['', 0, 0, null],
    ['sss', 0, 0, null],
    ['fff', 3, 1, NOON],
    ['kfkmksf', 2, 3 / 4, NOON - MINUTE],
    ['sf', 0, 1 / 2, NOON - MINUTE],
    ['kkk', 0, 0, null],
  ];
  for (const [letters, badInARow, badShare, lastBadFor] of rows) {
    const { p95DurationMs: _, p95LateMs: __, ...judged } = healthOf(outcomes(letters));
    assert.deepEqual(judged, { badInARow, badShare, lastBadFor }, letters);
  }
});

test('of durations and lateness, 95 of 100 are no longer; what nobody planned is not late', () => {
  const thirty = healthOf(outcomes('s'.repeat(30)));
  assert.equal(thirty.p95DurationMs, 100 + 28);
  assert.equal(thirty.p95LateMs, 10 + 28);
  const none = healthOf(outcomes('mk'));
  assert.deepEqual([none.p95DurationMs, none.p95LateMs], [null, null]);
  const byHand = healthOf([{ ...outcomes('s')[0]!, trigger: 'manual' }]);
  assert.deepEqual([byHand.p95DurationMs, byHand.p95LateMs], [100, null]);
});

test('the next time of a schedule is its retry, or what comes after the run that goes on', () => {
  const row = { dueAt: NOON, nextFor: NOON + MINUTE };
  const nextOf = (state: 'waiting' | 'retrying' | 'inFlight' | 'awaiting' | 'lost') =>
    nextAtOf({ state, ...row });
  assert.deepEqual((['waiting', 'retrying', 'lost', 'inFlight', 'awaiting'] as const).map(nextOf), [
    NOON,
    NOON,
    NOON,
    NOON + MINUTE,
    NOON + MINUTE,
  ]);
  assert.equal(nextAtOf(null), null);
});

const aHealth: fc.Arbitrary<Health> = fc.record({
  badInARow: fc.nat(2),
  badShare: fc.constantFrom(0, 0.5, 1),
  lastBadFor: fc.option(fc.nat(3)),
  p95DurationMs: fc.option(fc.nat(3)),
  p95LateMs: fc.option(fc.nat(3)),
});
const someRanked: fc.Arbitrary<Ranked[]> = fc
  .array(fc.record({ health: aHealth, nextAt: fc.option(fc.nat(3)) }), { maxLength: 12 })
  .map(all => all.map((one, index) => ({ id: String.fromCharCode(97 + index), ...one })));

test('each order is one of all schedules: no two are equal, and it does not depend on how they came', () => {
  fc.assert(
    fc.property(someRanked, fc.constantFrom('worst', 'slowest', 'next'), (all, name) => {
      const order = ORDERS[name];
      const ids = (ranked: Ranked[]) => ranked.toSorted(order).map(({ id }) => id);
      assert.deepEqual(ids(all), ids(all.toReversed()));
      for (const [at, one] of all.entries()) {
        for (const other of all.slice(at + 1)) assert.notEqual(order(one, other), 0);
      }
    }),
  );
});

test('who fails now comes before who failed once, and who never fires comes last', () => {
  const ranked = (id: string, letters: string, nextAt: number | null): Ranked => ({
    id,
    health: healthOf(outcomes(letters)),
    nextAt,
  });
  const all = [
    ranked('a', 'ssss', NOON),
    ranked('b', 'sfff', NOON - 1),
    ranked('c', 'ffss', null),
    ranked('d', 'fsss', NOON + 1),
    ranked('e', '', null),
  ];
  const by = (name: keyof typeof ORDERS) => all.toSorted(ORDERS[name]).map(({ id }) => id);
  assert.equal(by('worst').join(''), 'cdbea');
  assert.equal(by('next').join(''), 'badec');
  assert.equal(by('slowest').join(''), 'dcbae');
});
