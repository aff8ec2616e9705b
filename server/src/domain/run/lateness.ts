/**
 * Lateness, as figures keep it: counts by steps, so that a million firings are a few dozen numbers.
 * A step is exact below 100 ms and within a tenth above.
 */
export interface LatenessCount {
  /** The lower end of the step, ms. */
  stepMs: number;
  count: number;
}

/** From which lateness on steps are how wide, ms: the widest first. */
export const STEPS: readonly { from: number; width: number }[] = [
  { from: 600_000, width: 60_000 },
  { from: 60_000, width: 6_000 },
  { from: 10_000, width: 1_000 },
  { from: 1_000, width: 100 },
  { from: 100, width: 10 },
];

/** The lateness, ms, that `share` (0 to 1) of the firings kept below or at; null of none. */
export function percentile(counts: readonly LatenessCount[], share: number): number | null {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  for (const { stepMs, count } of [...counts].sort((a, b) => a.stepMs - b.stepMs)) {
    left -= count;
    if (left <= 0) return stepMs;
  }
  return null;
}
