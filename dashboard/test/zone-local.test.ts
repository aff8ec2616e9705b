import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { localText } from '../src/time/times.ts';
import { instantOfLocal, tomorrowMorning } from '../src/time/zone-local.ts';

test('a local time is the first instant that shows it, and in a gap the first one after it', () => {
  const instants: [local: string, zone: string, instant: string | null][] = [
    ['2026-12-24T18:00', 'Europe/Berlin', '2026-12-24T17:00:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['2011-12-30T10:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2026-13-01T00:00', 'UTC', null],
    ['', 'UTC', null],
  ];
  for (const [local, zone, instant] of instants) {
    assert.equal(instantOfLocal(local, zone), instant, `${local} ${zone}`);
  }
});

test('any time that a clock shows is found again', () => {
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu');
  const second = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 });
  fc.assert(
    fc.property(zone, second, (timezone, at) => {
      const local = localText(at * 1_000, timezone);
      const found = Date.parse(instantOfLocal(local, timezone)!);
      assert.ok(found <= at * 1_000, 'the first pass');
      assert.equal(localText(found, timezone), local);
    }),
  );
});

test('tomorrow morning is at eight, by the clock of the zone', () => {
  const now = Date.parse('2026-11-24T20:00:00Z');
  assert.equal(tomorrowMorning(now, 'Europe/Berlin'), '2026-11-25T07:00:00.000Z');
  assert.equal(tomorrowMorning(now, 'Asia/Tokyo'), '2026-11-25T23:00:00.000Z');
});
