import type { Arrivals, Ledger } from './arrivals.ts';
import { pause } from './processes.ts';
import type { Database, Punctual } from './punctual.ts';
import { ms, whole } from './result.ts';
import type { Session } from './session.ts';

/** A window of some length in which schedules fire all the time. */
export interface Window {
  session: Session;
  arrivals: Arrivals;
  nodes: Punctual[];
  database: Database;
  ledger: Ledger;
  from: number;
  seconds: number;
}

/** Each second of it. */
export interface Sample {
  /** Epoch ms. */
  at: number;
  arrived: number;
  memoryMb: number;
  /** Of the embedded store, with its log; null for others. */
  storeBytes: number | null;
}

/** How long what is late may take after the end of the window. */
const PATIENCE_MS = 90_000;

/** The coming instant at which windows of this period may begin, epoch ms. */
export function nextStart(periodMs: number, notBeforeMs = 3_000): number {
  return Math.ceil((Date.now() + notBeforeMs) / periodMs) * periodMs;
}

/** Watches until the window is over and everything that was due in it has arrived, or is given up. */
export async function watchWindow(window: Window): Promise<Sample[]> {
  const { session, arrivals, ledger, from, seconds } = window;
  const samples: Sample[] = [];
  const endsAt = from + seconds * 1_000;
  for (let now = Date.now(); now < endsAt + PATIENCE_MS; now = Date.now()) {
    if (now >= endsAt && ledger.isComplete) break;
    await pause(1_000 - (now % 1_000) + 500);
    await arrivals.read();
    const sample = await sampleOf(window);
    if (sample.at >= from) samples.push(sample);
    session.progress(progressOf(sample, window));
  }
  session.progress('');
  return samples;
}

async function sampleOf({ nodes, database, ledger }: Window): Promise<Sample> {
  const memory = await Promise.all(nodes.map(node => node.memoryMb()));
  return {
    at: Date.now(),
    arrived: ledger.counted.arrived,
    memoryMb: Math.round(memory.reduce((sum, mb) => sum + mb, 0)),
    storeBytes: database.bytes(),
  };
}

function progressOf(sample: Sample, { ledger, from, seconds }: Window): string {
  const second = Math.max(0, Math.floor((sample.at - from) / 1_000));
  const { arrived, expected } = ledger.counted;
  const late = arrived === 0 ? '' : `, p99 ${ms(ledger.latenessMs(0.99))} late`;
  const disk =
    sample.storeBytes === null ? '' : `, ${whole(sample.storeBytes / 2 ** 20)} MB on disk`;
  return `${second} of ${seconds} s: ${whole(arrived)} of ${whole(expected)} arrived${late}, ${whole(sample.memoryMb)} MB${disk}`;
}

/** One sample a minute is enough to keep. */
export function sampledByMinute(samples: Sample[]): Sample[] {
  return samples.filter((_, index) => index % 60 === 0 || index === samples.length - 1);
}
