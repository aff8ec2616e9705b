import { PunctualError } from '../../domain/errors.ts';
import type { RunRecord } from '../../domain/run/run.ts';
import { RETURN_MS, type Readmitted, readmitted } from '../../domain/run/suspension.ts';
import type { ServiceChange } from '../../domain/schedule/service-change.ts';
import { QUEUE, type Row } from '../columns.ts';
import type { ReadmittedRows } from '../contract/suspensions.ts';
import { whenFrom } from './row.ts';

/** Rows of suspended clients, as both backends read and write them. */

/** @param row of the queue, with its schedule's id, status and times, and since when its client is suspended */
export function readmittedFrom(row: Row, now: number): Readmitted {
  const schedule = {
    id: row.schedule_id as string,
    status: row.status as 'enabled' | 'disabled' | 'deleted',
    ...whenFrom(row),
  };
  const queued = QUEUE.fromRow(row);
  try {
    const changedAt = row.changed_at as number | null;
    return readmitted({ ...queued, changedAt }, schedule, row.suspended_at as number, now);
  } catch (error) {
    // A time zone that is known no more: the engine tells of it when the row is due.
    if (!(error instanceof PunctualError)) throw error;
    return { row: { ...queued, dueAt: now + RETURN_MS }, passed: [] };
  }
}

/** Of a schedule whose last time passed while its client was suspended. @param cells of the row as it was read */
export function completionFrom(cells: Row, now: number): ServiceChange {
  const { afterCompletion } = whenFrom(cells).timing ?? {};
  const status = afterCompletion === 'delete' ? 'deleted' : 'disabled';
  return { at: now, status, statusReason: 'completed' };
}

export function decided(records: RunRecord[], now: number): RunRecord[] {
  return records.map(record => ({ ...record, decidedAt: now }));
}

/** @param cells of the row as it was read */
export function addTo(back: ReadmittedRows, cells: Row, { row, passed }: Readmitted): void {
  back.count += 1;
  if (row !== null) back.dueAt = Math.min(row.dueAt, back.dueAt ?? row.dueAt);
  const scheduleId = cells.schedule_id as string;
  back.passed.push(...passed.map(record => ({ scheduleId, record })));
}
