import type { DatabaseSync } from 'node:sqlite';
import { type Cell, type Row, rowReader, SCHEDULE } from '../columns.ts';
import type { NewSchedule } from '../contract/schedules.ts';
import type { SearchedTexts } from '../search-index.ts';
import { ScheduleKeys } from './schedule-keys.ts';

/** Schedules, flat: as statements take and give them, and as new ones travel between threads. */

/** The calls of the thread that runs the statements. */
export interface ScheduleRows {
  /** All or nothing. */
  insertCells(clientRowId: number, schedules: NewCells[]): Promise<void>;
}

/** The cells of a schedule in the order of its columns, and its first two times if it is to fire. */
export type NewCells = [schedule: Cell[], start: [first: number, second: number | null] | null];

export function newCells({ schedule, start }: NewSchedule): NewCells {
  return [SCHEDULE.cells(schedule), start && [start.first, start.second]];
}

/** A new schedule's texts, for searches. */
export function searchedTextsOf([cells]: NewCells): SearchedTexts {
  return {
    id: SCHEDULE.cellOf(cells, 'id') as string,
    url: SCHEDULE.cellOf(cells, 'url') as string,
    label: SCHEDULE.cellOf(cells, 'label') as string,
  };
}

export function scheduleWriter(database: DatabaseSync) {
  const schedule = database.prepare(`
    INSERT INTO schedules (schedule_key, client_key, ${SCHEDULE.list()})
    VALUES (?, ?, ${SCHEDULE.marks()})`);
  const row = database.prepare(`
    INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for)
    VALUES (?, 'waiting', ?, ?, ?)`);
  const keys = new ScheduleKeys(database);
  /** @returns its key */
  return (clientRowId: number, [cells, start]: NewCells): number => {
    const interval = SCHEDULE.cellOf(cells, 'interval') as string;
    const key = keys.next(interval, SCHEDULE.cellOf(cells, 'timezone') as string);
    schedule.run(key, clientRowId, ...cells);
    if (start) row.run(key, start[0], ...start);
    return key;
  };
}

/**
 * One schedule by its client and id. Without names, `node:sqlite` makes no object for each row: the whole
 * takes 2 µs instead of 4.
 */
export function scheduleReader(database: DatabaseSync) {
  const names = ['version', ...SCHEDULE.names];
  const rowOf = rowReader(names);
  const find = database.prepare(
    `SELECT ${names.join()} FROM schedules WHERE client_key = ? AND id = ?`,
  );
  find.setReturnArrays(true);
  return (clientRowId: number, id: string): Row | null => {
    const cells = find.get(clientRowId, id) as Cell[] | undefined;
    return cells === undefined ? null : rowOf(cells);
  };
}
