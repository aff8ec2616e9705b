import { type Cell, type Row, ZONE_RULES } from '../columns.ts';
import type { StoredZoneRules, ZonedSchedule } from '../contract/zone-rules.ts';

/** Rows of zone rules, as both backends write and read them. */

export function zoneRulesCells({ previous, ...rules }: StoredZoneRules): Cell[] {
  return ZONE_RULES.cells({
    ...rules,
    previousRelease: previous?.release,
    previousChanges: previous?.changes,
    changedAt: previous?.changedAt,
  });
}

export function zoneRulesFrom(row: Row): StoredZoneRules {
  const { zone, release, changes, ...before } = ZONE_RULES.fromRow(row);
  const { previousRelease, previousChanges, changedAt } = before;
  if (previousRelease === undefined) return { zone, release, changes };
  const previous = { release: previousRelease, changes: previousChanges!, changedAt: changedAt! };
  return { zone, release, changes, previous };
}

/** @param row of a schedule, with `counted` */
export function zonedScheduleFrom(row: Row): ZonedSchedule {
  return {
    scheduleRowId: row.schedule_key as number,
    clientRowId: row.client_key as number,
    id: row.id as string,
    isCounted: row.counted !== null,
  };
}
