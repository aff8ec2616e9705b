import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Exclusions } from '../../src/domain/calendar/exclusion/exclusions.ts';
import type { Period } from '../../src/domain/calendar/exclusion/period.ts';
import type { Zone } from '../../src/domain/calendar/zones/zone.ts';
import { zoneOf } from '../../src/domain/calendar/zones/zone.ts';
import { cpuMs } from '../support/cpu-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (text: string) => Date.parse(text);

function days(from: string, to: string, summary = ''): Period {
  return { from: at(`${from}T00:00Z`), to: at(`${to}T00:00Z`), isLocal: true, summary };
}

function span(from: string, to: string, summary = ''): Period {
  return { from: at(from), to: at(to), isLocal: false, summary };
}

const exclude = (...periods: Period[]) => new Exclusions([{ name: 'de', periods }]);

test('a local day is that of the zone', () => {
  const christmas = exclude(days('2026-12-25', '2026-12-27'));
  for (const [zone, from, to] of [
    ['Europe/Berlin', '2026-12-24T23:00Z', '2026-12-26T23:00Z'],
    ['America/New_York', '2026-12-25T05:00Z', '2026-12-27T05:00Z'],
    ['Pacific/Kiritimati', '2026-12-24T10:00Z', '2026-12-26T10:00Z'],
  ] as const) {
    const noon = at('2026-12-25T12:00Z');
    assert.equal(christmas.startOf(zoneOf(zone), noon), at(from), zone);
    assert.equal(christmas.endOf(zoneOf(zone), noon), at(to), zone);
    assert.equal(christmas.endOf(zoneOf(zone), at(to)), null, zone);
    assert.equal(christmas.startOf(zoneOf(zone), at(from) - 1), null, zone);
    assert.equal(christmas.nextStart(zoneOf(zone), at(from) - 1), at(from), zone);
  }
});

test('an instant is the same in every zone', () => {
  const freeze = exclude(span('2026-12-24T18:00Z', '2026-12-24T20:00Z'));
  for (const zone of ['Europe/Berlin', 'America/New_York']) {
    assert.equal(freeze.endOf(zoneOf(zone), at('2026-12-24T19:00Z')), at('2026-12-24T20:00Z'));
    assert.equal(freeze.endOf(zoneOf(zone), at('2026-12-24T20:00Z')), null);
  }
});

test('days and instants that touch are one stretch, whatever calendar they are of', () => {
  const union = new Exclusions([
    { name: 'a', periods: [days('2026-12-25', '2026-12-26')] },
    { name: 'b', periods: [span('2026-12-25T23:00Z', '2026-12-26T12:00Z')] },
    { name: 'c', periods: [span('2026-12-24T20:00Z', '2026-12-24T23:00Z')] },
  ]);
  const berlin = zoneOf('Europe/Berlin');
  assert.equal(union.startOf(berlin, at('2026-12-26T11:00Z')), at('2026-12-24T20:00Z'));
  assert.equal(union.endOf(berlin, at('2026-12-24T20:00Z')), at('2026-12-26T12:00Z'));
});

test('a day whose last hour comes twice is excluded in both passes, and the hour between is not', () => {
  const havana = zoneOf('America/Havana');
  // At 01:00 on 3 November 2024 the clock goes back to 00:00.
  const change = at('2024-11-03T05:00Z');
  const first = exclude(days('2024-11-03', '2024-11-04'));
  assert.equal(first.endOf(havana, change - HOUR_MS), change);
  assert.equal(first.endOf(havana, change), at('2024-11-04T05:00Z'));

  const johns = zoneOf('America/St_Johns');
  // At 00:01 on 29 October 2006 the clock went back to 23:01 on the 28th.
  const back = at('2006-10-29T02:31Z');
  const saturday = exclude(days('2006-10-28', '2006-10-29'));
  assert.equal(saturday.endOf(johns, back - 2 * 60_000), back - 60_000);
  assert.equal(saturday.endOf(johns, back - 60_000), null);
  assert.equal(saturday.nextStart(johns, back - 60_000), back);
  assert.equal(saturday.startOf(johns, back), back);
  assert.equal(saturday.endOf(johns, back), at('2006-10-29T03:30Z'));
});

test('a day that the clock leaves out excludes nothing', () => {
  const apia = zoneOf('Pacific/Apia');
  const gone = exclude(days('2011-12-30', '2011-12-31'));
  const change = at('2011-12-30T10:00Z');
  assert.equal(gone.endOf(apia, change - 1), null);
  assert.equal(gone.endOf(apia, change), null);
  assert.equal(gone.nextStart(apia, change - 1), change);
});

test('what excludes is named: the first calendar, then the earliest entry', () => {
  const berlin = zoneOf('Europe/Berlin');
  const exclusions = new Exclusions([
    { name: 'empty', periods: [] },
    {
      name: 'de',
      periods: [
        days('2026-12-25', '2026-12-26', 'Christmas'),
        span('2026-12-24T23:30Z', '2026-12-26T00:00Z', 'Night'),
        span('2026-12-25T12:00Z', '2026-12-25T13:00Z', 'Lunch'),
      ],
    },
    { name: 'all', periods: [span('2026-01-01T00:00Z', '2027-01-01T00:00Z', 'Year')] },
  ]);
  const named = (text: string) => {
    const entry = exclusions.entryAt(berlin, at(text));
    return entry && `${entry.calendar}: ${entry.summary}`;
  };
  assert.equal(named('2026-12-25T12:30Z'), 'de: Christmas');
  assert.equal(named('2026-12-25T23:30Z'), 'de: Night');
  assert.equal(named('2026-12-26T00:00Z'), 'all: Year');
  assert.equal(named('2027-01-01T00:00Z'), null);
  assert.deepEqual(exclusions.entryAt(berlin, at('2026-12-25T12:30Z')), {
    calendar: 'de',
    ...days('2026-12-25', '2026-12-26', 'Christmas'),
  });
});

test('nothing excludes without periods', () => {
  const none = new Exclusions([]);
  const utc = zoneOf('UTC');
  assert.equal(none.endOf(utc, 0), null);
  assert.equal(none.startOf(utc, 0), null);
  assert.equal(none.nextStart(utc, 0), Number.POSITIVE_INFINITY);
  assert.equal(none.entryAt(utc, 0), null);
});

/** Zones whose clock jumps at midnight or over a day, with such a change, and some without. */
const CHANGES: readonly [timezone: string, change: string][] = [
  ['America/Havana', '2024-03-10T05:00Z'],
  ['America/Havana', '2024-11-03T05:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00Z'],
  ['America/St_Johns', '2006-04-02T03:31Z'],
  ['America/St_Johns', '2006-10-29T02:31Z'],
  ['Asia/Beirut', '2026-03-28T22:00Z'],
  ['Asia/Beirut', '2026-10-24T21:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['UTC', '2026-01-01T00:00Z'],
];

test('each of the changes is one', () => {
  for (const [timezone, change] of CHANGES.slice(0, -1)) {
    assert.equal(zoneOf(timezone).segmentAt(at(change)).startAt, at(change), timezone);
  }
});

/** Times that fall onto each other often: whole hours, half hours, and one ms beside. */
const aside = fc.tuple(fc.integer({ min: -120, max: 120 }), fc.constantFrom(-1, 0, 1));
const near = (change: number) =>
  aside.map(([halfHours, ms]) => change + (halfHours * HOUR_MS) / 2 + ms);

interface Case {
  zone: Zone;
  calendars: { name: string; periods: Period[] }[];
  instant: number;
}

const cases: fc.Arbitrary<Case> = fc.constantFrom(...CHANGES).chain(([timezone, change]) => {
  const zone = zoneOf(timezone);
  const fixed = fc.tuple(near(at(change)), fc.integer({ min: 1, max: 30 * HOUR_MS }));
  const halves = fc.integer({ min: 1, max: 60 }).map(count => (count * HOUR_MS) / 2);
  const local = fc.oneof(
    fc.tuple(
      fc.integer({ min: -3, max: 3 }).map(day => (Math.floor(at(change) / DAY_MS) + day) * DAY_MS),
      fc.integer({ min: 1, max: 3 }).map(count => count * DAY_MS),
    ),
    fc.tuple(near(at(change)), halves),
  );
  const period = fc.oneof(fc.tuple(fixed, fc.constant(false)), fc.tuple(local, fc.constant(true)));
  const periods = fc.array(
    period.map(([[from, ms], isLocal]) => ({ from, to: from + ms, isLocal, summary: '' })),
    { maxLength: 6 },
  );
  const calendars = fc.array(periods, { maxLength: 3 }).map(all =>
    all.map((each, index) => ({
      name: `calendar ${index}`,
      periods: each.map((one, nth) => ({ ...one, summary: `${nth}` })),
    })),
  );
  return fc.record({ zone: fc.constant(zone), calendars, instant: near(at(change)) });
});

/** By a look at every period: the promises, written down once more. */
function holders({ zone, calendars }: Case, instant: number) {
  const localTime = instant + zone.segmentAt(instant).offsetMs;
  return calendars.flatMap(({ name, periods }) =>
    periods
      .filter(({ from, to, isLocal }) => {
        const time = isLocal ? localTime : instant;
        return from <= time && time < to;
      })
      .map(period => ({ calendar: name, ...period })),
  );
}

const isExcluded = (world: Case, instant: number) => holders(world, instant).length > 0;

/** Every instant of the segment at which something may change, and its ends. */
function edges({ zone, calendars, instant }: Case): number[] {
  const { startAt, endAt, offsetMs } = zone.segmentAt(instant);
  const all = calendars.flatMap(({ periods }) =>
    periods.flatMap(({ from, to, isLocal }) =>
      isLocal ? [from - offsetMs, to - offsetMs] : [from, to],
    ),
  );
  const within = all.filter(edge => startAt < edge && edge < endAt);
  return [startAt, ...within, endAt].sort((a, b) => a - b);
}

const RUNS = { numRuns: 5_000 };

test('an excluded stretch begins and ends as a look at every period finds it', () => {
  fc.assert(
    fc.property(cases, world => {
      const { zone, calendars, instant } = world;
      const exclusions = new Exclusions(calendars);
      const { startAt, endAt } = zone.segmentAt(instant);
      if (!isExcluded(world, instant)) {
        assert.equal(exclusions.endOf(zone, instant), null);
        assert.equal(exclusions.startOf(zone, instant), null);
        const next = edges(world).find(
          edge => edge > instant && edge < endAt && isExcluded(world, edge),
        );
        assert.equal(exclusions.nextStart(zone, instant), next ?? endAt);
        return;
      }
      const end = edges(world).find(
        edge => edge > instant && (edge >= endAt || !isExcluded(world, edge)),
      );
      assert.equal(exclusions.endOf(zone, instant), end);
      const start = edges(world).findLast(
        edge => edge <= instant && (edge <= startAt || !isExcluded(world, edge - 1)),
      );
      assert.equal(exclusions.startOf(zone, instant), start);
    }),
    RUNS,
  );
});

test('an entry excludes an instant exactly if it holds it, and the first one is named', () => {
  fc.assert(
    fc.property(cases, world => {
      const { zone, calendars, instant } = world;
      const found = new Exclusions(calendars).entryAt(zone, instant);
      const all = holders(world, instant);
      if (all.length === 0) {
        assert.equal(found, null);
        return;
      }
      const { offsetMs } = zone.segmentAt(instant);
      const startOf = (entry: { from: number; isLocal: boolean }) =>
        entry.isLocal ? entry.from - offsetMs : entry.from;
      const ofFirst = all.filter(({ calendar }) => calendar === all[0]!.calendar);
      assert.equal(found!.calendar, all[0]!.calendar);
      assert.equal(startOf(found!), Math.min(...ofFirst.map(startOf)));
      assert.ok(ofFirst.some(entry => entry.summary === found!.summary));
    }),
    RUNS,
  );
});

test('a calendar of 20,000 periods is searched, not walked through', () => {
  const periods = Array.from({ length: 20_000 }, (_, nth): Period => {
    const from = Date.UTC(2026, 0, 1) + nth * HOUR_MS;
    return { from, to: from + 1, isLocal: nth % 2 === 0, summary: '' };
  });
  const exclusions = exclude(...periods);
  const utc = zoneOf('UTC');
  const startedAt = cpuMs();
  for (let nth = 0; nth < 20_000; nth += 1) {
    const from = Date.UTC(2026, 0, 1) + nth * HOUR_MS;
    assert.equal(exclusions.endOf(utc, from), from + 1);
    assert.equal(exclusions.nextStart(utc, from + 1), nth < 19_999 ? from + HOUR_MS : Infinity);
  }
  assert.ok(cpuMs() - startedAt < 2_000);
});
