import type { DatabaseSync } from 'node:sqlite';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { NewSchedule } from '../contract/schedules.ts';
import { type Cell, json, type Row } from '../rows/row.ts';
import type { SearchedTexts } from '../search-index.ts';
import { ScheduleKeys } from './schedule-keys.ts';

/** Schedules, flat: as statements take and give them, and as new ones travel between threads. */

/** Where the statements run. */
export interface ScheduleRows {
  /** All or nothing. */
  insertCells(clientRowId: number, schedules: NewCells[]): Promise<void>;
}

/** The cells of a schedule in the order of its columns, and its first two times if it is to fire. */
export type NewCells = [schedule: Cell[], start: [first: number, second: number | null] | null];

export function newCells({ schedule, start }: NewSchedule): NewCells {
  const cells = [
    schedule.id,
    schedule.status,
    schedule.url,
    schedule.verb,
    schedule.interval,
    schedule.timezone,
    schedule.createdAt,
    schedule.updatedAt ?? null,
    ...optionalCells(schedule),
  ];
  return [cells, start && [start.first, start.second]];
}

/** What a new schedule is called and where it leads, for searches. */
export function namesOf([cells]: NewCells): SearchedTexts {
  const [id, , url] = cells;
  return { id: id as string, url: url as string, label: cells.at(-2) as string };
}

export function optionalCells(schedule: Schedule): Cell[] {
  return [
    json(schedule.headers),
    json(schedule.data),
    json(schedule.integrations),
    schedule.label,
    json(schedule.policy),
  ];
}

export function scheduleWriter(database: DatabaseSync) {
  const schedule = database.prepare(`
    INSERT INTO schedules (schedule_key, client_key, id, status, url, verb, interval, timezone,
      created_at, updated_at, headers, data, integrations, label, policy)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const row = database.prepare(`
    INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for)
    VALUES (?, 'waiting', ?, ?, ?)`);
  const keys = new ScheduleKeys(database);
  /** @returns its key */
  return (clientRowId: number, [cells, start]: NewCells): number => {
    const [, , , , interval, timezone] = cells;
    const key = keys.next(interval as string, timezone as string);
    schedule.run(key, clientRowId, ...cells);
    if (start) row.run(key, start[0], ...start);
    return key;
  };
}

/**
 * One schedule by its client and id, as `rowOf` reads it. Without names, of which `node:sqlite` makes an
 * object for each row, the whole takes 2 µs instead of 4.
 */
export function scheduleReader(database: DatabaseSync) {
  const find = database.prepare(`
    SELECT version, id, status, url, verb, interval, timezone, created_at, updated_at, headers, data,
      integrations, label, policy
    FROM schedules WHERE client_key = ? AND id = ?`);
  find.setReturnArrays(true);
  return (clientRowId: number, id: string): Row | null => {
    const cells = find.get(clientRowId, id) as Cell[] | undefined;
    return cells === undefined ? null : rowOf(cells);
  };
}

function rowOf([
  version,
  id,
  status,
  url,
  verb,
  interval,
  timezone,
  created_at,
  updated_at,
  headers,
  data,
  integrations,
  label,
  policy,
]: Cell[]): Row {
  return {
    version,
    id,
    status,
    url,
    verb,
    interval,
    timezone,
    created_at,
    updated_at,
    headers,
    data,
    integrations,
    label,
    policy,
  } as Row;
}
