import type { RunRecord } from '../../domain/run/run.ts';
import type { NewCallback } from '../contract/queue.ts';
import type { HistoryLimits } from '../contract/runs.ts';

/**
 * How long history keeps a run: `long` if it failed, `short` otherwise. Its callbacks are kept as
 * long as it is.
 */
export type RetentionClass = 'short' | 'long';

export const RETENTION_CLASSES: RetentionClass[] = ['short', 'long'];

export function retentionClassOf(status: string): RetentionClass {
  return status === 'failed' ? 'long' : 'short';
}

/** @param records the runs that are written with it; one of an unknown run is kept as the longest */
export function retentionClassOfCallback(
  { runId }: NewCallback,
  records: RunRecord[],
): RetentionClass {
  const run = records.find(({ id }) => id === runId);
  return run === undefined ? 'long' : retentionClassOf(run.status);
}

/** The end of history for runs of this kind: the start of a UTC day, and never before 1970. */
export function limitOf(
  keep: RetentionClass,
  { succeededBefore, failedBefore }: HistoryLimits,
): number {
  return Math.max(0, dayOf(keep === 'short' ? succeededBefore : failedBefore));
}

const DAY_MS = 86_400_000;

/** The start of the UTC day that holds `instant`. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}

/** @param days how many later; earlier ones are negative */
export function dayAfter(day: number, days: number): number {
  return day + days * DAY_MS;
}
