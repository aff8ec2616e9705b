import { type Cell, TARGET_RUN } from '../columns.ts';
import type { Settlement, TargetRun } from '../contract/queue.ts';
import { columnsOf, parameters, type Query, type Statement } from './connection.ts';

/**
 * Further runs that targets ask for: rows of the outbox with the trigger `target`, one of a schedule at most. One that
 * is dropped is due at once, and its claim ends it. One that has begun goes on with its retries. One that another node is
 * just taking is left alone: it was due.
 */
const drop: Statement = {
  name: 'target_runs_drop',
  text: `
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS given (key, at)
    ), waiting AS MATERIALIZED (
      SELECT id, at FROM given CROSS JOIN LATERAL (
        SELECT id FROM outbox
        WHERE schedule_key = key AND trigger = 'target' AND state IN ('waiting', 'reserved')
        FOR UPDATE SKIP LOCKED) AS found
    )
    UPDATE outbox SET trigger = 'dropped', due_at = least(due_at, at)
    FROM waiting WHERE outbox.id = waiting.id`,
};
const leaveBegun: Statement = {
  name: 'target_runs_leave_begun',
  text: `
    UPDATE outbox SET trigger = 'begun'
    WHERE schedule_key = ANY ($1) AND trigger = 'target' AND attempts IS NOT NULL`,
};
const insert: Statement = {
  name: 'target_runs_insert',
  text: `
    INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for, trigger)
    SELECT given.id, 'manual', client_key, schedule_key, 'waiting', due_at, due_at, 'target'
    FROM unnest(${parameters(1, ['bigint', ...TARGET_RUN.types])}) AS given (key, ${TARGET_RUN.list()})
      JOIN schedules ON schedule_key = key
    WHERE status = 'enabled' AND coalesce((timing::json->>'pausedUntil')::bigint, 0) <= at
    ON CONFLICT DO NOTHING`,
};

/** @param dropped keys of schedules, each with the instant of the drop */
export async function dropTargetRuns(send: Query, dropped: Cell[][]): Promise<void> {
  if (dropped.length > 0) await send(drop, columnsOf(dropped));
}

/** A newer one replaces the one before. */
export async function replaceTargetRuns(
  send: Query,
  settlements: Pick<Settlement, 'scheduleRowId' | 'again'>[],
): Promise<void> {
  const asked = settlements.flatMap(({ scheduleRowId, again }) =>
    again === undefined ? [] : [{ scheduleRowId, again }],
  );
  if (asked.length === 0) return;
  const runs: [number, TargetRun][] = asked.map(({ scheduleRowId, again }) => [
    scheduleRowId,
    again,
  ]);
  await send(leaveBegun, [runs.map(([key]) => key)]);
  await dropTargetRuns(
    send,
    runs.map(([key, { at }]) => [key, at]),
  );
  await send(insert, columnsOf(runs.map(([key, run]) => [key, ...TARGET_RUN.cells(run)])));
}
