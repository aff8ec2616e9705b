import type { Forecast, Run } from '@punctual/client';

/** Places of firings on the wall, and the figures of their lateness: pure functions. */

export interface Landing {
  /** The id of its run. */
  id: string;
  /** Epoch ms, by the service's clock. */
  startedAt: number;
  endedAt: number;
  lateMs: number;
  hasFailed: boolean;
}

const MINUTE_MS = 60_000;
/** From here on a firing has the mark of a late one. */
export const LATE_MS = 1_000;
/** The rim of the face: later firings land on it. */
export const MOST_LATE_MS = 60_000;
const DECADES = Math.log10(MOST_LATE_MS);
const BINS_A_DECADE = 4;
/** Bins of lateness, four to a factor of ten. The last one has everything from the rim on. */
export const BIN_COUNT = Math.ceil(DECADES * BINS_A_DECADE) + 1;

/** @returns null if no request was made at its time: manual runs, and times that passed */
export function landingOf(run: Run): Landing | null {
  const { id, trigger, status, scheduledFor, startedAt: started, finishedAt } = run;
  if (trigger !== 'schedule' || started === undefined) return null;
  if (status !== 'succeeded' && status !== 'failed') return null;
  const startedAt = Date.parse(started);
  const lateMs = Math.max(0, startedAt - Date.parse(scheduledFor));
  const endedAt = finishedAt === undefined ? startedAt : Date.parse(finishedAt);
  return { id, startedAt, endedAt, lateMs, hasFailed: status === 'failed' };
}

/** The angle of an instant within its minute, in radians: second 0 is at the top, clockwise. */
export function angleOf(at: number): number {
  return ((at % MINUTE_MS) / MINUTE_MS) * 2 * Math.PI - Math.PI / 2;
}

/** How far out a lateness lies, from 0 (1 ms or less) to 1 (a minute or more), on a log axis. */
export function radiusOf(lateMs: number): number {
  return Math.min(1, Math.log10(Math.max(1, lateMs)) / DECADES);
}

export function binOf(lateMs: number): number {
  if (lateMs >= MOST_LATE_MS) return BIN_COUNT - 1;
  return Math.floor(Math.log10(Math.max(1, lateMs)) * BINS_A_DECADE + 1e-9);
}

/** The lateness at which a bin begins, in ms. */
export function startOfBin(bin: number): number {
  return bin >= BIN_COUNT - 1 ? MOST_LATE_MS : 10 ** (bin / BINS_A_DECADE);
}

export interface WallFigures {
  fired: number;
  failed: number;
  /** Lateness in ms: half, 95 % and 99 % of firings were at most so late. Null if nothing fired. */
  late: { p50: number; p95: number; p99: number } | null;
  /** How many firings lie in each bin of lateness. */
  bins: number[];
}

export function figuresOf(landings: readonly Landing[]): WallFigures {
  const bins = new Array<number>(BIN_COUNT).fill(0);
  const sorted = new Float64Array(landings.length);
  let failed = 0;
  for (const [index, { lateMs, hasFailed }] of landings.entries()) {
    bins[binOf(lateMs)]! += 1;
    sorted[index] = lateMs;
    if (hasFailed) failed += 1;
  }
  sorted.sort();
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  const late = sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  return { fired: landings.length, failed, late, bins };
}

/** Firings of the next whole minute; null if the forecast does not reach it. */
export function dueInNextMinute(
  { from, stepSeconds, counts }: Pick<Forecast, 'from' | 'stepSeconds' | 'counts'>,
  now: number,
): number | null {
  const minute = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  return counts[(minute - Date.parse(from)) / (stepSeconds * 1_000)] ?? null;
}
