import type { DatabaseSync } from 'node:sqlite';
import type { Cell } from '../columns.ts';

/**
 * Further runs that targets ask for: rows of the outbox with the trigger `target`, one of a schedule at most. One that
 * is dropped is due at once, and its claim ends it. One that has begun goes on with its retries.
 */
export function targetRuns(database: DatabaseSync) {
  const drop = database.prepare(`
    UPDATE outbox INDEXED BY outbox_of_target SET trigger = 'dropped', due_at = min(due_at, :at)
    WHERE schedule_key = :key AND trigger = 'target' AND state = 'waiting'`);
  const leaveBegun = database.prepare(`
    UPDATE outbox INDEXED BY outbox_of_target SET trigger = 'begun'
    WHERE schedule_key = ? AND trigger = 'target' AND attempts IS NOT NULL`);
  const insert = database.prepare(`
    INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for, trigger)
    SELECT :id, 'manual', client_key, schedule_key, 'waiting', :dueAt, :dueAt, 'target'
    FROM schedules
    WHERE schedule_key = :key AND status = 'enabled'
      AND coalesce(json_extract(timing, '$.pausedUntil'), 0) <= :at
    ON CONFLICT DO NOTHING`);

  return {
    /** @param at epoch ms */
    drop(key: number, at: number): void {
      drop.run({ key, at });
    },
    /** A newer one replaces the one before. @param cells in the order of `TARGET_RUN` */
    replace(key: number, cells: Cell[]): void {
      const [id, dueAt, at] = cells as [string, number, number];
      leaveBegun.run(key);
      drop.run({ key, at });
      insert.run({ key, id, dueAt, at });
    },
  };
}
