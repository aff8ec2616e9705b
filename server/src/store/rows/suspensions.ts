import { PunctualError } from '../../domain/errors.ts';
import type { RunRecord } from '../../domain/run/run.ts';
import { RETURN_MS, type Readmitted, readmitted } from '../../domain/run/suspension.ts';
import { QUEUE, type Row } from '../columns.ts';
import type { ReadmittedRows } from '../contract/suspensions.ts';

/** Rows of suspended clients, as both backends read and write them. */

/** @param row of the queue, with its schedule's id, status and times, and since when its client is suspended */
export function readmittedFrom(row: Row, now: number): Readmitted {
  const schedule = {
    id: row.schedule_id as string,
    status: row.status as 'enabled' | 'disabled' | 'deleted',
    interval: row.interval as string,
    timezone: row.timezone as string,
  };
  const queued = QUEUE.fromRow(row);
  try {
    return readmitted(queued, schedule, row.suspended_at as number, now);
  } catch (error) {
    // A time zone that is known no more: the engine tells of it when the row is due.
    if (!(error instanceof PunctualError)) throw error;
    return { row: { ...queued, dueAt: now + RETURN_MS }, passed: [] };
  }
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
