import type { DatabaseSync } from 'node:sqlite';
import { type Start, startBeyond, WRITTEN_WITHIN_MS } from '../../domain/run/start.ts';
import { levelOf } from '../../domain/schedule/level.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { Row } from '../columns.ts';
import type { Requeue } from '../contract/schedules.ts';
import { changedLevel } from '../rows/queue.ts';

/** The effect of a change of times on the queue, in the transaction that writes the change. */
export function requeueWriter(database: DatabaseSync) {
  const queueInsert = database.prepare(`
    INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for, needs, blocked_since)
    VALUES (:key, 'waiting', :first, :first, :second, :needs, (
      SELECT claimed_at FROM outbox
      WHERE schedule_key = :key AND kind = 'manual' AND state IN ('inFlight', 'awaiting')))
    ON CONFLICT (schedule_key) DO UPDATE SET due_at = :first, scheduled_for = :first,
      next_for = :second, needs = :needs, changed_at = NULL WHERE state = 'waiting'`);
  const queueRemoveWaiting = database.prepare(
    "DELETE FROM queue WHERE schedule_key = ? AND state = 'waiting'",
  );
  // `changed_at` is part of the fence: two changes within one millisecond are two.
  const queueMarkBegun = database.prepare(`
    UPDATE queue SET changed_at = max(:changedAt, coalesce(changed_at + 1, 0)), next_for = :first,
      needs = ${changedLevel('max', ':needs')},
      due_at = iif(state IN ('inFlight', 'awaiting'), due_at,
        min(due_at, coalesce(:first, :changedAt)))
    WHERE schedule_key = :key AND state <> 'waiting'`);
  const firedFor = database.prepare(`
    SELECT max(time) AS time FROM (
      SELECT max(scheduled_for) AS time FROM runs WHERE schedule_key = :key AND manual_id = ''
        AND scheduled_for BETWEEN :first AND :first + ${WRITTEN_WITHIN_MS}
      UNION ALL SELECT scheduled_for FROM queue
        WHERE schedule_key = :key AND attempts IS NOT NULL)`);

  function requeue(key: number, change: Exclude<Requeue, 'keep'>, schedule: Schedule): void {
    const { changedAt } = change;
    const start = openStart(key, change.start, schedule);
    const needs = levelOf(schedule);
    queueMarkBegun.run({ key, first: start?.first ?? null, needs, changedAt });
    if (start) queueInsert.run({ key, needs, ...start });
    else queueRemoveWaiting.run(key);
  }

  function openStart(key: number, start: Start | null, schedule: Schedule): Start | null {
    if (start === null) return null;
    const { time } = firedFor.get({ key, first: start.first }) as Row;
    return startBeyond(start, time as number | null, schedule);
  }

  return requeue;
}
