import { runsOf } from './api.ts';
import type { Arrivals, Counted, Ledger } from './arrivals.ts';
import { pause, until } from './processes.ts';
import { type Punctual, sumOf } from './punctual.ts';
import {
  type Figure,
  mean,
  median,
  ms,
  must,
  mustAllArrive,
  type Rate,
  tells,
  whole,
} from './result.ts';
import type { Session } from './session.ts';

/** One burst: all schedules of a group due at one instant. */
export interface Round extends Rate {
  /** Its rate in parts of the bare client's, of right before and right after it. */
  ratio: number;
  latenessMs: { first: number; p50: number; p99: number; last: number };
  counted: Counted;
  memoryMb: number;
}

/** When a burst comes: in each cycle once. */
export interface Cadence {
  /** Of all its schedules. */
  interval: string;
  everyMs: number;
  /** From the start of a minute. */
  offsetMs: number;
}

export const EVERY_TEN_SECONDS: Cadence = {
  interval: '*/10 * * * * *',
  everyMs: 10_000,
  offsetMs: 0,
};

/** @param second 0 to 29 */
export function twiceAMinute(second: number): Cadence {
  const interval = `${second},${second + 30} * * * * *`;
  return { interval, everyMs: 30_000, offsetMs: second * 1_000 };
}

/** Claims are made up to a second ahead: what they take is counted too. */
const AHEAD_MS = 1_500;
const PATIENCE_MS = 60_000;
/** Rounds before those that count: after a store was filled, the disk is still busy with it in the first. */
const WARM_UPS = 2;

export interface Burst {
  session: Session;
  arrivals: Arrivals;
  nodes: Punctual[];
  schedules: number;
  group: string;
  cadence: Cadence;
  /** The name, if there are several. */
  name?: string;
}

interface Measured {
  rounds: Round[];
  last: Ledger;
}

/** Rounds between runs of the bare client, after those that warm up. */
export async function measureRounds(burst: Burst): Promise<Measured> {
  const [measured] = await measureInTurn([burst]);
  return measured!;
}

/** The rounds of several in turn: a machine that is now fast and now slow is so for each of them. */
export async function measureInTurn(bursts: Burst[]): Promise<Measured[]> {
  const { session } = bursts[0]!;
  const measured: Measured[] = [];
  for (let number = 1; number <= WARM_UPS; number += 1) {
    for (const [at, burst] of bursts.entries()) {
      const { round, ledger } = await measureRound(burst);
      session.say(`${nameOf(burst)}warm-up: ${describe(round)}`);
      measured[at] = { rounds: [], last: ledger };
    }
  }
  await session.startProfile(bursts.flatMap(({ nodes }) => nodes));
  let before = await session.runBare();
  for (let number = 1; number <= session.options.rounds; number += 1) {
    for (const [at, burst] of bursts.entries()) {
      const { round, ledger } = await measureRound(burst);
      const after = await session.runBare();
      const ratio = round.perSecond / ((before.perSecond + after.perSecond) / 2);
      measured[at]!.rounds.push({ ...round, ratio });
      measured[at]!.last = ledger;
      const found = `ratio ${ratio.toFixed(2)}; ${describe(round)}`;
      session.say(`${nameOf(burst)}round ${number}: ${found}`);
      before = after;
    }
  }
  return measured;
}

function nameOf({ name }: Burst): string {
  return name === undefined ? '' : `${name}, `;
}

async function measureRound({
  session,
  arrivals,
  nodes,
  schedules,
  group,
  cadence,
}: Burst): Promise<{ round: Omit<Round, 'ratio'>; ledger: Ledger }> {
  const { everyMs, offsetMs } = cadence;
  const instant = Math.ceil((Date.now() + AHEAD_MS - offsetMs) / everyMs) * everyMs + offsetMs;
  const window = { schedules, from: instant, periodMs: everyMs, periods: 1 };
  const ledger = await arrivals.expect(group, window);
  await until(instant - AHEAD_MS);
  const cpuBefore = await sumOf(nodes, 'process_cpu_seconds_total');
  await until(instant);
  while (!ledger.isComplete && Date.now() < instant + PATIENCE_MS) {
    await pause(250);
    if (await arrivals.isStill()) await arrivals.read();
    session.progress(`${whole(ledger.counted.arrived)} of ${whole(schedules)} arrived`);
  }
  const cpuSeconds = (await sumOf(nodes, 'process_cpu_seconds_total')) - cpuBefore;
  // Reading history would take half of a profile.
  const { count, lastAt } = session.options.profile
    ? { count: ledger.counted.arrived, lastAt: ledger.lastAt }
    : await finished(nodes[0]!, instant, schedules);
  const at = (share: number) => ledger.latenessMs(share);
  const memory = await Promise.all(nodes.map(node => node.memoryMb()));
  const round = {
    perSecond: count / ((lastAt - instant) / 1_000),
    cpuMicros: (cpuSeconds * 1e6) / schedules,
    latenessMs: { first: at(0), p50: at(0.5), p99: at(0.99), last: at(1) },
    counted: ledger.counted,
    memoryMb: memory.reduce((sum, mb) => sum + mb, 0),
  };
  return { round, ledger };
}

/** How many stand in history as succeeded, and when the last of them had its answer. */
async function finished(
  node: Punctual,
  instant: number,
  schedules: number,
): Promise<{ count: number; lastAt: number }> {
  for (let tries = 0; ; tries += 1) {
    const runs = await runsOf(node.url, instant);
    if (runs.length === schedules || tries === 10) {
      const lastAt = runs.reduce((last, run) => Math.max(last, run.finishedAt), instant);
      return { count: runs.length, lastAt };
    }
    await pause(250);
  }
}

export function figuresOf(rounds: Round[]): Record<string, number> {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  return {
    ratio: of(({ ratio }) => ratio),
    perSecond: of(({ perSecond }) => perSecond),
    cpuMicros: of(({ cpuMicros }) => cpuMicros),
    first: of(({ latenessMs }) => latenessMs.first),
    p50: of(({ latenessMs }) => latenessMs.p50),
    p99: of(({ latenessMs }) => latenessMs.p99),
    memoryMb: Math.max(...rounds.map(({ memoryMb }) => memoryMb)),
  };
}

/**
 * The rates of several variants that took turns, each as a share of the rate of all in the same
 * turn. So the speed of the machine in that half minute cancels out.
 *
 * @param measured as many rounds of each
 * @returns of each the mean of its rounds
 */
export function comparedInTurn(measured: { rounds: Pick<Round, 'perSecond'>[] }[]): number[] {
  const rates = measured.map(({ rounds }) => rounds.map(({ perSecond }) => perSecond));
  const ofTurn = rates[0]!.map((_, turn) => mean(rates.map(own => own[turn]!)));
  return rates.map(own => mean(own.map((perSecond, turn) => perSecond / ofTurn[turn]!)));
}

/** The figures of every burst. */
export function burstFigures(rounds: Round[]): Figure[] {
  const { cpuMicros, first, p50, p99, memoryMb } = figuresOf(rounds);
  return [
    must('first arrival', ms(first!), '10 ms', first! <= 10),
    mustAllArrive(
      'arrived',
      rounds.map(({ counted }) => counted),
    ),
    tells('lateness p50, p99', `${ms(p50!)}, ${ms(p99!)}`),
    tells('processor time a firing', `${cpuMicros!.toFixed(0)} µs`),
    tells('memory, at most', `${whole(memoryMb!)} MB`),
  ];
}

export function describe({ perSecond, cpuMicros, latenessMs }: Omit<Round, 'ratio'>): string {
  const { first, p50, p99 } = latenessMs;
  return `${whole(perSecond)} firings/s, ${cpuMicros.toFixed(0)} µs each; first ${ms(first)}, median ${ms(p50)}, p99 ${ms(p99)} late`;
}
