import type { Simulation } from '@punctual/client';

/** The load before and after schedules get a window, from the service's simulation of it. */

export interface SpreadMove {
  id: string;
  /** The next time of the schedule, epoch ms. */
  before: number;
  after: number;
}

export interface SpreadEffect {
  /** Those that would get the window. */
  moves: SpreadMove[];
  /** Ids that the service would refuse, by its sentence. */
  refused: Map<string, string[]>;
  /** Ids without a next time, such as those that were paused meanwhile. */
  idle: string[];
  peakBefore: Peak;
  peakAfter: Peak;
  /** Firings in equal spans, both from the same instant on. */
  bars: { from: number; spanMs: number; before: number[]; after: number[] };
}

/** The second with the most of these firings, the first of several. */
export interface Peak {
  /** Epoch ms. */
  at: number;
  count: number;
}

const BARS = 30;

export function spreadEffectOf(
  { changes }: Pick<Simulation, 'changes'>,
  ids: readonly string[],
): SpreadEffect {
  const refused = new Map<string, string[]>();
  const moves: SpreadMove[] = [];
  const idle: string[] = [];
  changes.forEach(({ problems: [problem], nextBefore, nextAfter }, index) => {
    const id = ids[index]!;
    if (problem !== undefined) {
      refused.set(problem.sentence, [...(refused.get(problem.sentence) ?? []), id]);
    } else if (nextBefore !== undefined && nextAfter !== undefined) {
      moves.push({ id, before: Date.parse(nextBefore), after: Date.parse(nextAfter) });
    } else {
      idle.push(id);
    }
  });
  const [before, after] = [moves.map(move => move.before), moves.map(move => move.after)];
  return {
    moves,
    refused,
    idle,
    peakBefore: peakOf(before),
    peakAfter: peakOf(after),
    bars: barsOf(before, after),
  };
}

function peakOf(times: number[]): Peak {
  const bySecond = Map.groupBy(times, at => Math.floor(at / 1_000) * 1_000);
  let peak = { at: 0, count: 0 };
  for (const [at, those] of bySecond) {
    const { length: count } = those;
    if (count > peak.count || (count === peak.count && at < peak.at)) peak = { at, count };
  }
  return peak;
}

function barsOf(before: number[], after: number[]): SpreadEffect['bars'] {
  const all = [...before, ...after];
  const from = all.reduce((least, at) => Math.min(least, at), all[0] ?? 0);
  const to = all.reduce((most, at) => Math.max(most, at), from);
  const spanMs = Math.max(1_000, Math.ceil((to - from + 1) / BARS));
  const counted = (times: number[]) => {
    const bars = new Array<number>(BARS).fill(0);
    for (const at of times) bars[Math.floor((at - from) / spanMs)]! += 1;
    return bars;
  };
  return { from, spanMs, before: counted(before), after: counted(after) };
}
