import type { DatabaseSync } from 'node:sqlite';
import type { Start } from '../../domain/run/start.ts';
import { levelOf } from '../../domain/schedule/level.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { QUEUE, type Row } from '../columns.ts';
import type { Requeue } from '../contract/schedules.ts';
import { fenceBefore } from '../fence.ts';
import { changedLevel, markCell, markedAt, startBehind } from '../rows/queue.ts';
import { UNSENT } from '../rows/recount.ts';
import type { GroupCommit } from './group-commit.ts';

/** Records of a clock that was ahead, from an instant on, of what was never sent. */
export const FORGET_UNSENT = `
  DELETE FROM runs
  WHERE schedule_key = ? AND scheduled_for >= ? AND ${UNSENT}`;

/** The effect of a change of times on the queue, in the transaction that writes the change. */
export function requeueWriter(database: DatabaseSync, { now }: Pick<GroupCommit, 'now'>) {
  const queueInsert = database.prepare(`
    INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for, needs, fence, blocked_since)
    VALUES (:key, 'waiting', :first, :first, :second, :needs, ${fenceBefore(':key')}, (
      SELECT claimed_at FROM outbox
      WHERE schedule_key = :key AND kind = 'manual' AND state IN ('inFlight', 'awaiting')
        AND trigger IS NOT 'dropped'))
    ON CONFLICT (schedule_key) DO UPDATE SET due_at = :first, scheduled_for = :first,
      next_for = :second, needs = :needs, changed_at = NULL WHERE state = 'waiting'`);
  const queueRemoveWaiting = database.prepare(
    "DELETE FROM queue WHERE schedule_key = ? AND state = 'waiting'",
  );
  const queueMarkBegun = database.prepare(`
    UPDATE queue SET changed_at = ${markCell('max', ':changedAt')}, next_for = :first,
      needs = ${changedLevel('max', ':needs')},
      due_at = iif(state IN ('inFlight', 'awaiting'), due_at,
        min(due_at, coalesce(:first, :changedAt)))
    WHERE schedule_key = :key AND state <> 'waiting'`);
  const forgetUnsent = database.prepare(FORGET_UNSENT);
  const staysFor = database.prepare(`
    SELECT 1 FROM queue WHERE schedule_key = ?
      AND (changed_at IS NOT NULL OR (state = 'waiting' AND scheduled_for = ?))`);
  const standing = database.prepare(`
    SELECT ${QUEUE.list('queue.')}, status, interval, timezone, timing
    FROM schedules CROSS JOIN queue USING (schedule_key)
    WHERE client_key = ? AND id = ? AND (scheduled_for > ? OR attempts IS NOT NULL)`);

  return {
    /**
     * To be asked before the change is written.
     *
     * @returns the start without the times that were decided about since the clock was read
     */
    openStart(clientRowId: number, start: Start | null, schedule: Schedule): Start | null {
      if (start === null) return null;
      const row = standing.get(clientRowId, schedule.id, start.first) as Row | undefined;
      return row === undefined ? start : startBehind(row, start, schedule, now());
    },
    write(
      key: number,
      { changedAt, start, keptFor }: Exclude<Requeue, 'keep'>,
      schedule: Schedule,
    ): void {
      if (keptFor !== undefined && staysFor.get(key, keptFor) !== undefined) return;
      const needs = levelOf(schedule);
      const at = markedAt(changedAt, now());
      queueMarkBegun.run({ key, first: start?.first ?? null, needs, changedAt: at });
      if (start) {
        queueInsert.run({ key, needs, ...start });
        // While it had no row, nothing counted it anew: these times come again.
        forgetUnsent.run(key, start.first);
      } else queueRemoveWaiting.run(key);
    },
  };
}
