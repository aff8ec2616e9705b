import { isRate } from './interval-form.ts';
import { parseRate } from './rate.ts';
import { intervalLine, nextTime } from './times.ts';
import type { When } from './timing.ts';
import { offsetMsOf } from './window.ts';

/**
 * A herd: more than 100 firings at one second to one host, from 10 or more schedules of one interval without a window. A
 * window spreads them.
 */

const MOST_AT_ONCE = 100;
/** The windows that are advised, in seconds. */
const WINDOWS = [60, 300, 900, 1_800];
/** A window is no longer than this part of the interval's shortest gap, and leaves no more than that part of the firings. */
const PART_OF_GAP = 10;
const PART_LEFT = 5;
/** Times whose gaps are looked at. */
const TIMES = 100;

export interface HerdWindow {
  windowSeconds: number;
  /** Firings at the busiest second when all of the herd have the window. */
  peakAfter: number;
}

/** Each schedule fires once in a second at most: there are more than 10, too. */
export function isHerd(schedules: number): boolean {
  return schedules > MOST_AT_ONCE;
}

/**
 * The windows that an interval leaves room for, in seconds, the least first. A window that is longer than a tenth of the
 * shortest gap between its next 100 times would bring neighbours too close.
 *
 * @param from epoch ms
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function windowsFor(when: When, from: number): number[] {
  const gapMs = shortestGapMs(when, from);
  return WINDOWS.filter(seconds => seconds * 1_000 * PART_OF_GAP <= gapMs);
}

function shortestGapMs(when: When, from: number): number {
  if (isRate(when.interval)) return parseRate(when.interval);
  const line = intervalLine(when);
  let gapMs = Number.POSITIVE_INFINITY;
  let last = line.first(from);
  for (let count = 1; count < TIMES && last !== null; count += 1) {
    const next = line.first(last + 1);
    if (next !== null) gapMs = Math.min(gapMs, next - last);
    last = next;
  }
  return gapMs;
}

/**
 * Adds the firings of a group of schedules to each of their seconds from `from` to before `to`.
 *
 * @param count of the schedules
 */
export function addFirings(
  seconds: Map<number, number>,
  when: When,
  count: number,
  { from, to }: { from: number; to: number },
): void {
  let at = nextTime(when, from - 1);
  while (at !== null && at < to) {
    seconds.set(at, (seconds.get(at) ?? 0) + count);
    at = nextTime(when, at);
  }
}

/** The second with the most firings, of several the first; null where there is none. */
export function busiestSecond(
  seconds: ReadonlyMap<number, number>,
): { at: number; firings: number } | null {
  let best: { at: number; firings: number } | null = null;
  for (const [at, firings] of seconds) {
    const isBetter =
      best === null || firings > best.firings || (firings === best.firings && at < best.at);
    if (isBetter) best = { at, firings };
  }
  return best;
}

/**
 * The least window that leaves a fifth of the firings at most, or null where none does.
 *
 * @param hashed the external ids, else ids, of all schedules of the herd: their offsets are known then. Null where not all are
 * at hand: they are taken to spread evenly
 */
export function windowOf(
  firings: number,
  windows: readonly number[],
  hashed: readonly string[] | null,
): HerdWindow | null {
  for (const windowSeconds of windows) {
    const peakAfter =
      hashed === null ? Math.ceil(firings / windowSeconds) : peakOf(hashed, windowSeconds);
    if (peakAfter * PART_LEFT <= firings) return { windowSeconds, peakAfter };
  }
  return null;
}

function peakOf(hashed: readonly string[], windowSeconds: number): number {
  const seconds = new Map<number, number>();
  for (const text of hashed) {
    const offsetMs = offsetMsOf(text, windowSeconds);
    seconds.set(offsetMs, (seconds.get(offsetMs) ?? 0) + 1);
  }
  return busiestSecond(seconds)?.firings ?? 0;
}
