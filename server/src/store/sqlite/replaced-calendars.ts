import type { DatabaseSync } from 'node:sqlite';
import type { Cell } from '../columns.ts';
import { COUNT_ANEW } from '../rows/calendars.ts';

/**
 * A calendar may be replaced while a schedule is drafted with it. Then its schedules are to be counted anew: that is asked for in the
 * transaction that writes the schedule, for whoever wrote it may die before it says so.
 *
 * @returns to be called with the cell `timing` of a schedule that is written
 */
export function replacedCalendars(
  database: DatabaseSync,
): (clientRowId: number, timing: Cell) => void {
  const request = database.prepare(`
    UPDATE calendars SET recount_before = ${COUNT_ANEW}
    WHERE client_key = :client AND name IN (SELECT value FROM json_each(:timing, '$.exclude'))
      AND version NOT IN (SELECT value FROM json_each(:timing, '$.calendars'))`);
  return (client, timing) => {
    if (typeof timing === 'string') request.run({ client, timing });
  };
}
