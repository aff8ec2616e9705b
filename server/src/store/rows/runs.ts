import { runId } from '../../domain/id.ts';
import { isAwaiting } from '../../domain/run/completion.ts';
import type { Attempt, RunRecord, RunStatus } from '../../domain/run/run.ts';
import { PUT_OFF_MS } from '../../domain/run/suspension.ts';
import type { PreviousRun } from '../../domain/schedule/template/names.ts';
import type { CallbackRow, Row, RunRow } from '../columns.ts';
import type { NewCallback } from '../contract/queue.ts';
import type { CallbackView, RunFilter, RunView } from '../contract/runs.ts';
import { isAheadOfTime } from './queue.ts';
import { retentionClassOfCallback } from './retention-class.ts';
import { attemptsFrom } from './row.ts';

/** Rows of history, and of what has not ended, as both backends read and write them. */

/** The position of a run in history. A list, newest first, is in reverse order. */
export interface RunPosition {
  scheduledFor: number;
  scheduleRowId: number;
  /** '' for a scheduled run: its id is derived. */
  manualId: string;
}

export interface PositionedRun {
  position: RunPosition;
  view: RunView;
}

export const AFTER_ALL_RUNS: RunPosition = {
  scheduledFor: Number.MAX_SAFE_INTEGER,
  scheduleRowId: Number.MAX_SAFE_INTEGER,
  manualId: '~',
};

export function runRow(clientRowId: number, scheduleRowId: number, run: RunRecord): RunRow {
  return {
    clientRowId,
    scheduleRowId,
    scheduledFor: run.scheduledFor,
    manualId: run.trigger === 'schedule' ? '' : run.id,
    trigger: run.trigger,
    status: run.status,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt ?? run.decidedAt,
    attempts: run.attempts,
    reason: run.reason,
    missed: run.missed,
  };
}

/** @param records the runs that are written with it */
export function callbackRow(
  clientRowId: number,
  scheduleRowId: number,
  callback: NewCallback,
  records: RunRecord[],
): CallbackRow {
  const keep = retentionClassOfCallback(callback, records);
  return { ...callback, clientRowId, scheduleRowId, keep };
}

export function rangeOf({ from, to }: RunFilter): { from: number; to: number } {
  return { from: from ?? Number.MIN_SAFE_INTEGER, to: to ?? Number.MAX_SAFE_INTEGER };
}

/**
 * Both ends of a page, inclusive. The upper ends of the filter and of the previous page become one:
 * with two, the database may read the index from the wrong one, days away.
 */
export function boundsOf(filter: RunFilter, before: RunPosition): { from: number; upTo: number } {
  const { from, to } = rangeOf(filter);
  return { from, upTo: Math.min(to - 1, before.scheduledFor) };
}

export function positionFrom(row: Row): RunPosition {
  return {
    scheduledFor: row.scheduled_for as number,
    scheduleRowId: row.schedule_key as number,
    manualId: (row.manual_id ?? row.id ?? '') as string,
  };
}

export function comparePositions(a: RunPosition, b: RunPosition): number {
  if (a.scheduledFor !== b.scheduledFor) return a.scheduledFor - b.scheduledFor;
  if (a.scheduleRowId !== b.scheduleRowId) return a.scheduleRowId - b.scheduleRowId;
  return a.manualId < b.manualId ? -1 : a.manualId > b.manualId ? 1 : 0;
}

/**
 * Rows of the queue and the outbox as runs. A row claimed ahead shows as begun when its time has
 * come.
 */
export function liveRuns(rows: Row[], status: RunStatus | undefined, now: number): PositionedRun[] {
  return rows
    .map(row => (isAheadOfTime(row, now) ? beforeClaim(row) : row))
    .filter(row => (row.attempt as number) > 0 || row.kind === 'manual')
    .map(row => ({ position: positionFrom(row), view: liveView(row) }))
    .filter(({ view }) => status === undefined || view.status === status);
}

/** Whether a run belongs into a list that its schedule is in already. */
export function isWithin({ position, view }: PositionedRun, filter: RunFilter): boolean {
  const { from, to } = rangeOf(filter);
  return (
    position.scheduledFor >= from &&
    position.scheduledFor < to &&
    hasStatus(filter.status, view.status)
  );
}

/** Beyond every count of runs that have begun. */
const ALL = 1_000_000;

/**
 * Of runs that targets asked for, in a list of `status`: whether they have begun, 0 or 1, null where either may be; and how
 * many at most. Of those that have begun all are needed, because only a look at each tells whether it is in flight.
 */
export function furtherOf(
  status: RunStatus | undefined,
  limit: number,
): { isBegun: 0 | 1 | null; most: number } {
  if (status === undefined) return { isBegun: null, most: limit };
  return status === 'queued' ? { isBegun: 0, most: limit } : { isBegun: 1, most: ALL };
}

/** Whether a list of `status` (undefined: of any) holds runs of one of these. */
export function hasStatus(status: RunStatus | undefined, ...those: RunStatus[]): boolean {
  return status === undefined || those.includes(status);
}

function beforeClaim(row: Row): Row {
  return { ...row, state: 'retrying', attempt: (row.attempt as number) - 1 };
}

/** @param row of the queue, or of the outbox: only that has an id of its own */
function liveView(row: Row): RunView {
  const attempts = attemptsFrom(row.attempts);
  const isManual = row.kind === 'manual';
  const scheduleId = row.schedule_id as string;
  const scheduledFor = row.scheduled_for as number;
  const view: RunView = {
    id: isManual ? (row.id as string) : runId(scheduleId, scheduledFor),
    scheduleId,
    scheduledFor,
    trigger: isManual ? manualTriggerOf(row) : 'schedule',
    status: unendedStatus(row),
    attempts,
  };
  if (attempts.length > 0) view.startedAt = attempts[0]!.startedAt;
  else if (view.status === 'running') view.startedAt = startOf(row);
  if (isAwaited(row, attempts)) view.completionUntil = deadlineOf(row);
  return view;
}

/** How many records of a schedule are looked through for failures in a row. */
export const MOST_LOOKED_AT = 10_000;

/** @param statuses of runs, newest first */
export function failuresBefore(statuses: Iterable<string>): number {
  let count = 0;
  for (const status of statuses) {
    if (status !== 'failed') break;
    count += 1;
  }
  return count;
}

/** How many runs are looked through for the last one that succeeded. */
export const PREVIOUS_RUNS = 100;

/** @param row the last run that ended; `succeeded_for` beside it where that was looked for */
export function previousRunFrom(row: Row): PreviousRun {
  const responseStatus = attemptsFrom(row.attempts).at(-1)?.responseStatus;
  const succeededFor = row.succeeded_for as number | null | undefined;
  return {
    status: row.status as string,
    scheduledFor: row.scheduled_for as number,
    ...(responseStatus !== undefined && { responseStatus }),
    ...(succeededFor != null && { succeededFor }),
  };
}

/** @param row of a manual run in the outbox */
export function manualTriggerOf({ trigger }: Row): 'manual' | 'target' {
  return trigger === null ? 'manual' : 'target';
}

export function callbackView(row: Row): CallbackView {
  const ended = row.state === 'succeeded' || row.state === 'failed';
  return {
    id: row.id as string,
    integrationId: row.integration_id as string,
    url: row.url as string,
    status: ended ? (row.state as 'succeeded' | 'failed') : unendedStatus(row),
    attempts: attemptsFrom(row.attempts),
  };
}

/** When the request in flight could start: what was claimed ahead, at its time. */
function startOf(row: Row): number {
  return Math.max(row.claimed_at as number, row.due_at as number);
}

/** It awaits its completion, or the engine is deciding about that. */
function isAwaited({ state }: Row, attempts: Attempt[]): boolean {
  if (state === 'awaiting') return true;
  const last = attempts.at(-1);
  return state === 'inFlight' && last !== undefined && isAwaiting(last);
}

/** The deadline of its completion. One of a suspended client is put off. */
function deadlineOf(row: Row): number {
  const dueAt = row.due_at as number;
  return dueAt < PUT_OFF_MS ? dueAt : dueAt - PUT_OFF_MS;
}

/** In flight without a begun attempt: the engine is deciding about a retry. */
function unendedStatus(row: Row): 'running' | 'queued' | 'retrying' {
  const attempt = row.attempt as number;
  if (attempt === 0) return 'queued';
  const attempts = attemptsFrom(row.attempts);
  if (isAwaited(row, attempts)) return 'running';
  const isBegun = attempt > attempts.length;
  return row.state === 'inFlight' && isBegun ? 'running' : 'retrying';
}
