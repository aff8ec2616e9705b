import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ticksOf } from '../src/time/time-ticks.ts';
import {
  askedRange,
  instantFrom,
  LONGEST_MS,
  moved,
  pinched,
  SHORTEST_MS,
  spanFrom,
  stepSecondsFor,
  type TimeWindow,
  viewAround,
  viewOf,
  windowOf,
  zoomed,
} from '../src/time/time-window.ts';
import { localText } from '../src/time/times.ts';

const DAY_MS = 86_400_000;
const aSpan = fc.integer({ min: SHORTEST_MS, max: LONGEST_MS });
const aWindow: fc.Arbitrary<TimeWindow> = fc
  .tuple(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2060, 0) }), aSpan)
  .map(([from, span]) => ({ from, to: from + span }));
const aShare = fc.double({ min: 0, max: 1, noNaN: true });
const spanOf = ({ from, to }: TimeWindow) => to - from;
const isNear = (a: number, b: number, ms = 1) => assert.ok(Math.abs(a - b) <= ms, `${a} and ${b}`);

test('a zoom leaves the instant under the pointer where it is, and stays within its bounds', () => {
  const aFactor = fc.double({ min: 0.01, max: 100, noNaN: true });
  fc.assert(
    fc.property(aWindow, aShare, aFactor, (window, share, factor) => {
      const at = window.from + share * spanOf(window);
      const after = zoomed(window, factor, at);
      assert.ok(spanOf(after) >= SHORTEST_MS - 1 && spanOf(after) <= LONGEST_MS + 1);
      isNear(at, after.from + share * spanOf(after));
      const wanted = spanOf(window) * factor;
      if (wanted > SHORTEST_MS && wanted < LONGEST_MS) isNear(spanOf(after), wanted);
    }),
  );
});

test('a drag keeps the length of the window, and there and back is nothing', () => {
  fc.assert(
    fc.property(aWindow, fc.integer({ min: -LONGEST_MS, max: LONGEST_MS }), (window, ms) => {
      assert.equal(spanOf(moved(window, ms)), spanOf(window));
      assert.deepEqual(moved(moved(window, ms), -ms), window);
    }),
  );
  assert.equal(moved({ from: 0, to: DAY_MS }, -DAY_MS).from, 0);
});

test('two fingers keep the instants under them', () => {
  const px = fc.integer({ min: 0, max: 1_000 });
  fc.assert(
    fc.property(aWindow, px, px, px, px, (window, a, b, c, d) => {
      fc.pre(Math.abs(a - b) > 20 && Math.abs(c - d) > 20 && a < b === c < d);
      const wanted = (spanOf(window) * Math.abs(a - b)) / Math.abs(c - d);
      fc.pre(wanted > SHORTEST_MS && wanted < LONGEST_MS);
      const after = pinched(window, 1_000, [a, b], [c, d]);
      const at = ({ from, to }: TimeWindow, x: number) => from + (x / 1_000) * (to - from);
      for (const [before, now] of [
        [a, c],
        [b, d],
      ] as const) {
        isNear(at(window, before), at(after, now), 2);
      }
    }),
  );
});

test('a window that follows the clock has now at the same place, and one that was moved stands', () => {
  fc.assert(
    fc.property(aSpan, aShare, aWindow, (spanMs, share, moved) => {
      for (const now of [Date.UTC(2026, 5), Date.UTC(2026, 6)]) {
        const window = windowOf({ spanMs }, now, share);
        isNear((now - window.from) / spanMs, share, 1e-3);
        assert.deepEqual(windowOf(viewOf(moved), now, share), moved);
      }
    }),
  );
  const around = windowOf(viewAround(Date.UTC(2026, 5), DAY_MS), 0, 0.5);
  assert.equal((around.from + around.to) / 2, Date.UTC(2026, 5));
});

test('steps are wide enough to be seen, few enough to be asked for, and of the lengths that the service takes', () => {
  fc.assert(
    fc.property(
      aSpan,
      fc.integer({ min: 0, max: 4_000 }),
      fc.constantFrom(200, 400),
      (span, width, most) => {
        const seconds = stepSecondsFor(span, width, { most });
        assert.ok(seconds <= 3_600 ? 3_600 % seconds === 0 : seconds % 3_600 === 0);
        assert.ok(seconds <= 86_400);
        if (width > 400) assert.ok(span / seconds / 1_000 <= most);
        if (seconds < 86_400 && width > 0)
          assert.ok(((seconds * 1_000) / span) * width >= 4 - 1e-9);
      },
    ),
  );
  assert.equal(stepSecondsFor(900_000, 1_000), 5);
  assert.equal(stepSecondsFor(7 * DAY_MS, 1_000), 3_600);
  assert.equal(stepSecondsFor(30 * DAY_MS, 1_000), 10_800);
  assert.equal(stepSecondsFor(30 * DAY_MS, 340), 43_200);
  assert.equal(stepSecondsFor(SHORTEST_MS, 1_000), 1);
});

test('what is asked for covers the window, is bounded, and stays the same for small moves', () => {
  fc.assert(
    fc.property(aWindow, fc.integer({ min: 300, max: 3_000 }), (window, width) => {
      for (const most of [200, 400]) {
        const stepMs = stepSecondsFor(spanOf(window), width, { most }) * 1_000;
        const range = askedRange(window, stepMs);
        assert.ok(range.from <= window.from && range.to >= window.to);
        assert.ok(range.from % stepMs === 0 && range.to % stepMs === 0);
        assert.ok(spanOf(range) / stepMs <= 2 * most);
      }
    }),
  );
  const window = { from: Date.UTC(2026, 5, 1, 1), to: Date.UTC(2026, 5, 2, 1) };
  const range = askedRange(window, 300_000);
  assert.deepEqual(askedRange(moved(window, 3_600_000), 300_000), range);
  assert.notDeepEqual(askedRange(moved(window, DAY_MS), 300_000), range);
});

test('ticks are round times on the clock of the zone, in order, also beyond a change of it', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York'];
  fc.assert(
    fc.property(aWindow, fc.constantFrom(...zones), (window, zone) => {
      const ticks = ticksOf(window, 1_000, zone);
      const [first, second] = ticks;
      for (const [index, { at }] of ticks.entries()) {
        assert.ok(at >= window.from - 1 && at <= window.to);
        if (index > 0) assert.ok(at > ticks[index - 1]!.at);
      }
      if (first && second) {
        const px = ((second.at - first.at) / spanOf(window)) * 1_000;
        assert.ok(px > 40, `${px} px`);
      }
    }),
    { numRuns: 60 },
  );
  // Berlin sets its clock back at 03:00 on 25 October 2026.
  const from = Date.UTC(2026, 9, 24, 22);
  const texts = ticksOf({ from, to: from + DAY_MS }, 700, 'Europe/Berlin').map(({ text }) => text);
  assert.deepEqual(texts.slice(1), ['03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']);
  for (const { at, isDay } of ticksOf({ from, to: from + 9 * DAY_MS }, 700, 'Europe/Berlin')) {
    assert.ok(isDay && localText(at, 'Europe/Berlin').endsWith('T00:00:00'));
  }
});

test('an address that is no span and no instant is none', () => {
  assert.deepEqual(['', '-5', 'x', null].map(spanFrom), [null, null, null, null]);
  assert.deepEqual(
    [spanFrom('3600'), spanFrom('1'), spanFrom('1e12')],
    [3_600_000, SHORTEST_MS, LONGEST_MS],
  );
  assert.deepEqual(['', 'x', null, '3000-01-01T00:00:00Z'].map(instantFrom), [
    null,
    null,
    null,
    null,
  ]);
  assert.equal(instantFrom('2026-06-01T00:00:00Z'), Date.UTC(2026, 5));
});
