import type { DatabaseSync } from 'node:sqlite';
import { levelOf } from '../../domain/schedule/level.ts';
import { marksOf } from '../../domain/schedule/marks.ts';
import { type Cell, type Row, rowReader, SCHEDULE } from '../columns.ts';
import type { IdempotentCall } from '../contract/idempotency.ts';
import type { NewSchedule, VersionedSchedule } from '../contract/schedules.ts';
import { externalIdTaken } from '../external-id.ts';
import type { SearchedTexts } from '../search-index.ts';
import { isUniqueFault } from './fault.ts';
import { replacedCalendars } from './replaced-calendars.ts';
import { ScheduleKeys } from './schedule-keys.ts';
import type { ScheduleMarks } from './schedule-marks.ts';

/** Schedules, flat: as statements take and give them, and as new ones travel between threads. */

/** The calls of the thread that runs the statements. */
export interface ScheduleRows {
  /** As `insert` of the contract. */
  insertCells(clientRowId: number, schedules: NewCells[], call?: IdempotentCall): Promise<boolean>;
}

/**
 * The cells of a schedule in the order of its columns, and its first two times if it is to fire. Then, of one that is not
 * plain, the level that it needs, and its marks.
 */
export type NewCells = [
  schedule: Cell[],
  start: [first: number, second: number | null] | null,
  more?: [needs: number, marks: string[]],
];

export function newCells({ schedule, start }: NewSchedule): NewCells {
  const cells = SCHEDULE.cells(schedule);
  const times: NewCells[1] = start && [start.first, start.second];
  const [needs, marks] = [levelOf(schedule), marksOf(schedule)];
  return needs === 0 && marks.length === 0 ? [cells, times] : [cells, times, [needs, marks]];
}

/** A new schedule's texts, for searches. */
export function searchedTextsOf([cells]: NewCells): SearchedTexts {
  return {
    id: SCHEDULE.cellOf(cells, 'id') as string,
    url: SCHEDULE.cellOf(cells, 'url') as string,
    label: SCHEDULE.cellOf(cells, 'label') as string,
  };
}

export function scheduleWriter(database: DatabaseSync, marks: ScheduleMarks) {
  const schedule = database.prepare(`
    INSERT INTO schedules (schedule_key, client_key, ${SCHEDULE.list()})
    VALUES (?, ?, ${SCHEDULE.marks()})`);
  const row = database.prepare(`
    INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for, needs)
    VALUES (?, 'waiting', ?, ?, ?, ?)`);
  const keys = new ScheduleKeys(database);
  const recountReplaced = replacedCalendars(database);
  /**
   * @returns its key
   * @throws PunctualError `external_id_taken`
   */
  return (clientRowId: number, [cells, start, [needs, names] = PLAIN]: NewCells): number => {
    const interval = SCHEDULE.cellOf(cells, 'interval') as string;
    const key = keys.next(interval, SCHEDULE.cellOf(cells, 'timezone') as string);
    const externalId = cells[EXTERNAL_ID] as string;
    tellingTaken(externalId, () => schedule.run(key, clientRowId, ...cells));
    if (start) row.run(key, start[0], ...start, needs);
    marks.add(clientRowId, key, names);
    recountReplaced(clientRowId, SCHEDULE.cellOf(cells, 'timing') as Cell);
    return key;
  };
}

const PLAIN: NonNullable<NewCells[2]> = [0, []];
const EXTERNAL_ID = SCHEDULE.names.indexOf('external_id');

/**
 * @param externalId of the schedule that `work` writes
 * @throws PunctualError `external_id_taken`
 */
export function tellingTaken<T>(externalId: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isUniqueFault(error, 'schedules.external_id') ? externalIdTaken(externalId) : error;
  }
}

/**
 * One schedule by its client and an id. Without names, `node:sqlite` makes no object for each row: the whole
 * takes 2 µs instead of 4.
 *
 * @param where of the client and the id
 */
export function scheduleReader(database: DatabaseSync, where = 'client_key = ? AND id = ?') {
  const names = ['version', ...SCHEDULE.names];
  const rowOf = rowReader(names);
  const find = database.prepare(`SELECT ${names.join()} FROM schedules WHERE ${where}`);
  find.setReturnArrays(true);
  return (clientRowId: number, id: string): VersionedSchedule | null => {
    const cells = find.get(clientRowId, id) as Cell[] | undefined;
    return cells === undefined ? null : versionedFrom(rowOf(cells));
  };
}

export function versionedFrom(row: Row): VersionedSchedule {
  return { schedule: SCHEDULE.fromRow(row), version: row.version as number };
}
