import type { Random } from './random.ts';

/**
 * What happens in a world, drawn before it begins. Each fault is on or off for the whole seed, so that rare ones are not
 * drowned by the others.
 */

export type Action = { at: number } & (
  | {
      kind: 'kill';
      downMs: number /** Of the start that follows; null: it goes well. */;
      againMs: number | null;
    }
  | { kind: 'stop'; limitMs: number; downMs: number }
  | { kind: 'refuse'; forMs: number }
  | { kind: 'slow'; forMs: number; byMs: number }
  | { kind: 'create'; planned: boolean; index: number }
  | { kind: 'trigger'; which: number }
);

export interface Profile {
  /** Until the world heals. */
  lengthMs: number;
  /** Cron intervals, as the crash test has them. */
  mixed: number;
  /** One-offs, rates, and schedules with bounds, windows and pauses. */
  planned: number;
  faults: string[];
  /** In their order. */
  actions: Action[];
}

/** Ms between two of a kind, on average. */
const KILL_MS = 12_000;
const STOP_MS = 15_000;
const TROUBLE_MS = 15_000;

export function profileOf(random: Random): Profile {
  const lengthMs = random.between(20_000, 60_000);
  const faults: string[] = [];
  const actions: Action[] = [];
  const on = (name: string, probability: number, meanMs: number, make: (at: number) => Action) => {
    if (!random.chance(probability)) return;
    faults.push(name);
    for (let at = random.exponential(meanMs); at < lengthMs; at += random.exponential(meanMs))
      actions.push(make(at));
  };
  on('kill', 0.6, KILL_MS, at => ({
    kind: 'kill',
    at,
    downMs: downMsOf(random),
    againMs: random.chance(0.15) ? random.between(0, 400) : null,
  }));
  on('stop', 0.3, STOP_MS, at => ({
    kind: 'stop',
    at,
    limitMs: random.pick([0, 100, 1_000, 10_000]),
    downMs: downMsOf(random),
  }));
  on('refuse', 0.4, TROUBLE_MS, at => ({ kind: 'refuse', at, forMs: random.between(50, 8_000) }));
  on('slow', 0.4, TROUBLE_MS, at => ({
    kind: 'slow',
    at,
    forMs: random.between(50, 4_000),
    byMs: random.between(20, 1_500),
  }));
  on('callers', 0.7, random.between(1_000, 8_000), at => {
    // Often at a nominal time, or a millisecond beside it.
    const beside = random.chance(0.5) ? Math.round(at / 1_000) * 1_000 + random.whole(-2, 2) : at;
    const aimed = Math.max(0, beside);
    return random.chance(0.5)
      ? { kind: 'trigger', at: aimed, which: random.next() }
      : { kind: 'create', at: aimed, planned: random.chance(0.5), index: random.whole(0, 79) };
  });
  return {
    lengthMs,
    mixed: random.whole(2, 14),
    planned: random.chance(0.6) ? random.whole(1, 8) : 0,
    faults,
    actions: actions.toSorted((a, b) => a.at - b.at),
  };
}

function downMsOf(random: Random): number {
  return random.chance(0.85) ? random.between(0, 1_500) : random.between(1_500, 20_000);
}
