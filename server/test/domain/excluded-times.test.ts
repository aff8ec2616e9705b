import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ExcludedTime, excludedTimes } from '../../src/domain/calendar/excluded-times.ts';
import { knowCalendar } from '../../src/domain/calendar/known-calendars.ts';
import { nominalAt } from '../../src/domain/calendar/nominal.ts';
import { resolveTiming } from '../../src/domain/calendar/resolve-timing.ts';
import { intervalLine } from '../../src/domain/calendar/times.ts';
import type { TimingFields, When } from '../../src/domain/calendar/timing.ts';

/** The times that calendars take away or move, held against a look at every time of the interval. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 2, 25);
const DAYS = 14;
const END = START + DAYS * DAY_MS;

let calendars = 0;
const spot = fc.integer({ min: -24, max: DAYS * 24 + 24 }).map(hours => START + hours * HOUR_MS);
const period = fc
  .record({ from: spot, hours: fc.integer({ min: 1, max: 60 }), isLocal: fc.boolean() })
  .map(({ from, hours, isLocal }) => ({ from, to: from + hours * HOUR_MS, isLocal, summary: '' }));

const world = fc
  .record({
    interval: fc.constantFrom('0 9 * * *', '30 2 * * *', '*/10 * * * *', 'rate(7 hours)'),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago'),
    periods: fc.array(fc.array(period, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 2,
    }),
    onExcluded: fc.constantFrom('skip' as const, 'nextDay' as const, 'previousDay' as const),
    startsAt: fc.option(spot, { nil: undefined }),
    spanHours: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
    pausedUntil: fc.option(spot, { nil: undefined }),
    maxRuns: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    windowSeconds: fc.option(fc.integer({ min: 1, max: 86_400 }), { nil: undefined }),
  })
  .map(({ interval, timezone, periods, startsAt, spanHours, onExcluded, ...given }): When => {
    const versions = periods.map(each => {
      const version = `excluded ${++calendars}`;
      knowCalendar({ version, name: version, periods: each });
      return version;
    });
    const endsAt = spanHours === undefined ? undefined : (startsAt ?? START) + spanHours * HOUR_MS;
    const isMovable = /^\d+ \d+ /.test(interval);
    const fields = { ...given, startsAt, endsAt, exclude: versions };
    const timing = Object.fromEntries(
      Object.entries({ ...fields, onExcluded: isMovable ? onExcluded : 'skip' }).filter(
        ([, value]) => value !== undefined,
      ),
    ) as TimingFields;
    const counted = { ...timing, countFrom: START };
    const facts = { createdAt: START, hashed: 'x', versions };
    const resolved = resolveTiming({ interval, timezone, timing: counted }, facts);
    return { interval, timezone, ...(resolved && { timing: resolved }) };
  });

/** Every time of the interval, asked one by one. */
function slowly(when: When, after: number): ExcludedTime[] {
  const { pausedUntil = 0, offsetMs = 0, lastAt = Infinity } = when.timing!;
  const line = intervalLine(when);
  const found: ExcludedTime[] = [];
  for (let own = line.first(START - 2 * DAY_MS); own !== null && own < END + 10 * DAY_MS; ) {
    const at = own + offsetMs;
    const nominal = nominalAt(when, at);
    const isCounted = at > after && at >= pausedUntil && own <= lastAt;
    if (isCounted && nominal.kind === 'excluded') found.push({ at, by: nominal.by });
    if (isCounted && nominal.kind === 'rolled') {
      found.push({ at, by: nominal.by, movedTo: nominal.movedTo });
    }
    own = line.first(own + 1);
  }
  return found;
}

test('the same as a look at every time', () => {
  fc.assert(
    fc.property(world, spot, (when, after) => {
      const all = slowly(when, after);
      assert.deepEqual(excludedTimes(when, after, 10_000), all);
      assert.deepEqual(excludedTimes(when, after, 3), all.slice(0, 3));
    }),
    { numRuns: 200 },
  );
});

test('none without calendars, and none after the last exclusion', () => {
  const plain = { interval: '* * * * * *', timezone: 'UTC' };
  assert.deepEqual(excludedTimes(plain, START, 5), []);
  knowCalendar({
    version: 'past',
    name: 'past',
    periods: [{ from: START - DAY_MS, to: START, isLocal: true, summary: '' }],
  });
  const timing = { exclude: ['past'], calendars: ['past'] };
  assert.deepEqual(excludedTimes({ ...plain, timing }, START, 5), []);
  const [last] = excludedTimes({ ...plain, timing }, START - 1_001, 5);
  assert.equal(last!.at, START - 1_000);
});
