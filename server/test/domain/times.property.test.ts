import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { enumerate, type World } from '../../sim/model/calendar/enumerator.ts';
import { knowCalendar } from '../../src/domain/calendar/known-calendars.ts';
import { resolveTiming } from '../../src/domain/calendar/resolve-timing.ts';
import { countTimes, lastTime, nextTime, timesBetween } from '../../src/domain/calendar/times.ts';
import type { Timing, When } from '../../src/domain/calendar/timing.ts';
import { offsetMsOf } from '../../src/domain/calendar/window.ts';
import { type Scene, scenes } from '../support/domain/worlds.ts';
import { casesOf } from '../support/long.ts';

/**
 * All times of random schedules are those of a plain enumerator.
 *
 * TIMES_WORLDS=10000 is the long form; TIMES_SEED repeats a run.
 */
const WORLDS = Number(process.env.TIMES_WORLDS ?? casesOf(600));
const SEED = process.env.TIMES_SEED === undefined ? {} : { seed: Number(process.env.TIMES_SEED) };
const EVERYTHING = 1_000_000;

/** Each world has calendars of its own. */
let versionCount = 0;

function whenOf(world: World): When {
  const { interval, timezone, createdAt, isStored = false, hashed, calendars, ...fields } = world;
  const versions = (calendars ?? []).map(({ name, periods }) => {
    versionCount += 1;
    knowCalendar({ version: `version-${versionCount}`, name, periods });
    return `version-${versionCount}`;
  });
  const exclude = calendars === undefined ? {} : { exclude: calendars.map(({ name }) => name) };
  const timing: Timing = { ...fields, ...exclude };
  const resolved = resolveTiming(
    { interval, timezone, timing },
    { createdAt, hashed: hashed ?? null, versions, isPreview: !isStored },
  );
  return { interval, timezone, ...(resolved === undefined ? {} : { timing: resolved }) };
}

function told(scene: Scene): string {
  return JSON.stringify(scene.world);
}

/** Whether no time can come after the span. */
function isOver({ world, to }: Scene): boolean {
  if (world.interval.startsWith('at(')) return true;
  const windowMs = (world.windowSeconds ?? 0) * 1_000;
  if (world.endsAt !== undefined && world.endsAt + windowMs <= to) return true;
  if (world.maxRuns === undefined) return false;
  const { pausedUntil: _, ...unpaused } = world;
  return enumerate(unpaused, world.countFrom! + 1, to).length === world.maxRuns;
}

test('next, last, count and list are those of the enumerator', () => {
  fc.assert(
    fc.property(scenes, scene => {
      const when = whenOf(scene.world);
      const times = enumerate(scene.world, scene.from, scene.to);
      checkLists(scene, when, times);
      checkNext(scene, when, times);
      checkLast(scene, when, times);
      checkCounts(scene, when, times);
    }),
    { numRuns: WORLDS, ...SEED },
  );
});

function checkLists(scene: Scene, when: When, times: number[]): void {
  const all = timesBetween(when, scene.from, scene.to - 1, EVERYTHING);
  assert.deepEqual(all, times, `list of ${told(scene)}`);
  for (const [from, until] of scene.questions) {
    const asked = `list ${from} to ${until} of ${told(scene)}`;
    const expected = times.filter(at => at >= from && at <= until);
    assert.deepEqual(timesBetween(when, from, until, EVERYTHING), expected, asked);
    assert.deepEqual(timesBetween(when, from, until, 3), expected.slice(0, 3), asked);
  }
}

function checkNext(scene: Scene, when: When, times: number[]): void {
  const over = isOver(scene);
  for (const after of scene.questions.flat()) {
    const asked = `next after ${after} of ${told(scene)}`;
    const expected = times.find(at => at > after);
    const next = nextTime(when, after);
    if (expected !== undefined || over) assert.equal(next, expected ?? null, asked);
    else assert.ok(next === null || next >= scene.to, `${next} is the ${asked}`);
  }
}

function checkLast(scene: Scene, when: When, times: number[]): void {
  for (const [notBefore, until] of scene.questions) {
    const expected = times.findLast(at => at >= notBefore && at <= until) ?? null;
    const asked = `last ${notBefore} to ${until} of ${told(scene)}`;
    assert.equal(lastTime(when, notBefore, until), expected, asked);
  }
}

function checkCounts(scene: Scene, when: When, times: number[]): void {
  const count = countTimes(when, scene.from, scene.to - 1);
  assert.equal(count, times.length, `count of ${told(scene)}`);
  for (const [from, until] of scene.questions) {
    const expected = times.filter(at => at >= from && at <= until).length;
    const asked = `count ${from} to ${until} of ${told(scene)}`;
    assert.equal(countTimes(when, from, until), expected, asked);
  }
}

test('a stored schedule has no times from before its create, wherever they are brought', () => {
  fc.assert(
    fc.property(scenes, scene => {
      const { createdAt, maxRuns, countFrom = createdAt } = scene.world;
      const counted = maxRuns === undefined ? {} : { countFrom: Math.max(countFrom, createdAt) };
      const world = { ...scene.world, ...counted, isStored: true };
      const when = whenOf(world);
      const from = Math.max(scene.from, createdAt + 1);
      const times = enumerate(world, from, scene.to);
      const asked = told({ ...scene, world });
      assert.deepEqual(timesBetween(when, from, scene.to - 1, EVERYTHING), times, asked);
      assert.equal(countTimes(when, from, scene.to - 1), times.length, asked);
      if (times.length > 0) assert.equal(nextTime(when, from - 1), times[0], asked);
    }),
    { numRuns: WORLDS, ...SEED },
  );
});

test('the window spreads 100,000 ids evenly', () => {
  const [ids, buckets, windowSeconds] = [100_000, 60, 3_600];
  const counts = new Array<number>(buckets).fill(0);
  for (let id = 0; id < ids; id += 1) {
    const offsetMs = offsetMsOf(`schedule-${id}`, windowSeconds);
    assert.ok(Number.isInteger(offsetMs / 1_000));
    counts[Math.floor((offsetMs / (windowSeconds * 1_000)) * buckets)]! += 1;
  }
  const expected = ids / buckets;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // With 59 degrees of freedom an even spread stays between these in 998 of 1,000 cases.
  assert.ok(chiSquare > 30.4 && chiSquare < 98.4, `${chiSquare}`);
});
