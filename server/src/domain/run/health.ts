import type { QueueRow } from './queue-row.ts';
import type { RunRecord } from './run.ts';

/**
 * The health of a schedule, judged by its latest records. Lists sort by it, so that the worst, the slowest or the next
 * to fire come first.
 */

/** Records of a schedule that are judged: the latest. */
export const MOST_JUDGED = 30;

/** One of the latest records of a schedule. Instants are epoch ms. */
export type JudgedOutcome = Pick<
  RunRecord,
  'status' | 'scheduledFor' | 'trigger' | 'startedAt' | 'finishedAt'
>;

export interface Health {
  /** The latest records that failed or were missed, before one that succeeded; skipped ones count neither way. */
  badInARow: number;
  /** Of all that are judged, without skipped ones: 0 to 1. */
  badShare: number;
  /** The nominal time of the latest that failed or was missed. */
  lastBadFor: number | null;
  /** From the first request to the end: 95 of 100 runs took no longer. Null where none was sent. */
  p95DurationMs: number | null;
  /** From the nominal time to the first request, of scheduled runs. */
  p95LateMs: number | null;
}

/** @param recent newest first */
export function healthOf(recent: readonly JudgedOutcome[]): Health {
  const judged = recent.filter(({ status }) => status !== 'skipped');
  const bad = judged.filter(isBad);
  const end = judged.findIndex(outcome => !isBad(outcome));
  return {
    badInARow: end === -1 ? judged.length : end,
    badShare: judged.length === 0 ? 0 : bad.length / judged.length,
    lastBadFor: bad[0]?.scheduledFor ?? null,
    p95DurationMs: p95(recent.flatMap(durationOf)),
    p95LateMs: p95(recent.flatMap(latenessOf)),
  };
}

function isBad({ status }: JudgedOutcome): boolean {
  return status === 'failed' || status === 'missed';
}

/** Empty where it was not sent. */
function durationOf({ startedAt, finishedAt }: JudgedOutcome): number[] {
  return startedAt === undefined || finishedAt === undefined ? [] : [finishedAt - startedAt];
}

/** Empty where it was not sent, and where nobody planned it. */
function latenessOf({ trigger, startedAt, scheduledFor }: JudgedOutcome): number[] {
  if (trigger !== 'schedule' || startedAt === undefined) return [];
  return [Math.max(0, startedAt - scheduledFor)];
}

/** The smallest of the numbers that 95 of 100 do not exceed. */
function p95(numbers: number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? null;
}

/**
 * When a schedule fires next, epoch ms: a retry counts, and while a run goes on, the time after it.
 *
 * @param row null where nothing is to come, and so is the answer
 */
export function nextAtOf(row: Pick<QueueRow, 'state' | 'dueAt' | 'nextFor'> | null): number | null {
  if (row === null) return null;
  const isGoingOn = row.state === 'inFlight' || row.state === 'awaiting';
  return isGoingOn ? row.nextFor : row.dueAt;
}

/** A schedule in a list that is sorted by its health. */
export interface Ranked {
  id: string;
  health: Health;
  /** Epoch ms; null where nothing is to come. */
  nextAt: number | null;
}

/** Orders of a list. If two are equal in one, the newer schedule comes first. */
export const ORDERS: Record<'worst' | 'slowest' | 'next', (a: Ranked, b: Ranked) => number> = {
  worst: (a, b) =>
    b.health.badInARow - a.health.badInARow ||
    b.health.badShare - a.health.badShare ||
    (b.health.lastBadFor ?? 0) - (a.health.lastBadFor ?? 0) ||
    newestFirst(a, b),
  slowest: (a, b) =>
    (b.health.p95DurationMs ?? -1) - (a.health.p95DurationMs ?? -1) || newestFirst(a, b),
  next: (a, b) => compareNext(a.nextAt, b.nextAt) || newestFirst(a, b),
};

function compareNext(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}

function newestFirst(a: Ranked, b: Ranked): number {
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}
