import type { DatabaseSync } from 'node:sqlite';
import { lowestIdAt } from '../../domain/id.ts';
import type { HistoryLimits } from '../contract/runs.ts';
import { limitOf, RETENTION_CLASSES, type RetentionClass } from '../rows/retention-class.ts';

/** Rows; those of one call go in one transaction, for which other writers wait: some 10 ms. */
const PRUNED_AT_ONCE = 1_000;

/**
 * Takes away history that is older than it is kept, some of it.
 *
 * @returns how many rows; 0 when there is nothing left to take away
 */
export function sqlitePrune(database: DatabaseSync): (limits: HistoryLimits) => number {
  const pruneRuns: Record<RetentionClass, Pruner> = {
    short: prunerOf(database, 'runs', "status <> 'failed'"),
    long: prunerOf(
      database,
      'runs INDEXED BY runs_by_status',
      "status = 'failed' AND status <> 'succeeded'",
    ),
  };
  const pruneCallbacks = database.prepare(`
    DELETE FROM outbox WHERE id IN (
      SELECT id FROM outbox
      WHERE kind = 'callback' AND state IN ('succeeded', 'failed') AND run_id < ? AND keep = ?
      LIMIT ? + 0)`);
  const pruneChanges = database.prepare(`
    DELETE FROM schedule_changes WHERE (schedule_key, changed_at) IN (
      SELECT schedule_key, changed_at FROM schedule_changes WHERE changed_at < ? LIMIT ? + 0)`);
  const pruneVersions = database.prepare(`
    DELETE FROM schedule_versions WHERE (schedule_key, version) IN (
      SELECT schedule_key, version FROM schedule_versions WHERE until_at < ? LIMIT ? + 0)`);
  const pruneBreakers = database.prepare(`
    DELETE FROM breakers WHERE id IN (SELECT id FROM breakers WHERE closed_at < ? LIMIT ? + 0)`);

  return limits => {
    let room = PRUNED_AT_ONCE;
    for (const keep of RETENTION_CLASSES) {
      const before = limitOf(keep, limits);
      room -= pruneRuns[keep](before, room);
      room -= Number(pruneCallbacks.run(lowestIdAt(before), keep, room).changes);
    }
    room -= Number(pruneChanges.run(limitOf('long', limits), room).changes);
    room -= Number(pruneVersions.run(limitOf('long', limits), room).changes);
    room -= Number(pruneBreakers.run(limitOf('long', limits), room).changes);
    return PRUNED_AT_ONCE - room;
  };
}

/** Takes away runs from before an instant (epoch ms), at most `room`. @returns how many */
type Pruner = (before: number, room: number) => number;

/**
 * Client by client, and in each from the oldest run on: ranges of an index, for rows that are looked up
 * one by one cost a quarter more. One index for all clients would be paid for with every firing.
 *
 * A call goes on where the one before it stopped: what is kept for longer is passed once, and not by
 * each call.
 */
function prunerOf(database: DatabaseSync, runs: string, which: string): Pruner {
  const next = database.prepare(`
    SELECT clients.client_key AS client FROM clients CROSS JOIN ${runs} USING (client_key)
    WHERE clients.client_key > ? AND scheduled_for < ? AND ${which} LIMIT 1`);
  const own = `FROM ${runs} WHERE client_key = :client AND ${which}`;
  // The last that there is room for, by its place in the table.
  const last = database.prepare(`
    SELECT scheduled_for AS at, schedule_key AS key, manual_id AS manual ${own}
      AND scheduled_for >= :from AND scheduled_for < :until
    ORDER BY scheduled_for, schedule_key, manual_id LIMIT 1 OFFSET :room - 1`);
  const between = database.prepare(
    `DELETE ${own} AND scheduled_for >= :from AND scheduled_for < :until`,
  );
  const ofLast = database.prepare(`
    DELETE ${own} AND scheduled_for = :at AND (schedule_key, manual_id) <= (:key, :manual)`);
  let client = 0;
  /** The earliest instant of the client's oldest run; null once all runs that are too old are gone. */
  let from: number | null = null;

  function pruneOne(since: number, until: number, room: number): number {
    const end = last.get({ client, from: since, until, room }) as Place | undefined;
    from = end?.at ?? null;
    const { changes } = between.run({ client, from: since, until: end?.at ?? until });
    if (end === undefined) return Number(changes);
    return Number(changes) + Number(ofLast.run({ client, ...end }).changes);
  }

  return (until, room) => {
    let left = room;
    while (left > 0) {
      if (from === null) {
        client = (next.get(client, until)?.client as number | undefined) ?? 0;
        if (client === 0) break;
      }
      left -= pruneOne(from ?? 0, until, left);
    }
    return room - left;
  };
}

interface Place {
  at: number;
  key: number;
  manual: string;
}
