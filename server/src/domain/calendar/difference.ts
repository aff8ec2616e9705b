import { countTimes, nextTime, timesBetween } from './times.ts';
import type { When } from './timing.ts';

/** A difference: how the times of a schedule within a range are others after a change. */
export interface Difference {
  countBefore: number;
  countAfter: number;
  /** Null where one of the counts is above `MOST_COMPARED`. */
  changed: {
    addedCount: number;
    removedCount: number;
    /** The first of them, epoch ms. */
    added: number[];
    removed: number[];
  } | null;
}

/** Times of one side that are compared. */
export const MOST_COMPARED = 100_000;
const SHOWN = 20;
/** Between two yields: some 100 µs. */
const TIMES_AT_ONCE = 256;

/**
 * Yields again and again, so that who compares may give way in between.
 *
 * @param before null where nothing fires
 * @param range epoch ms; `to` is exclusive
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function* differenceOf(
  before: When | null,
  after: When | null,
  range: { from: number; to: number },
): Generator<void, Difference> {
  const [countBefore, countAfter] = [countOf(before, range), countOf(after, range)];
  if (countBefore > MOST_COMPARED || countAfter > MOST_COMPARED) {
    return { countBefore, countAfter, changed: null };
  }
  const counts = { addedCount: countAfter, removedCount: countBefore };
  if (before === null || after === null) {
    const [removed, added] = [firstOf(before, range), firstOf(after, range)];
    return { countBefore, countAfter, changed: { ...counts, added, removed } };
  }
  const isSame = timesOf(before) === timesOf(after);
  const changed = isSame ? NOTHING : yield* compared(before, after, range);
  return { countBefore, countAfter, changed };
}

const NOTHING = { addedCount: 0, removedCount: 0, added: [], removed: [] };

/** The same text: the same times. */
function timesOf({ interval, timezone, timing }: When): string {
  return JSON.stringify([interval, timezone, timing]);
}

function firstOf(when: When | null, { from, to }: { from: number; to: number }): number[] {
  return when === null ? [] : timesBetween(when, from, to - 1, SHOWN);
}

function countOf(when: When | null, { from, to }: { from: number; to: number }): number {
  return when === null ? 0 : countTimes(when, from, to - 1);
}

function* compared(
  before: When,
  after: When,
  { from, to }: { from: number; to: number },
): Generator<void, NonNullable<Difference['changed']>> {
  const changed = {
    addedCount: 0,
    removedCount: 0,
    added: [] as number[],
    removed: [] as number[],
  };
  let old = timeAfter(before, from - 1);
  let next = timeAfter(after, from - 1);
  for (let steps = 1; old < to || next < to; steps += 1) {
    if (old < next) {
      changed.removedCount += 1;
      if (changed.removed.length < SHOWN) changed.removed.push(old);
    } else if (next < old) {
      changed.addedCount += 1;
      if (changed.added.length < SHOWN) changed.added.push(next);
    }
    const at = Math.min(old, next);
    if (old === at) old = timeAfter(before, at);
    if (next === at) next = timeAfter(after, at);
    if (steps % TIMES_AT_ONCE === 0) yield;
  }
  return changed;
}

function timeAfter(when: When, at: number): number {
  return nextTime(when, at) ?? Number.POSITIVE_INFINITY;
}
