import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changesOf, offsetAt, wallTime } from '../../sim/model/calendar/zone-lists.ts';
import {
  checkInterval,
  countTimes,
  lastTime,
  nextTime,
  timesBetween,
} from '../../src/domain/calendar/times.ts';
import { timezones } from '../../src/domain/calendar/zones/zone.ts';
import { PunctualError } from '../../src/domain/errors.ts';
import {
  debianLoop,
  type SlowInterval,
  type WallClock,
  wallClock,
} from '../support/domain/debian-loop.ts';
import { fiveFields, noonOnDays, sixFields } from '../support/domain/slow-interval.ts';
import { casesOf } from '../support/long.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const EVERYTHING = 1_000_000;

/** Zones with rules that have broken schedulers before, and a year of each that shows why. */
const ODD_YEARS: readonly [timezone: string, ...years: number[]][] = [
  ['Europe/Berlin', 1980, 2026],
  ['America/New_York', 1987, 2026],
  ['Australia/Lord_Howe', 2026], // 30 minutes
  ['America/Nuuk', 2023, 2024], // the gap is before midnight
  ['Asia/Pyongyang', 2015, 2018], // 30 minutes, across midnight
  ['Africa/Casablanca', 2018, 2026], // Ramadan
  ['Pacific/Apia', 2010, 2011], // a whole day left out
  ['Asia/Kathmandu', 1986], // 15 minutes, at midnight
  ['America/Havana', 2026], // midnight does not exist
  ['Antarctica/Troll', 2025], // 2 hours
  ['Antarctica/Casey', 2009, 2018, 2020], // exactly 3 hours
  ['Pacific/Kwajalein', 1993],
  ['America/Caracas', 2007, 2016], // 30 minutes, across midnight
  ['Europe/Dublin', 2026],
  ['UTC', 2026],
];

const clocks = ODD_YEARS.flatMap(([timezone, ...years]) =>
  years.flatMap(year => changesIn(timezone, year).map(change => clockAround(timezone, change))),
);

/** The wall clocks of years when towns still kept the sun's time, to the second. */
const clocksBySecond = [
  secondsAround('Africa/Monrovia', '1972-01-07T00:44:30Z'),
  secondsAround('Europe/Berlin', '1893-03-31T23:06:32Z'),
  secondsAround('Asia/Kolkata', '1941-09-30T18:06:40Z'),
  secondsAround('America/New_York', '1883-11-18T17:00:00Z'),
  secondsAround('Europe/Berlin', '2026-03-29T01:00:00Z'),
  secondsAround('Australia/Lord_Howe', '2026-04-04T15:00:00Z'),
];

function changesIn(timezone: string, year: number): number[] {
  const isThen = (at: number) => new Date(wallTime(timezone, at)).getUTCFullYear() === year;
  const changes = changesOf(timezone).filter(isThen);
  return changes.length > 0 ? changes : [Date.UTC(year, 0)];
}

function clockAround(timezone: string, change: number): WallClock {
  const from = Math.floor((change - 30 * HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  return wallClock(timezone, from, from + 60 * HOUR_MS, MINUTE_MS);
}

function secondsAround(timezone: string, change: string): WallClock {
  const at = Date.parse(change);
  return wallClock(timezone, at - HOUR_MS, at + HOUR_MS, 1_000);
}

function endOf(clock: WallClock): number {
  return clock.from + (clock.steps.length - 2) * clock.stepMs;
}

function checkAgainstLoop(interval: SlowInterval, clock: WallClock): void {
  const { timezone, from } = clock;
  const expected = debianLoop(interval, clock);
  const times = timesBetween({ interval: interval.text, timezone }, from, endOf(clock), EVERYTHING);
  assert.deepEqual(times, expected, `${interval.text} in ${timezone}`);
  assert.equal(
    countTimes({ interval: interval.text, timezone }, from, endOf(clock)),
    expected.length,
  );
}

/** An interval may say that it never occurs; then a slow walk has to agree. */
function occurs(interval: SlowInterval): boolean {
  try {
    checkInterval({ interval: interval.text, timezone: 'UTC' });
    return true;
  } catch (error) {
    assert.match((error as PunctualError).message, /^The interval never occurs/);
    return false;
  }
}

const possible = (intervals: fc.Arbitrary<SlowInterval>) => intervals.filter(occurs);

test("every minute around a change of the clock is as in the main loop of Debian's cron", () => {
  fc.assert(fc.property(possible(fiveFields), fc.constantFrom(...clocks), checkAgainstLoop), {
    numRuns: casesOf(4_000),
  });
});

test('every second around a change of the clock is as in the same loop by seconds', () => {
  fc.assert(fc.property(sixFields, fc.constantFrom(...clocksBySecond), checkAgainstLoop), {
    numRuns: 600,
  });
});

test('the next time is the first of the loop after any instant, and nothing lies between', () => {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      possible(fiveFields),
      fc.constantFrom(...clocks),
      place,
      (interval, clock, part) => {
        const after = Math.round(clock.from + part * (endOf(clock) - clock.from));
        const expected = debianLoop(interval, clock).find(time => time > after);
        const next = nextTime({ interval: interval.text, timezone: clock.timezone }, after);
        if (expected === undefined) assert.ok(next === null || next > endOf(clock));
        else assert.equal(next, expected);
      },
    ),
    { numRuns: casesOf(1_500) },
  );
});

test('last, count and list of any stretch agree with next time after next time', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      possible(fiveFields),
      fc.constantFrom(...clocks),
      fc.tuple(part, part),
      ({ text }, clock, parts) => {
        const { timezone } = clock;
        const ends = parts.map(each => clock.from + each * (endOf(clock) - clock.from));
        const [from, until] = ends.sort((a, b) => a - b) as [number, number];
        const times = repeatedNext(text, timezone, from, until);
        assert.deepEqual(
          timesBetween({ interval: text, timezone }, from, until, EVERYTHING),
          times,
        );
        assert.deepEqual(
          timesBetween({ interval: text, timezone }, from, until, 2),
          times.slice(0, 2),
        );
        assert.equal(countTimes({ interval: text, timezone }, from, until), times.length);
        assert.equal(lastTime({ interval: text, timezone }, from, until), times.at(-1) ?? null);
        for (const time of times.slice(0, 20))
          assert.equal(lastTime({ interval: text, timezone }, from, time), time);
      },
    ),
    { numRuns: casesOf(1_500) },
  );
});

function repeatedNext(text: string, timezone: string, from: number, until: number): number[] {
  const times: number[] = [];
  let next = nextTime({ interval: text, timezone }, from - 1);
  while (next !== null && next <= until) {
    if (next >= from) times.push(next);
    next = nextTime({ interval: text, timezone }, next);
  }
  return times;
}

test('the next time is later, and the wall clock then shows what the interval says', () => {
  const instant = fc.integer({ min: Date.UTC(1850, 0), max: Date.UTC(2150, 0) });
  fc.assert(
    fc.property(
      possible(fiveFields),
      fc.constantFrom(...timezones()),
      instant,
      (interval, timezone, after) => {
        const next = nextTime({ interval: interval.text, timezone }, after);
        if (next === null) return;
        assert.ok(next > after);
        const isShifted = !interval.followsClock && isChange(timezone, next);
        const wall = new Date(wallTime(timezone, next));
        assert.ok(isShifted || interval.matches(wall), `${interval.text} ${wall.toISOString()}`);
        assert.equal(lastTime({ interval: interval.text, timezone }, after + 1, next), next);
        assert.equal(countTimes({ interval: interval.text, timezone }, after + 1, next), 1);
      },
    ),
    { numRuns: casesOf(3_000) },
  );
});

function isChange(timezone: string, at: number): boolean {
  return offsetAt(timezone, at) !== offsetAt(timezone, at - 1);
}

test('over 60 years no day is missed, however rare the days, and "never" means never', () => {
  const start = fc.integer({ min: 1971, max: 2040 });
  const timezone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu');
  fc.assert(
    fc.property(noonOnDays, timezone, start, (interval, zone, year) => {
      const expected = firstNoon(interval, year, 60);
      if (!occurs(interval)) return assert.equal(expected, null);
      const from = Date.UTC(year, 0, 1) - 2 * DAY_MS;
      const [first] = timesBetween(
        { interval: interval.text, timezone: zone },
        from + 1,
        Date.UTC(year + 60, 0),
        9,
      ).filter(time => wallDay(time, zone) >= Date.UTC(year, 0, 1));
      assert.equal(first === undefined ? null : wallDay(first, zone), expected);
    }),
    { numRuns: casesOf(1_500) },
  );
});

function firstNoon(interval: SlowInterval, year: number, years: number): number | null {
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + years, 0); day += DAY_MS)
    if (interval.matches(new Date(day + 12 * HOUR_MS))) return day;
  return null;
}

function wallDay(at: number, timezone: string): number {
  return Math.floor(wallTime(timezone, at) / DAY_MS) * DAY_MS;
}

test('whatever the text, it is read or refused with one sentence that echoes little of it', () => {
  const bitsOfLanguage = fc.constantFrom(
    ...'0123456789*/,-?LW#@ \tJANMONs\n\0\u{1f600}é'.split(''),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1_100 }),
    fc.string({ unit: bitsOfLanguage, maxLength: 60 }),
    fc
      .array(fc.string({ unit: bitsOfLanguage, maxLength: 200 }), { maxLength: 7 })
      .map(fields => fields.join(' ')),
  );
  fc.assert(
    fc.property(text, garbage => {
      try {
        checkInterval({ interval: garbage, timezone: 'UTC' });
      } catch (error) {
        assert.ok(error instanceof PunctualError);
        assert.equal(error.code, 'interval_invalid');
        assert.match(error.message, /^The interval[^\p{C}]*\.$/u);
        assert.ok(error.message.length < 200, error.message);
        assert.ok(error.message.isWellFormed());
      }
    }),
    { numRuns: casesOf(5_000) },
  );
});
