import type { DatabaseSync } from 'node:sqlite';
import { type Row, SCHEDULE, ZONE_RULES } from '../columns.ts';
import type { ZoneRulesStore } from '../contract/zone-rules.ts';
import { zonedScheduleFrom, zoneRulesCells, zoneRulesFrom } from '../rows/zone-rules.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteZoneRules(database: DatabaseSync, commits: GroupCommit): ZoneRulesStore {
  const list = database.prepare(`SELECT ${ZONE_RULES.list()} FROM zone_rules ORDER BY zone`);
  const put = database.prepare(
    `INSERT OR REPLACE INTO zone_rules (${ZONE_RULES.list()}) VALUES (${ZONE_RULES.marks()})`,
  );
  const zonesInUse = database.prepare(
    "SELECT DISTINCT timezone FROM schedules WHERE status <> 'deleted' ORDER BY timezone",
  );
  const enabledIn = database.prepare(`
    SELECT schedule_key, client_key, id, timing ->> 'maxRuns' AS counted FROM schedules
    WHERE timezone = ? AND status = 'enabled' AND schedule_key > ?
    ORDER BY schedule_key LIMIT ? + 0`);
  const countOf = database.prepare(`
    SELECT count(*) AS count FROM schedules INDEXED BY schedules_by_status
    WHERE client_key = ? AND status = 'enabled' AND timezone = ?`);
  const newestOf = database.prepare(`
    SELECT * FROM schedules INDEXED BY schedules_by_status
    WHERE client_key = ? AND status = 'enabled' AND timezone = ? ORDER BY id DESC LIMIT ? + 0`);
  return {
    async list() {
      return (list.all() as Row[]).map(zoneRulesFrom);
    },
    put(rules) {
      return commits.write(() => {
        for (const each of rules) put.run(...zoneRulesCells(each));
      });
    },
    async zonesInUse() {
      return (zonesInUse.all() as Row[]).map(({ timezone }) => timezone as string);
    },
    async enabledIn(zone, after, limit) {
      return (enabledIn.all(zone, after, limit) as Row[]).map(zonedScheduleFrom);
    },
    async enabledOf(clientRowId, zone, limit) {
      const { count } = countOf.get(clientRowId, zone) as Row;
      const rows = count === 0 ? [] : (newestOf.all(clientRowId, zone, limit) as Row[]);
      return { count: count as number, schedules: rows.map(row => SCHEDULE.fromRow(row)) };
    },
  };
}
