import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timesBetween, timesByRules } from '../../src/domain/calendar/times.ts';
import { zoneMoves } from '../../src/domain/calendar/zone-moves.ts';
import { timezones, zoneOf } from '../../src/domain/calendar/zones/zone.ts';
import {
  changesFrom,
  differsFrom,
  KEPT_MS,
  zoneOfChanges,
} from '../../src/domain/calendar/zones/zone-changes.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 24);
const iso = (at: number | undefined) => at && new Date(at).toISOString().slice(0, 16);

/** Winnipeg as Chicago goes: in the releases before 2026d. */
const chicago = zoneOfChanges(changesFrom(zoneOf('America/Chicago'), NOW - DAY));

function moves(interval: string, more: object = {}, days = 3) {
  const when = { interval, timezone: 'America/Winnipeg', ...more };
  const found = zoneMoves(when, chicago, { from: NOW, to: NOW + days * DAY, limit: 20 });
  return found.map(({ before, after }) => [iso(before), iso(after)]);
}

test('kept changes say what the zone says, for two years', () => {
  const anyZone = fc.constantFrom(...timezones());
  const anyAt = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) });
  fc.assert(
    fc.property(anyZone, anyAt, fc.integer({ min: 0, max: KEPT_MS - 1 }), (name, from, ms) => {
      const zone = zoneOf(name);
      const kept = zoneOfChanges(JSON.parse(JSON.stringify(changesFrom(zone, from))));
      assert.equal(kept.segmentAt(from + ms).offsetMs, zone.segmentAt(from + ms).offsetMs);
      assert.equal(differsFrom(changesFrom(zone, from), zone, from + ms), false);
    }),
  );
});

test('rules differ by what their clocks show from now on, and where nothing is known any more', () => {
  const [winnipeg, old] = [zoneOf('America/Winnipeg'), zoneOf('America/Chicago')];
  const kept = changesFrom(old, NOW);
  assert.equal(differsFrom(kept, winnipeg, NOW), true);
  assert.equal(differsFrom(kept, zoneOf('America/Menominee'), NOW), false);
  assert.equal(differsFrom(kept, old, NOW + KEPT_MS), true);
  assert.equal(differsFrom([], old, NOW), true);
  const summer = Date.UTC(2026, 6, 1);
  const untilNow = changesFrom(old, summer).map(([at, ms]): [number, number] => [at, ms]);
  untilNow[0] = [summer, 0];
  assert.equal(differsFrom(untilNow, old, NOW), false, 'what has passed does not count');
});

test('a daily time moves with the clock', () => {
  assert.deepEqual(moves('0 12 * * *'), [
    ['2026-11-24T18:00', '2026-11-24T17:00'],
    ['2026-11-25T18:00', '2026-11-25T17:00'],
    ['2026-11-26T18:00', '2026-11-26T17:00'],
  ]);
  const timing = { windowSeconds: 3_600, offsetMs: 60_000 };
  assert.deepEqual(moves('0 12 * * *', { timing }, 1), [['2026-11-24T18:01', '2026-11-24T17:01']]);
  assert.deepEqual(moves('at(2026-11-25T08:00:00)'), [['2026-11-25T14:00', '2026-11-25T13:00']]);
});

test('of times that stay, nothing is told; those at the edges of a day come and go', () => {
  assert.deepEqual(moves('0 * * * *'), []);
  assert.deepEqual(moves('* * * * * *'), []);
  assert.deepEqual(moves('rate(1 day)', { timing: { anchorAt: NOW - DAY } }), []);
  assert.deepEqual(moves('at(2026-11-25T08:00:00Z)'), []);
  assert.deepEqual(moves('0 9-17 * * *', {}, 1), [
    [undefined, '2026-11-24T14:00'],
    ['2026-11-24T23:00', undefined],
  ]);
});

test('the first times are told, and bounds hold', () => {
  assert.equal(moves('0 12 * * *', {}, 90).length, 20);
  const timing = { endsAt: NOW + 2 * DAY, pausedUntil: NOW + DAY };
  assert.deepEqual(moves('0 12 * * *', { timing }), [['2026-11-25T18:00', '2026-11-25T17:00']]);
});

test('what moved is what the lists of times do not have in common', () => {
  const interval = fc.constantFrom('30 2 * * *', '0 0 1 * *', '15,45 6-8 * * MON', '0 23 * * *');
  fc.assert(
    fc.property(interval, fc.constantFrom(...timezones()), (interval, other) => {
      const when = { interval, timezone: 'Europe/Berlin' };
      const old = zoneOfChanges(changesFrom(zoneOf(other), NOW - 2 * DAY));
      const to = NOW + 60 * DAY;
      const found = zoneMoves(when, old, { from: NOW, to, limit: 10_000 });
      const isIn = (at: number | undefined) => at !== undefined && at >= NOW && at < to;
      const before = new Set(timesByRules(old, when, NOW, to - 1, 10_000));
      const after = new Set(timesBetween(when, NOW, to - 1, 10_000));
      const edgeless = (at: number) => at > NOW + 27 * HOUR && at < to - 27 * HOUR;
      const gone = [...before.difference(after)].filter(edgeless);
      const come = [...after.difference(before)].filter(edgeless);
      const told = (side: 'before' | 'after') =>
        found.flatMap(move => (isIn(move[side]) ? move[side]! : [])).filter(edgeless);
      assert.deepEqual(
        told('before').sort((a, b) => a - b),
        gone,
      );
      assert.deepEqual(
        told('after').sort((a, b) => a - b),
        come,
      );
    }),
  );
});
