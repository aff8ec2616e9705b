import { changesOf, offsetAt } from './zone-lists.ts';

/** The wall clock of a zone, for oracles: stretches of one offset, in a plain list. Wall times are laid out in UTC. */

interface Stretch {
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  until: number;
  offsetMs: number;
}

const stretchesByZone = new Map<string, Stretch[]>();

/** Gives the wall time at an instant. Calls with instants in their order are quick. */
export function wallReader(timezone: string): (at: number) => number {
  const stretches = stretchesOf(timezone);
  let current = stretches[0]!;
  return at => {
    if (at < current.from || at >= current.until)
      current = stretches.find(({ from, until }) => at >= from && at < until)!;
    return at + current.offsetMs;
  };
}

/**
 * The instant at which the wall clock shows `wallAt`: the first pass of an overlap. A wall time in a gap gives the first
 * instant after the gap; undefined where the gap is longer than `longestGapMs`.
 */
export function instantOf(
  timezone: string,
  wallAt: number,
  longestGapMs: number,
): number | undefined {
  const stretches = stretchesOf(timezone);
  for (const { from, until, offsetMs } of stretches) {
    const at = wallAt - offsetMs;
    if (at >= from && at < until) return at;
  }
  const after = stretches.findIndex(({ from, offsetMs }) => from + offsetMs > wallAt);
  const gapMs = stretches[after]!.offsetMs - stretches[after - 1]!.offsetMs;
  return gapMs > longestGapMs ? undefined : stretches[after]!.from;
}

function stretchesOf(timezone: string): Stretch[] {
  const known = stretchesByZone.get(timezone);
  if (known !== undefined) return known;
  const changes = changesOf(timezone);
  const stretches = [-Infinity, ...changes].map((from, index) => {
    const until = changes[index] ?? Infinity;
    return { from, until, offsetMs: offsetAt(timezone, Math.max(from, -1e14)) };
  });
  stretchesByZone.set(timezone, stretches);
  return stretches;
}
