import type { DatabaseSync } from 'node:sqlite';
import { stillGoing } from '../../domain/run/passed.ts';
import { type Cell, QUEUE, type Row, RUN } from '../columns.ts';
import { skippedBefore } from '../rows/queue.ts';
import { UNSENT } from '../rows/recount.ts';
import { runRow } from '../rows/runs.ts';
import { runWriter } from './runs.ts';

/** Times that came while a run was going, at a change of its schedule: they are skipped. */
export function passedTimes(database: DatabaseSync) {
  const begun = database.prepare(`
    SELECT ${QUEUE.list('queue.')}, schedules.schedule_key, schedules.id AS schedule_id, interval, timezone, timing
    FROM schedules CROSS JOIN queue USING (schedule_key)
    WHERE schedules.client_key = ? AND schedules.id = ?
      AND queue.state <> 'waiting' AND queue.attempt > 0 AND queue.next_for <= ?`);
  const writeRun = runWriter(database);
  const behind = database.prepare(`
    DELETE FROM runs
    WHERE schedule_key = ? AND scheduled_for > ? AND reason = ? AND ${UNSENT}`);

  return {
    /**
     * To be asked before the change is written.
     *
     * @param changedAt epoch ms
     * @returns the cells of their runs; mostly there are none
     */
    before(clientRowId: number, scheduleId: string, changedAt: number): Cell[][] {
      const row = begun.get(clientRowId, scheduleId, changedAt) as Row | undefined;
      if (row === undefined) return [];
      const key = row.schedule_key as number;
      return skippedBefore(row, changedAt).map(run => RUN.cells(runRow(clientRowId, key, run)));
    },
    /** @param cells of the runs */
    write(cells: Cell[][]): void {
      for (const run of cells) writeRun(run);
    },
    /** @param scheduledFor of the run that they came behind, which was never sent */
    forget(scheduleRowId: number, scheduledFor: number): void {
      behind.run(scheduleRowId, scheduledFor, stillGoing(scheduledFor));
    },
  };
}
