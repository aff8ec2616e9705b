import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import latest from 'moment-timezone/data/packed/latest.json' with { type: 'json' };
import { isTimezone, TIMEZONES, Zone, zoneOf } from '../../src/domain/zone.ts';

const FROM = Date.UTC(1800, 0);
const UNTIL = Date.UTC(2100, 0);

function offsetAt(timezone: string, at: number): number {
  const here = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  return here.offsetNanoseconds / 1_000_000;
}

test("the committed list is that of moment-timezone's data, without Factory", () => {
  const zones = latest.zones.map(zone => zone.split('|')[0]!);
  const links = latest.links.flatMap(link => link.split('|'));
  const names = new Set([...zones, ...links]);
  names.delete('Factory');
  assert.deepEqual(TIMEZONES, [...names].sort());
});

test('597 names are known, and Node has the rules of every one', () => {
  assert.equal(TIMEZONES.length, 597);
  for (const name of TIMEZONES) {
    assert.ok(isTimezone(name));
    assert.equal(zoneOf(name).segmentAt(UNTIL).offsetMs, offsetAt(name, UNTIL), name);
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
    fc.property(fc.constantFrom(...TIMEZONES), instant, (name, at) => {
      const { startAt, endAt, offsetMs, shiftMs } = zoneOf(name).segmentAt(at);
      assert.ok(startAt <= at && at < endAt);
      for (const inside of [startAt, at, endAt - 1])
        if (Number.isFinite(inside)) assert.equal(offsetAt(name, inside), offsetMs);
      if (Number.isFinite(endAt)) assert.notEqual(offsetAt(name, endAt), offsetMs);
      const before = Number.isFinite(startAt) ? offsetAt(name, startAt - 1) : offsetMs;
      assert.equal(shiftMs, offsetMs - before);
    }),
    { numRuns: 3_000 },
  );
});

test('the instant of a change belongs to the new segment, the millisecond before to the old', () => {
  const change = Date.parse('2026-03-29T01:00Z');
  const zone = new Zone('Europe/Berlin');
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
  const zone = new Zone('Europe/Berlin');
  for (let step = 0; step < 3_000; step += 1) {
    const year = 1900 + ((step * 1_237) % 2_000);
    const at = Date.UTC(year, (step * 5) % 12, 15);
    const segment = zone.segmentAt(at);
    assert.ok(segment.startAt <= at && at < segment.endAt);
    assert.equal(segment.offsetMs, offsetAt('Europe/Berlin', at));
  }
});

/** What the calendar's arithmetic takes for granted about the rules of the world. */
test('in no zone do offsets have fractions of a second, or changes come within an overlap', () => {
  for (const name of TIMEZONES) {
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
