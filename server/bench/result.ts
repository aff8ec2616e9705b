import type { Counted, Ledger } from './arrivals.ts';
import type { Machine } from './machine.ts';

/**
 * The measurements of a scene: printed as a table, kept as JSON, and put into docs/performance.md.
 */
export interface Result {
  scene: string;
  /** ISO 8601. */
  date: string;
  commit: string;
  machine: Machine;
  versions: Record<string, string>;
  target: string;
  settings: Record<string, unknown>;
  /** Every run of the bare client, in their order. */
  bare: Rate[];
  /** Every round, as the scene measures it. */
  rounds: unknown[];
  figures: Figure[];
  lateness: Curve[];
  /** Why these figures should not be believed. */
  warnings: string[];
}

export interface Rate {
  perSecond: number;
  /** Processor time of one request or firing, of all threads of its process. */
  cpuMicros: number;
}

/** One line of the table. */
export interface Figure {
  what: string;
  measured: string;
  /** The target of the figure, or null if it has none. */
  target: string | null;
  pass: boolean | null;
}

/** A distribution: [share of all, lateness in ms that it did not exceed]. */
export interface Curve {
  name: string;
  count: number;
  points: [number, number][];
}

export function tells(what: string, measured: string): Figure {
  return { what, measured, target: null, pass: null };
}

export function must(what: string, measured: string, target: string, pass: boolean): Figure {
  return { what, measured, target, pass };
}

export function mustAllArrive(what: string, counts: Counted[]): Figure {
  const sum = (pick: (counted: Counted) => number) =>
    counts.reduce((total, counted) => total + pick(counted), 0);
  const expected = sum(({ expected }) => expected);
  const arrived = sum(({ arrived }) => arrived);
  const twice = sum(({ twice }) => twice);
  const early = sum(({ early }) => early);
  const besides = `${twice === 0 ? '' : `, ${whole(twice)} twice`}${early === 0 ? '' : `, ${whole(early)} early`}`;
  const measured = `${whole(arrived)} of ${whole(expected)}${besides}`;
  return must(what, measured, 'all, once', arrived === expected && twice === 0 && early === 0);
}

/** Every percent, and the tail. */
const SHARES = [
  ...Array.from({ length: 100 }, (_, percent) => percent / 100),
  0.995,
  0.999,
  0.9999,
  1,
];

export function curveOf(name: string, ledger: Ledger): Curve {
  const count = ledger.counted.arrived;
  const points = count === 0 ? [] : SHARES.map(share => [share, ledger.latenessMs(share)]);
  return { name, count, points: points as [number, number][] };
}

export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Of nothing, where nothing arrived, it is `none`. */
export function ms(value: number): string {
  if (Number.isNaN(value)) return 'none';
  if (value >= 10_000) return `${(value / 1_000).toFixed(1)} s`;
  return Number.isInteger(value) || value >= 100 ? `${whole(value)} ms` : `${value.toFixed(1)} ms`;
}

/** The result as lines of plain text. */
export function tableOf({ figures, warnings }: Result): string {
  const rows = figures.map(({ what, measured, target, pass }) => [
    what,
    measured,
    target ?? '',
    pass === null ? '' : pass ? 'pass' : 'MISS',
  ]);
  const all = [['', 'measured', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3].map(at => Math.max(...all.map(row => row[at]!.length)));
  const lines = all.map(row => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  '));
  return [...lines, ...warnings.map(warning => `WARNING: ${warning}`)].join('\n');
}
