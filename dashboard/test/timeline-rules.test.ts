import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clickedText, gapText } from '../src/asked-time.ts';
import { countsText, nearestTime, partsOf, secondOf, stepSecondsFor } from '../src/timeline.ts';

const step = (counts: object) => ({
  at: '2026-06-01T12:00:00.000Z',
  succeeded: 0,
  failed: 0,
  skipped: 0,
  missed: 0,
  ...counts,
});

test('a step is wide enough to be seen, divides an hour, and a span has 1,000 of them at most', () => {
  const aSpan = fc.integer({ min: 60, max: 7 * 86_400 });
  fc.assert(
    fc.property(aSpan, fc.integer({ min: 0, max: 4_000 }), (spanSeconds, width) => {
      const seconds = stepSecondsFor(spanSeconds * 1_000, width);
      assert.equal(3_600 % seconds, 0);
      assert.ok(spanSeconds / seconds <= 1_000);
      if (seconds < 3_600 && width > 0) assert.ok((seconds / spanSeconds) * width >= 4 - 1e-9);
    }),
  );
  assert.equal(stepSecondsFor(900_000, 1_000), 5);
  assert.equal(stepSecondsFor(7 * 86_400_000, 1_000), 3_600);
});

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
