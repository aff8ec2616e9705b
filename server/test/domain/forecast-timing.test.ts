import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countBySpan } from '../../src/domain/calendar/forecast.ts';
import { forecastTiming } from '../../src/domain/calendar/forecast-timing.ts';
import { resolveTiming } from '../../src/domain/calendar/resolve-timing.ts';
import type { Timing, When } from '../../src/domain/calendar/timing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 5, 1, 12);

const interval = fc.constantFrom(
  ...['* * * * *', '30 2 * * *', '*/15 9-17 * * MON-FRI', '17,47 * * * *', '0 0 * * *'],
  ...['*/10 * * * * *', '20 30 2 * * *', '5,50 7 * * * *', 'at(2026-06-01T18:07:30)'],
  ...['rate(1 second)', 'rate(10 seconds)', 'rate(90 seconds)', 'rate(7 minutes)'],
  ...['rate(1 hour)', 'rate(1 day)', 'rate(25 hours)'],
);
const timezone = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe');
const near = fc.integer({ min: -3 * DAY, max: 3 * DAY }).map(ms => NOON + ms);
const bounds = fc.record(
  {
    startsAt: near,
    endsAt: near.map(at => at + 3 * DAY),
    pausedUntil: near,
    windowSeconds: fc.constantFrom(1, 30, 60, 900, 86_400),
    maxRuns: fc.integer({ min: 1, max: 50 }),
  },
  { requiredKeys: [] },
);

function counts(when: When, from: number, spanMs: number): string {
  const steps = { from: Math.floor(from / spanMs) * spanMs, spanMs, count: (2 * DAY) / spanMs };
  return JSON.stringify([...countBySpan(when, steps)]);
}

test('a timing that is made coarse counts the same in each step', () => {
  const given = fc.record({ interval, timezone, timing: bounds, createdAt: near, id: fc.uuid() });
  fc.assert(
    fc.property(given, ({ createdAt, id, timing, ...plain }) => {
      const counted = timing.maxRuns === undefined ? timing : { ...timing, countFrom: createdAt };
      const facts = { createdAt, hashed: id, versions: [] };
      const resolved = resolveTiming({ ...plain, timing: counted }, facts);
      const when: When = resolved === undefined ? plain : { ...plain, timing: resolved };
      for (const spanMs of [MINUTE, HOUR]) {
        const from = Math.floor(NOON / spanMs) * spanMs;
        const coarse = forecastTiming(when, from, spanMs);
        const again = coarse === undefined ? plain : { ...plain, timing: coarse };
        assert.equal(counts(again, NOON, spanMs), counts(when, NOON, spanMs), `${spanMs}`);
        assert.deepEqual(forecastTiming(again, from, spanMs), coarse);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a million offsets and anchors become few timings', () => {
  const made = (interval: string, stepMs: number, timingOf: (n: number) => Timing) => {
    const all = Array.from({ length: 10_000 }, (_, n) => {
      const when = { interval, timezone: 'Europe/Berlin', timing: timingOf(n) };
      return JSON.stringify(forecastTiming(when, NOON, stepMs));
    });
    return new Set(all).size;
  };
  const window = (n: number) => ({ windowSeconds: 3_600, offsetMs: (n % 3_600) * 1_000 });
  assert.equal(made('* * * * *', MINUTE, window), 60);
  assert.equal(made('0 2 * * *', MINUTE, window), 60);
  assert.equal(made('0 2 * * *', HOUR, window), 2);
  const anchor = (n: number) => ({ anchorAt: NOON - DAY - n * 1_000 });
  assert.equal(made('rate(1 hour)', MINUTE, anchor), 60);
  assert.equal(made('rate(1 hour)', HOUR, anchor), 1);
  assert.equal(made('rate(10 seconds)', MINUTE, anchor), 1);
  assert.equal(made('rate(90 seconds)', MINUTE, anchor), 3);
});

test('what says nothing about times to come is left out', () => {
  const timing: Timing = {
    startsAt: NOON - 1,
    pausedUntil: NOON,
    onExcluded: 'skip',
    afterCompletion: 'delete',
  };
  const when = { interval: '0 * * * *', timezone: 'UTC', timing };
  assert.equal(forecastTiming(when, NOON, MINUTE), undefined);
  const counted = { ...timing, maxRuns: 3, countFrom: NOON - 1, lastAt: NOON + 2 * HOUR };
  assert.deepEqual(forecastTiming({ ...when, timing: counted }, NOON, MINUTE), {
    lastAt: NOON + 2 * HOUR,
  });
});
