import { SCHEDULE, ZONE_RULES } from '../columns.ts';
import type { ZoneRulesStore } from '../contract/zone-rules.ts';
import { zonedScheduleFrom, zoneRulesCells, zoneRulesFrom } from '../rows/zone-rules.ts';
import { columnsOf, parameters, type Query, type Statement } from './connection.ts';

const list: Statement = {
  name: 'zone_rules_list',
  text: `SELECT ${ZONE_RULES.list()} FROM zone_rules ORDER BY zone`,
};
const put: Statement = {
  name: 'zone_rules_put',
  text: `
    INSERT INTO zone_rules (${ZONE_RULES.list()})
    SELECT * FROM unnest(${parameters(1, ZONE_RULES.types)})
    ON CONFLICT (zone) DO UPDATE SET ${ZONE_RULES.assignments(name => `excluded.${name}`)}`,
};
const zonesInUse: Statement = {
  name: 'zone_rules_in_use',
  text: `
    SELECT DISTINCT timezone COLLATE "C" AS timezone FROM schedules WHERE status <> 'deleted'
    ORDER BY 1`,
};
const enabledIn: Statement = {
  name: 'zone_rules_enabled_in',
  text: `
    SELECT schedule_key, client_key, id, timing::json ->> 'maxRuns' AS counted FROM schedules
    WHERE timezone = $1 AND status = 'enabled' AND schedule_key > $2
    ORDER BY schedule_key LIMIT $3`,
};

const countOf: Statement = {
  name: 'zone_rules_count_of',
  text: `
    SELECT count(*) AS count FROM schedules
    WHERE client_key = $1 AND status = 'enabled' AND timezone = $2`,
};
const newestOf: Statement = {
  name: 'zone_rules_newest_of',
  text: `
    SELECT ${SCHEDULE.list()} FROM schedules
    WHERE client_key = $1 AND status = 'enabled' AND timezone = $2 ORDER BY id DESC LIMIT $3`,
};

/** @param look for questions that read many schedules */
export function postgresZoneRules(query: Query, look: Query): ZoneRulesStore {
  return {
    async list() {
      return (await query(list)).map(zoneRulesFrom);
    },
    async put(rules) {
      await query(put, columnsOf(rules.map(zoneRulesCells), ZONE_RULES.width));
    },
    async zonesInUse() {
      return (await look(zonesInUse)).map(({ timezone }) => timezone as string);
    },
    async enabledIn(zone, after, limit) {
      return (await look(enabledIn, [zone, after, limit])).map(zonedScheduleFrom);
    },
    async enabledOf(clientRowId, zone, limit) {
      const [counted] = await look(countOf, [clientRowId, zone]);
      const count = counted!.count as number;
      const rows = count === 0 ? [] : await look(newestOf, [clientRowId, zone, limit]);
      return { count, schedules: rows.map(row => SCHEDULE.fromRow(row)) };
    },
  };
}
