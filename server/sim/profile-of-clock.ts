import type { Random } from './random.ts';

/** What happens to the clock of a world, to its machine, and to its installation. */

export type ClockAction = { at: number } & (
  | {
      /** Of the wall clock, from then on. */
      kind: 'step';
      aheadMs: number;
    }
  | { kind: 'suspend'; forMs: number }
  /** Nothing fires, until it is resumed. */
  | { kind: 'pause'; forMs: number }
);

const YEAR_MS = 365 * 86_400_000;

/** Now and then somebody sets it right. */
export function stepAt(at: number, random: Random): ClockAction {
  if (random.chance(0.4)) return { kind: 'step', at, aheadMs: 0 };
  const sizeMs = random.chance(0.01)
    ? random.pick([1, 4]) * YEAR_MS
    : Math.round(1_000 * 3_600 ** random.next());
  return { kind: 'step', at, aheadMs: random.chance(0.5) ? sizeMs : -sizeMs };
}

export function suspendAt(at: number, random: Random): ClockAction {
  const forMs = random.chance(0.8) ? random.whole(6_000, 20_000) : random.whole(20_000, 180_000);
  return { kind: 'suspend', at, forMs };
}

export function pauseAt(at: number, random: Random): ClockAction {
  return { kind: 'pause', at, forMs: Math.round(1_000 * 60 ** random.next()) };
}
