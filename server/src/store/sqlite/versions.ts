import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import { MOST_VERSIONS, type VersionStore } from '../contract/versions.ts';
import { CONFIG, pastVersionFrom, versionAtFrom } from '../rows/versions.ts';

export function sqliteVersions(database: DatabaseSync): VersionStore {
  const list = database.prepare(`
    SELECT schedules.id, schedules.created_at, past.version, past.until_at, past.changed_by,
      past.config, api_keys.name AS key_name
    FROM schedules JOIN schedule_versions AS past USING (schedule_key)
      LEFT JOIN api_keys ON api_keys.id = past.changed_by
    WHERE schedules.client_key = ? AND schedules.id = ? AND past.version < ?
    ORDER BY past.version DESC LIMIT ? + 0`);
  const at = database.prepare(`
    SELECT schedules.*, past.version AS held_version, past.config
    FROM schedules LEFT JOIN schedule_versions AS past
      ON past.schedule_key = schedules.schedule_key AND past.until_at = (
        SELECT min(until_at) FROM schedule_versions
        WHERE schedule_versions.schedule_key = schedules.schedule_key AND until_at > :at)
    WHERE schedules.client_key = :clientRowId AND schedules.id = :scheduleId`);
  return {
    async list(clientRowId, scheduleId, limit, before) {
      return (list.all(clientRowId, scheduleId, before, limit) as Row[]).map(pastVersionFrom);
    },
    async at(clientRowId, scheduleId, instant) {
      const row = at.get({ clientRowId, scheduleId, at: instant }) as Row | undefined;
      return row === undefined ? null : versionAtFrom(row, instant);
    },
  };
}

/** How versions are kept, in the transaction of the change that ends them. */
export interface VersionWriter {
  /** To be called before the change. @param place the row id of the client, the id and the version of the schedule */
  keep(until: number, changedBy: string, place: [number, string, number]): void;
  /** To be called before the change. @param updatedAt the least instant of it: it is later than the change before */
  keepOf(scheduleRowId: number, updatedAt: number, changedBy: string): void;
}

export function versionWriter(database: DatabaseSync): VersionWriter {
  const insert = `
    INSERT INTO schedule_versions (schedule_key, version, until_at, changed_by, config)`;
  const keep = database.prepare(`${insert}
    SELECT schedule_key, version, ?, ?, json_object(${CONFIG})
    FROM schedules WHERE client_key = ? AND id = ? AND version = ? AND updated_at IS NOT ?
    RETURNING schedule_key, version`);
  const keepOf = database.prepare(`${insert}
    SELECT schedule_key, version, max(:at, coalesce(updated_at, created_at) + 1), :changedBy,
      json_object(${CONFIG})
    FROM schedules WHERE schedule_key = :key
    RETURNING schedule_key, version`);
  const drop = database.prepare(
    'DELETE FROM schedule_versions WHERE schedule_key = ? AND version <= ?',
  );

  function dropOldest(row: Row | undefined): void {
    const version = (row?.version ?? 0) as number;
    if (version > MOST_VERSIONS) drop.run(row!.schedule_key!, version - MOST_VERSIONS);
  }

  return {
    keep(until, changedBy, place) {
      dropOldest(keep.get(until, changedBy, ...place, until) as Row | undefined);
    },
    keepOf(key, at, changedBy) {
      dropOldest(keepOf.get({ key, at, changedBy }) as Row | undefined);
    },
  };
}
