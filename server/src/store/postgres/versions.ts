import { SCHEDULE } from '../columns.ts';
import { MOST_VERSIONS, type VersionStore } from '../contract/versions.ts';
import { CONFIG, pastVersionFrom, versionAtFrom } from '../rows/versions.ts';
import type { Query, Statement } from './connection.ts';

const list: Statement = {
  name: 'versions_list',
  text: `
    SELECT schedules.id, schedules.created_at, past.version, past.until_at, past.changed_by,
      past.config, api_keys.name AS key_name
    FROM schedules JOIN schedule_versions AS past USING (schedule_key)
      LEFT JOIN api_keys ON api_keys.id = past.changed_by
    WHERE schedules.client_key = $1 AND schedules.id = $2 AND past.version < $4
    ORDER BY past.version DESC LIMIT $3`,
};
const at: Statement = {
  name: 'versions_at',
  text: `
    SELECT schedules.schedule_key, schedules.version, ${SCHEDULE.list('schedules.')},
      past.held_version, past.config
    FROM schedules LEFT JOIN LATERAL (
      SELECT version AS held_version, config FROM schedule_versions
      WHERE schedule_versions.schedule_key = schedules.schedule_key AND until_at > $3
      ORDER BY until_at LIMIT 1) AS past ON true
    WHERE schedules.client_key = $1 AND schedules.id = $2`,
};

export function postgresVersions(query: Query): VersionStore {
  return {
    async list(clientRowId, scheduleId, limit, before) {
      return (await query(list, [clientRowId, scheduleId, limit, before])).map(pastVersionFrom);
    },
    async at(clientRowId, scheduleId, instant) {
      const [row] = await query(at, [clientRowId, scheduleId, instant]);
      return row === undefined ? null : versionAtFrom(row, instant);
    },
  };
}

/** The configuration of a row of `schedules`, as a version keeps it. */
export const CONFIG_SQL = `json_build_object(${CONFIG})::text`;

/**
 * Drops the versions beyond those that are kept. The keys are looked up one by one: as a join it reads the whole table,
 * where the planner knows nothing of it yet.
 *
 * @param changed a part of the same statement, with `schedule_key` and the version `was` that its change has ended
 */
export function dropOldestSql(changed: string): string {
  return `
      DELETE FROM schedule_versions
      WHERE schedule_key = ANY (ARRAY(
          SELECT schedule_key FROM ${changed} WHERE was > ${MOST_VERSIONS}))
        AND version <= (
          SELECT was - ${MOST_VERSIONS} FROM ${changed}
          WHERE ${changed}.schedule_key = schedule_versions.schedule_key)`;
}
