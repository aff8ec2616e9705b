import { DELETED } from '../../domain/schedule/marks.ts';
import { isCompletion } from '../../domain/schedule/service-change.ts';
import { type Cell, SERVICE_CHANGE } from '../columns.ts';
import type { Settlement } from '../contract/queue.ts';
import { serviceChangedBy } from '../rows/versions.ts';
import { columnsOf, parameters, type Query, type Statement } from './connection.ts';
import type { Notifier } from './notifications/notifier.ts';
import { dropTargetRuns, replaceTargetRuns } from './target-runs.ts';
import { CONFIG_SQL, dropOldestSql } from './versions.ts';

/**
 * Changes of schedules by the service itself, in the transaction of a settlement. Rows are locked in one order
 * everywhere: schedule, outbox, queue.
 */
const lockSchedules: Statement = {
  name: 'service_change_lock_schedules',
  text: `
    SELECT schedule_key, version FROM schedules WHERE schedule_key = ANY ($1)
    ORDER BY schedule_key FOR NO KEY UPDATE`,
};
/**
 * The state before is kept, as with every change of times. A schedule completes only where neither a time nor a run that
 * its target asked for is to come. A manual run that another node is just taking is skipped: it was due already. The caller
 * has locked the schedules. Rows of the outbox are found by their schedules: `coalesce` and `IS NOT DISTINCT FROM` keep the
 * planner from indexes that it would read from end to end.
 */
const change: Statement = {
  name: 'service_change',
  text: `
    WITH given AS MATERIALIZED (
      SELECT key, at, given.status AS becomes, given.status_reason AS reason, paused_until, changed_by,
        version AS was, greatest(at, coalesce(updated_at, created_at) + 1) AS until_at
      FROM unnest(${parameters(1, ['bigint', ...SERVICE_CHANGE.types, 'text'])})
          AS given (key, ${SERVICE_CHANGE.list()}, changed_by)
        JOIN schedules ON schedule_key = key
      WHERE schedules.status = 'enabled' AND (given.status_reason IS DISTINCT FROM 'completed'
        OR paused_until IS NOT NULL
        OR (
          SELECT id FROM outbox
          WHERE outbox.schedule_key = key AND kind = 'manual' AND coalesce(trigger, '') IN ('target', 'begun')
          LIMIT 1) IS NULL
        AND (SELECT queue.schedule_key FROM queue WHERE queue.schedule_key = key) IS NULL)
    ), kept AS (
      INSERT INTO schedule_changes (schedule_key, changed_at, interval, timezone, status, timing)
      SELECT key, greatest(at, (
          SELECT max(changed_at) + 1 FROM schedule_changes WHERE schedule_changes.schedule_key = key)),
        interval, timezone, status, timing
      FROM given JOIN schedules ON schedule_key = key
    ), changed AS (
      UPDATE schedules SET status = coalesce(becomes, status),
        status_reason = coalesce(reason, status_reason), version = version + 1,
        updated_at = until_at,
        timing = CASE WHEN paused_until IS NULL THEN timing
          ELSE (coalesce(timing, '{}')::jsonb || jsonb_build_object('pausedUntil', paused_until))::text END
      FROM given WHERE schedule_key = key
      RETURNING id, key AS schedule_key, key, becomes, paused_until, at, was
    ), versioned AS (
      INSERT INTO schedule_versions (schedule_key, version, until_at, changed_by, config)
      SELECT key, was, until_at, changed_by, ${CONFIG_SQL}
      FROM given JOIN schedules ON schedule_key = key
    ), dropped AS (${dropOldestSql('changed')}
    ), levelled AS (
      UPDATE queue SET needs = 1
      WHERE schedule_key = ANY (ARRAY(SELECT key FROM changed WHERE paused_until IS NOT NULL))
        AND needs = 0
    ), deleted AS MATERIALIZED (
      SELECT key, at FROM changed WHERE becomes = 'deleted'
    ), unmarked AS (
      DELETE FROM schedule_marks
      WHERE schedule_key = ANY (ARRAY(SELECT key FROM deleted)) AND mark NOT LIKE 'tag:%'
    ), marked AS (
      UPDATE schedule_marks SET mark = '${DELETED}' || mark
      WHERE schedule_key = ANY (ARRAY(SELECT key FROM deleted)) AND mark LIKE 'tag:%'
    ), manual AS MATERIALIZED (
      SELECT id FROM outbox
      WHERE schedule_key = ANY (ARRAY(SELECT key FROM deleted)) AND kind = 'manual'
        AND state IN ('waiting', 'reserved')
      FOR UPDATE SKIP LOCKED
    ), ended AS (
      UPDATE outbox SET due_at = least(due_at, (SELECT min(at) FROM deleted))
      WHERE id = ANY (ARRAY(SELECT id FROM manual))
    )
    SELECT id, at FROM changed`,
};

/** A schedule that was changed, and when. */
export interface ServiceChanged {
  id: string;
  at: number;
}

/** The parts of a settlement that concern the schedule itself: a change of it, and a further run. */
type OfSchedule = Pick<Settlement, 'scheduleRowId' | 'change' | 'again'>;

/** Most settlements have neither, and need no transaction of several statements. */
export function touchesSchedule({ change, again }: OfSchedule): boolean {
  return change !== undefined || again !== undefined;
}

/**
 * To be called first in the transaction.
 *
 * @returns their versions, by the keys of the schedules
 */
export async function lockTouched(
  send: Query,
  touched: Pick<Settlement, 'scheduleRowId'>[],
): Promise<Map<Cell, Cell>> {
  const rows = await send(lockSchedules, [touched.map(({ scheduleRowId }) => scheduleRowId)]);
  return new Map(rows.map(({ schedule_key, version }) => [schedule_key!, version!]));
}

/**
 * The caller has locked the schedules, and their rows have moved.
 *
 * @param touched whose fence held
 * @returns the schedules that changed
 */
export async function changeSchedules(
  send: Query,
  touched: OfSchedule[],
): Promise<ServiceChanged[]> {
  await replaceTargetRuns(send, touched);
  const changes = touched.flatMap(({ scheduleRowId, change }) =>
    change === undefined ? [] : [{ key: scheduleRowId, change }],
  );
  const dropped = changes
    .filter(({ change }) => !isCompletion(change))
    .map(({ key, change }) => [key, change.at]);
  await dropTargetRuns(send, dropped);
  return writeChanges(
    send,
    changes.map(({ key, change }) => [key, ...SERVICE_CHANGE.cells(change)]),
  );
}

/** @param cells the key of each schedule, and its change in the order of `SERVICE_CHANGE` */
export async function writeChanges(send: Query, cells: Cell[][]): Promise<ServiceChanged[]> {
  if (cells.length === 0) return [];
  const signed = cells.map(([key, ...change]) => [key!, ...change, serviceChangedBy(change)]);
  const rows = await send(change, columnsOf(signed));
  return rows.map(({ id, at }) => ({ id: id as string, at: at as number }));
}

/** The other nodes call back what they hold of these schedules. */
export function announceChanged(changed: ServiceChanged[], notifier: Notifier): void {
  for (const { id, at } of changed) notifier.changed(id, at);
}
