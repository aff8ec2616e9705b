import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import type { RunFilter } from '../contract/runs.ts';
import {
  boundsOf,
  furtherOf,
  hasStatus,
  liveRuns,
  type PositionedRun,
  type RunPosition,
  rangeOf,
} from '../rows/runs.ts';

export interface LiveRuns {
  /** The first `limit` of them behind `before`, and maybe more; in no order. */
  list(clientRowId: number, filter: RunFilter, limit: number, before: RunPosition): PositionedRun[];
  /** All of one schedule, by its key. */
  of(clientRowId: number, scheduleRowId: number, now?: number): PositionedRun[];
  /** A manual run, by its id; null where it has ended, or never was. */
  manual(clientRowId: number, id: string): PositionedRun | null;
}

/**
 * Runs that have begun and not ended. Runs in flight are bounded, and read as a whole. Tens of thousands may
 * wait for a retry or for their completion, and a page of them is a range of an index.
 */
export function sqliteLiveRuns(database: DatabaseSync): LiveRuns {
  // Without the names of their indexes, these read all schedules of the client and all callbacks
  // that ever were: 9 ms at 20,000 and 50,000 of them, instead of 0.1 ms.
  const inFlight = database.prepare(`
    SELECT queue.*, schedules.id AS schedule_id
    FROM queue INDEXED BY queue_in_flight CROSS JOIN schedules USING (schedule_key)
    WHERE queue.state = 'inFlight' AND queue.attempt > 0
      AND NOT (queue.attempt = 1 AND queue.claimed_at < queue.due_at AND :now < queue.due_at)
      AND schedules.client_key = :clientRowId
      AND queue.scheduled_for >= :from AND queue.scheduled_for < :to`);
  const pageOf = (index: string, isOfIt: string) => `
    SELECT queue.*, schedules.id AS schedule_id
    FROM queue INDEXED BY ${index} CROSS JOIN schedules USING (schedule_key)
    WHERE ${isOfIt} AND schedules.client_key = :clientRowId
      AND queue.scheduled_for >= :from AND queue.scheduled_for <= :upTo
      AND (queue.scheduled_for, queue.schedule_key, '') < (:scheduledFor, :scheduleRowId, :manualId)
    ORDER BY queue.scheduled_for DESC, queue.schedule_key DESC LIMIT :limit + 0`;
  const retrying = database.prepare(
    pageOf('queue_retrying', "queue.state IN ('retrying', 'lost')"),
  );
  const awaiting = database.prepare(pageOf('queue_awaiting', "queue.state = 'awaiting'"));
  const manual = database.prepare(`
    SELECT outbox.*, schedules.id AS schedule_id
    FROM outbox INDEXED BY outbox_asked_for CROSS JOIN schedules USING (schedule_key)
    WHERE outbox.kind = 'manual' AND outbox.trigger IS NULL AND outbox.client_key = :clientRowId
      AND outbox.scheduled_for >= :from AND outbox.scheduled_for < :to`);
  // Runs that targets asked for: as many may wait as there are schedules.
  const further = database.prepare(`
    SELECT outbox.*, schedules.id AS schedule_id
    FROM outbox INDEXED BY outbox_further CROSS JOIN schedules USING (schedule_key)
    WHERE outbox.trigger IS NOT NULL AND outbox.client_key = :clientRowId
      AND outbox.scheduled_for >= :from AND outbox.scheduled_for <= :upTo
      AND (outbox.scheduled_for, outbox.schedule_key, outbox.id)
        < (:scheduledFor, :scheduleRowId, :manualId)
      AND (:isBegun IS NULL OR (outbox.attempt > 0) = :isBegun)
    ORDER BY outbox.scheduled_for DESC, outbox.schedule_key DESC, outbox.id DESC LIMIT :most + 0`);
  const ofQueue = database.prepare(`
    SELECT queue.*, schedules.id AS schedule_id
    FROM schedules CROSS JOIN queue USING (schedule_key)
    WHERE schedules.schedule_key = ? AND schedules.client_key = ?
      AND queue.state <> 'waiting' AND queue.attempt > 0`);
  const ofOutbox = database.prepare(`
    SELECT outbox.*, schedules.id AS schedule_id
    FROM schedules CROSS JOIN outbox INDEXED BY outbox_manual USING (schedule_key)
    WHERE outbox.schedule_key = ? AND schedules.client_key = ? AND outbox.kind = 'manual'`);
  const manualOf = database.prepare(`
    SELECT outbox.*, schedules.id AS schedule_id
    FROM outbox CROSS JOIN schedules USING (schedule_key)
    WHERE outbox.id = ? AND outbox.client_key = ? AND outbox.kind = 'manual'`);

  return {
    list(clientRowId, filter, limit, before) {
      const { status, now = Number.MAX_SAFE_INTEGER } = filter;
      const range = { clientRowId, ...rangeOf(filter) };
      const rows: unknown[] = [];
      if (hasStatus(status, 'running', 'retrying')) rows.push(...inFlight.all({ ...range, now }));
      const page = { clientRowId, ...boundsOf(filter, before), ...before, limit };
      if (hasStatus(status, 'retrying')) rows.push(...retrying.all(page));
      if (hasStatus(status, 'running')) rows.push(...awaiting.all(page));
      if (hasStatus(status, 'running', 'retrying', 'queued')) {
        const page = { clientRowId, ...boundsOf(filter, before), ...before };
        rows.push(...manual.all(range), ...further.all({ ...page, ...furtherOf(status, limit) }));
      }
      return liveRuns(rows as Row[], status, now);
    },
    of(clientRowId, scheduleRowId, now = Number.MAX_SAFE_INTEGER) {
      const key = [scheduleRowId, clientRowId];
      const rows = [...ofQueue.all(...key), ...ofOutbox.all(...key)] as Row[];
      return liveRuns(rows, undefined, now);
    },
    manual(clientRowId, id) {
      const rows = manualOf.all(id, clientRowId) as Row[];
      return liveRuns(rows, undefined, Number.MAX_SAFE_INTEGER)[0] ?? null;
    },
  };
}
