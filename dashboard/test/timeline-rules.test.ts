import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clickedText, gapText } from '../src/explain/asked-time.ts';
import {
  clockMarksOf,
  clockText,
  countsText,
  emptyText,
  nearestTime,
  nextStep,
  partsOf,
  type Step,
  secondOf,
  stepAt,
  stepsOf,
} from '../src/timeline/timeline.ts';

const step = (counts: object) => ({ succeeded: 0, failed: 0, skipped: 0, missed: 0, ...counts });

test('one failure among thousands is seen, and shares make a whole', () => {
  const parts = partsOf(step({ succeeded: 1_799, failed: 1 }));
  assert.deepEqual(
    parts.map(({ status, count }) => [status, count]),
    [
      ['failed', 1],
      ['succeeded', 1_799],
    ],
  );
  assert.ok(parts[0]!.share > 0.15);
  assert.equal(parts[0]!.share + parts[1]!.share, 1);
  assert.deepEqual(partsOf(step({})), []);
  assert.equal(countsText(step({ succeeded: 1_799, failed: 1 })), '1,799 succeeded, 1 failed');
  assert.equal(countsText(step({ skipped: 1, due: 1_200 })), '1 skipped, 1,200 to come');
  assert.equal(countsText(step({})), '');
});

test('a window without times is said to have none only where all of it is counted', () => {
  const window = { from: 100, to: 200 };
  const [whole, moved] = [
    { from: 0, to: Number.POSITIVE_INFINITY },
    { from: 0, to: 150 },
  ];
  assert.equal(emptyText(window, whole, false), 'nothing');
  assert.equal(emptyText(window, { ...whole, from: 101 }, false), 'being counted');
  assert.equal(emptyText(window, moved, false), 'being counted');
  assert.equal(emptyText(window, null, false), 'being counted');
  assert.equal(emptyText(window, null, true), 'not known');
});

test('the lists of a lane become steps, each with its own span', () => {
  const lane = {
    ...{ scheduleId: 'a', from: '2026-06-01T00:00:00.000Z', steps: [0, 3] },
    ...{ succeeded: [5, 0], failed: [1, 0], skipped: [0, 0], missed: [0, 2], due: [0, 7] },
  };
  const timeline = {
    ...{ from: lane.from, to: '2026-06-01T04:00:00.000Z', now: lane.from, stepSeconds: 3_600 },
    items: [lane],
  };
  const start = Date.parse(lane.from);
  assert.deepEqual(stepsOf(timeline, lane), [
    { ...step({ succeeded: 5, failed: 1 }), due: 0, at: start, to: start + 3_600_000 },
    {
      ...step({ missed: 2 }),
      ...{ due: 7, at: start + 3 * 3_600_000, to: start + 4 * 3_600_000 },
    },
  ]);
});

const someSteps: fc.Arbitrary<Step[]> = fc
  .uniqueArray(fc.nat(500), { minLength: 1 })
  .map(numbers =>
    numbers
      .sort((a, b) => a - b)
      .map(number => ({ ...step({}), due: 1, at: number * 10, to: number * 10 + 10 })),
  );

test('the step at an instant holds it, or is the nearest within reach', () => {
  fc.assert(
    fc.property(someSteps, fc.nat(5_100), fc.nat(60), (steps, at, nearMs) => {
      const found = stepAt(steps, at, nearMs);
      const distance = (each: Step) => Math.max(0, each.at - at, at - each.to + 1);
      const least = Math.min(...steps.map(distance));
      if (found === undefined) assert.ok(least > nearMs);
      else assert.ok(distance(found) === least && (least === 0 || least <= nearMs));
    }),
  );
});

test('the arrow keys come to every step, and back', () => {
  fc.assert(
    fc.property(someSteps, steps => {
      const reached: number[] = [];
      for (let at: number | undefined = -1; at !== undefined; at = nextStep(steps, at, true)) {
        if (at >= 0) reached.push(at);
      }
      assert.deepEqual(
        reached,
        steps.map(each => each.at + 5),
      );
      const back: number[] = [];
      for (let at: number | undefined = 1e9; at !== undefined; at = nextStep(steps, at, false)) {
        if (at < 1e9) back.push(at);
      }
      assert.deepEqual(back, reached.toReversed());
    }),
  );
});

test('a click means the second it is in, or else the nearest time that is near', () => {
  const at = Date.parse('2026-11-23T07:37:24.500Z');
  assert.equal(secondOf({ at, nearMs: 1 }), '2026-11-23T07:37:24.000Z');
  const around = {
    verdict: 'neverDue',
    previous: '2026-11-23T07:37:00.000Z',
    next: '2026-11-23T07:37:30.000Z',
  } as const;
  assert.equal(nearestTime({ at, nearMs: 6_000 }, around), around.next);
  assert.equal(nearestTime({ at, nearMs: 5_000 }, around), null);
  assert.equal(nearestTime({ at: at - 20_000, nearMs: 6_000 }, around), around.previous);
  assert.equal(nearestTime({ at, nearMs: 6_000 }, { ...around, verdict: 'succeeded' }), null);
  assert.equal(nearestTime({ at, nearMs: 6_000 }, { verdict: 'neverDue' }), null);
});

test('an answer of another time than the one that was clicked says so', () => {
  const click = { at: Date.parse('2026-11-23T07:37:24.500Z'), nearMs: 6_000 };
  assert.equal(clickedText(click, '2026-11-23T07:37:24.000Z'), null);
  assert.match(clickedText(click, '2026-11-23T07:37:30.000Z')!, /nearest to it/);
});

test('a local time that does not exist is said to be none, with the time that is answered for', () => {
  // Lord Howe sets its clock forward by half an hour, from 02:00 to 02:30.
  const zone = 'Australia/Lord_Howe';
  const sentence = gapText('2026-10-04T02:15', '2026-10-03T15:45:00.000Z', zone);
  assert.match(sentence!, /2026-10-04 02:15:00 did not exist in Australia\/Lord_Howe/);
  assert.match(sentence!, /02:45:00/);
  assert.equal(gapText('2026-10-04T02:45', '2026-10-03T15:45:00.000Z', zone), null);
  assert.equal(gapText('2026-10-03T15:45:00.000Z', '2026-10-03T15:45:00.000Z', zone), null);
});

test('the changes of a clock within the window are marks, by the offsets of the service', () => {
  const zone = {
    ...{ timezone: 'Australia/Lord_Howe', tzdata: '2026f', until: '2100-01-01T00:00:00.000Z' },
    offsets: [
      { from: '1970-01-01T00:00:00.000Z', offsetSeconds: 37_800 },
      { from: '2026-10-03T15:30:00.000Z', offsetSeconds: 39_600 },
      { from: '2027-04-03T15:00:00.000Z', offsetSeconds: 37_800 },
    ],
  };
  const window = { from: Date.UTC(2026, 8), to: Date.UTC(2026, 11) };
  const [mark, ...more] = clockMarksOf(zone, window);
  assert.deepEqual([mark, more], [{ at: Date.UTC(2026, 9, 3, 15, 30), shiftSeconds: 1_800 }, []]);
  assert.equal(clockText(mark!), 'The clock is set forward by 30 min.');
  assert.equal(clockText({ at: 0, shiftSeconds: -3_600 }), 'The clock is set back by 1 h.');
  assert.equal(clockMarksOf(zone, { from: 0, to: Date.UTC(2030, 0) }).length, 2);
});
