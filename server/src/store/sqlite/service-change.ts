import type { DatabaseSync } from 'node:sqlite';
import type { Cell } from '../columns.ts';
import { serviceChangedBy } from '../rows/versions.ts';
import { scheduleMarks } from './schedule-marks.ts';
import { targetRuns } from './target-runs.ts';
import { versionWriter } from './versions.ts';

/**
 * Changes of schedules by the service itself, in the transaction of a settlement. The state before is kept, as with
 * every change of times.
 *
 * A schedule completes only where neither a time nor a run that its target asked for is to come.
 */
export function serviceChangeWriter(database: DatabaseSync) {
  const marks = scheduleMarks(database);
  const furtherRuns = targetRuns(database);
  const versions = versionWriter(database);
  const isMeant = `schedule_key = :key AND status = 'enabled'
    AND (:reason IS NOT 'completed' OR :pausedUntil IS NOT NULL
      OR NOT EXISTS (
        SELECT 1 FROM outbox INDEXED BY outbox_manual
        WHERE schedule_key = :key AND kind = 'manual' AND trigger IN ('target', 'begun'))
      AND NOT EXISTS (SELECT 1 FROM queue WHERE schedule_key = :key))`;
  const keepChange = database.prepare(`
    INSERT INTO schedule_changes (schedule_key, changed_at, interval, timezone, status, timing)
    SELECT schedule_key, max(:at, coalesce((
        SELECT max(changed_at) + 1 FROM schedule_changes WHERE schedule_key = :key), 0)),
      interval, timezone, status, timing
    FROM schedules WHERE ${isMeant}`);
  const change = database.prepare(`
    UPDATE schedules SET status = coalesce(:status, status),
      status_reason = coalesce(:reason, status_reason), version = version + 1,
      updated_at = max(:at, coalesce(updated_at, created_at) + 1),
      timing = iif(:pausedUntil IS NULL, timing,
        json_set(coalesce(timing, '{}'), '$.pausedUntil', CAST(:pausedUntil AS integer)))
    WHERE ${isMeant}`);
  // A row of a schedule with a timing needs an engine that knows it (domain/schedule/level.ts).
  const raiseLevel = database.prepare(
    'UPDATE queue SET needs = 1 WHERE schedule_key = ? AND needs = 0',
  );
  const endManual = database.prepare(`
    UPDATE outbox SET due_at = min(due_at, ?)
    WHERE schedule_key = ? AND kind = 'manual' AND state = 'waiting'`);

  /** @param cells in the order of `SERVICE_CHANGE` */
  return (key: number, cells: Cell[]): void => {
    const [at, status, reason, pausedUntil] = cells as [number, Cell, Cell, number | null];
    if (reason !== 'completed' || pausedUntil !== null) furtherRuns.drop(key, at);
    if (keepChange.run({ key, at, reason, pausedUntil }).changes === 0) return;
    versions.keepOf(key, at, serviceChangedBy(cells));
    change.run({ key, at, status, reason, pausedUntil });
    if (pausedUntil !== null) raiseLevel.run(key);
    if (status !== 'deleted') return;
    marks.setApart(key);
    endManual.run(at, key);
  };
}
