import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import latest from 'moment-timezone/data/packed/latest.json' with { type: 'json' };
import { changesOf, offsetAt } from '../../sim/model/calendar/zone-lists.ts';
import {
  isTimezone,
  timezones,
  Zone,
  zoneData,
  zoneOf,
} from '../../src/domain/calendar/zones/zone.ts';
import { BUILT_IN, rulesIn } from '../../src/domain/calendar/zones/zone-data.ts';
import { casesOf } from '../support/long.ts';

const FROM = Date.UTC(1800, 0);
const UNTIL = Date.UTC(2100, 0);

function runtimeOffsetAt(timezone: string, at: number): number {
  const here = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  return here.offsetNanoseconds / 1_000_000;
}

test("the built-in rules are those of moment-timezone's data, without Factory", () => {
  const zones = latest.zones.map(zone => zone.split('|')[0]!);
  const links = latest.links.flatMap(link => link.split('|'));
  const names = new Set([...zones, ...links]);
  names.delete('Factory');
  assert.deepEqual(timezones(), [...names].sort());
  assert.equal(zoneData().release, latest.version);
  assert.equal(timezones().length, 597);
});

test('every change of every zone to the year 2499 is that of moment-timezone, and there is no other', () => {
  for (const name of timezones()) {
    const zone = new Zone(rulesIn(BUILT_IN, name));
    const found: number[] = [];
    let { endAt } = zone.segmentAt(Date.UTC(1700, 0));
    for (; endAt < Date.UTC(2499, 0); endAt = zone.segmentAt(endAt).endAt) found.push(endAt);
    assert.deepEqual(found, changesOf(name), name);
    for (const at of found) assert.equal(zone.segmentAt(at).offsetMs, offsetAt(name, at), name);
  }
});

/** Of the runtime's own rules, by their release: what IANA has changed since. */
const BEHIND: Record<string, string[]> = {
  '2026c': [
    'America/Havana',
    'America/Inuvik',
    'America/Rainy_River',
    'America/Winnipeg',
    'Canada/Central',
    'Cuba',
  ],
};

test("from 2020 to 2037 every zone is as in the runtime's rules, but for those that changed since", () => {
  const differ = timezones().filter(name => {
    const zone = zoneOf(name);
    let at = Date.UTC(2020, 0);
    while (at < Date.UTC(2038, 0)) {
      if (zone.segmentAt(at).offsetMs !== runtimeOffsetAt(name, at)) return true;
      at = Math.min(zone.segmentAt(at).endAt, runtimeChangeAfter(name, at));
    }
    return false;
  });
  assert.deepEqual(differ, BEHIND[process.versions.tz!] ?? []);
});

function runtimeChangeAfter(timezone: string, at: number): number {
  const here = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  return here.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
}

test('the zones that the release 2026f changed have its offsets', () => {
  const winter = Date.parse('2026-12-01T00:00Z');
  const hours = (name: string, at: number) => zoneOf(name).segmentAt(at).offsetMs / 3_600_000;
  for (const name of ['America/Winnipeg', 'Canada/Central', 'America/Rainy_River']) {
    assert.equal(hours(name, winter), -5, name);
  }
  assert.equal(hours('America/Inuvik', winter), -6);
  for (const name of ['America/Havana', 'Cuba']) {
    assert.equal(hours(name, winter), -4, name);
    assert.equal(hours(name, Date.parse('2027-12-01T00:00Z')), -5, name);
  }
});

test('a name is exact: another case, an abbreviation or an offset is none', () => {
  const others = ['utc', 'europe/berlin', 'PST', 'JST', '+01:00', 'Factory', '', ' UTC', 'UTC\n'];
  for (const name of [...others, 'constructor', '__proto__']) {
    assert.equal(isTimezone(name), false);
    assert.throws(() => zoneOf(name), { code: 'timezone_unknown' });
  }
});

test('a segment holds its instant, and one offset from its start to its end', () => {
  const instant = fc.integer({ min: FROM, max: UNTIL });
  fc.assert(
    fc.property(fc.constantFrom(...timezones()), instant, (name, at) => {
      const { startAt, endAt, offsetMs, shiftMs } = zoneOf(name).segmentAt(at);
      assert.ok(startAt <= at && at < endAt);
      for (const inside of [startAt, at, endAt - 1])
        if (Number.isFinite(inside)) assert.equal(offsetAt(name, inside), offsetMs);
      if (Number.isFinite(endAt)) assert.notEqual(offsetAt(name, endAt), offsetMs);
      const before = Number.isFinite(startAt) ? offsetAt(name, startAt - 1) : offsetMs;
      assert.equal(shiftMs, offsetMs - before);
    }),
    { numRuns: casesOf(3_000) },
  );
});

test('the instant of a change belongs to the new segment, the millisecond before to the old', () => {
  const change = Date.parse('2026-03-29T01:00Z');
  const zone = new Zone(rulesIn(BUILT_IN, 'Europe/Berlin'));
  const after = zone.segmentAt(change);
  assert.deepEqual([after.startAt, after.offsetMs, after.shiftMs], [change, 7_200_000, 3_600_000]);
  const before = zone.segmentAt(change - 1);
  assert.deepEqual(
    [before.endAt, before.offsetMs, before.shiftMs],
    [change, 3_600_000, -3_600_000],
  );
  assert.equal(zone.segmentAt(change), after, 'remembered');
});

test('a zone without rules is one segment without end', () => {
  assert.deepEqual(zoneOf('UTC').segmentAt(0), {
    startAt: Number.NEGATIVE_INFINITY,
    endAt: Number.POSITIVE_INFINITY,
    offsetMs: 0,
    shiftMs: 0,
  });
});

test('segments are right in any order of asking, and after so many that all are forgotten', () => {
  const zone = new Zone(rulesIn(BUILT_IN, 'Europe/Berlin'));
  for (let step = 0; step < 3_000; step += 1) {
    const year = 1900 + ((step * 1_237) % 2_000);
    const at = Date.UTC(year, (step * 5) % 12, 15);
    const segment = zone.segmentAt(at);
    assert.ok(segment.startAt <= at && at < segment.endAt);
    assert.equal(segment.offsetMs, runtimeOffsetAt('Europe/Berlin', at));
  }
});

/** What the calendar's arithmetic takes for granted about the rules of the world. */
test('in no zone do offsets have fractions of a second, or changes come within an overlap', () => {
  for (const name of timezones()) {
    const zone = zoneOf(name);
    for (let at = FROM; at < UNTIL; at = zone.segmentAt(at).endAt) {
      const { startAt, endAt, offsetMs, shiftMs } = zone.segmentAt(at);
      assert.ok(offsetMs % 1_000 === 0, name);
      if (Number.isFinite(startAt)) assert.ok(startAt % 1_000 === 0, name);
      assert.ok(Math.abs(offsetMs) < 86_400_000 && Math.abs(shiftMs) <= 86_400_000, name);
      assert.ok(endAt - startAt > 2 * 86_400_000, name);
    }
  }
});
