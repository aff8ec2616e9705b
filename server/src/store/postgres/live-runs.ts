import type { RunStatus } from '../../domain/run/run.ts';
import type { Row } from '../columns.ts';
import type { RunFilter } from '../contract/runs.ts';
import {
  furtherOf,
  hasStatus,
  liveRuns,
  type PositionedRun,
  type RunPosition,
  rangeOf,
} from '../rows/runs.ts';
import type { Query, Statement } from './connection.ts';

export interface LiveRuns {
  /** The first `limit` of them behind `before`, and maybe more; in no order. */
  list(
    clientRowId: number,
    filter: RunFilter,
    limit: number,
    before: RunPosition,
  ): Promise<PositionedRun[]>;
  /** All of one schedule, by its key. */
  of(clientRowId: number, scheduleRowId: number, now?: number): Promise<PositionedRun[]>;
  /** A manual run, by its id; null where it has ended, or never was. */
  manual(clientRowId: number, id: string): Promise<PositionedRun | null>;
}

const COLUMNS = 'schedule_key, scheduled_for, state, attempt, attempts, due_at, claimed_at';
const OF_OUTBOX = `${COLUMNS}, id, kind, trigger`;

/**
 * Live runs, each with its schedule. `OFFSET 0` keeps the planner from beginning with all schedules of the
 * client, which took 50 ms at 20,000 of them.
 *
 * @param rows with the client as $1
 */
const owned = (rows: string) => `
    SELECT live.*, owned.id AS schedule_id
    FROM (${rows}) AS live CROSS JOIN LATERAL (
      SELECT id FROM schedules
      WHERE schedules.schedule_key = live.schedule_key AND client_key = $1
      OFFSET 0) AS owned`;
/** A page of the runs that wait. */
const pageOf = (isOfIt: string, limit: string) => `${owned(`
      SELECT ${COLUMNS}, changed_at FROM queue
      WHERE ${isOfIt} AND scheduled_for >= $2 AND scheduled_for < $3
        AND scheduled_for <= $5::bigint
        AND (scheduled_for, schedule_key, '') < ($5, $6::bigint, $7::text)
      ORDER BY scheduled_for DESC, schedule_key DESC OFFSET 0`)}
      ORDER BY scheduled_for DESC, schedule_key DESC LIMIT ${limit}`;
/**
 * Runs in flight have a lease, and are read as a whole. Runs that wait for a retry or for their completion have none, and a
 * page of them is a range. One statement reads both, so that a run that moves between them is in one of them.
 */
const begun: Statement = {
  name: 'runs_begun',
  text: `
    SELECT * FROM (${owned(`
      SELECT ${COLUMNS}, changed_at FROM queue
      WHERE state <> 'waiting' AND lease_until IS NOT NULL AND attempt > 0
        AND NOT (attempt = 1 AND claimed_at < due_at AND $4 < due_at)
        AND scheduled_for >= $2 AND scheduled_for < $3
      OFFSET 0`)}) AS in_flight
    UNION ALL
    SELECT * FROM (${pageOf("state IN ('retrying', 'lost')", '$8')}) AS retrying
    UNION ALL
    SELECT * FROM (${pageOf("state = 'awaiting'", '$9')}) AS awaiting`,
};
const manual: Statement = {
  name: 'runs_manual',
  text: owned(`
    SELECT ${OF_OUTBOX} FROM outbox
    WHERE kind = 'manual' AND trigger IS NULL AND client_key = $1
      AND scheduled_for >= $2 AND scheduled_for < $3
    OFFSET 0`),
};
/** Runs that targets asked for: as many may wait as there are schedules. */
const further: Statement = {
  name: 'runs_further',
  text: owned(`
    SELECT ${OF_OUTBOX} FROM outbox
    WHERE trigger IS NOT NULL AND client_key = $1 AND scheduled_for >= $2 AND scheduled_for < $3
      AND scheduled_for <= $4::bigint AND (scheduled_for, schedule_key, id) < ($4, $5::bigint, $6::text)
      AND ($7::integer IS NULL OR (attempt > 0)::integer = $7)
    ORDER BY scheduled_for DESC, schedule_key DESC, id DESC LIMIT $8`),
};
const ofQueue: Statement = {
  name: 'runs_live_of_queue',
  text: owned(`
    SELECT ${COLUMNS}, changed_at FROM queue
    WHERE schedule_key = $2 AND state IS DISTINCT FROM 'waiting' AND attempt > 0`),
};
const ofOutbox: Statement = {
  name: 'runs_live_of_outbox',
  text: owned(`
    SELECT ${OF_OUTBOX} FROM outbox WHERE kind = 'manual' AND schedule_key = $2`),
};
const manualOf: Statement = {
  name: 'runs_live_manual',
  text: owned(`
    SELECT ${OF_OUTBOX} FROM outbox WHERE id = $2 AND client_key = $1
      AND kind IS NOT DISTINCT FROM 'manual'`),
};

/** Runs that have begun and not ended. */
export function postgresLiveRuns(query: Query): LiveRuns {
  return {
    // One after the other: what leaves the queue never enters the outbox.
    async list(clientRowId, filter, limit, before) {
      const { status, now = Number.MAX_SAFE_INTEGER } = filter;
      const { from, to } = rangeOf(filter);
      const rows: Row[] = [];
      if (hasStatus(status, 'running', 'retrying')) {
        const { scheduledFor, scheduleRowId, manualId } = before;
        const most = (those: RunStatus) => (hasStatus(status, those) ? limit : 0);
        const page = [scheduledFor, scheduleRowId, manualId, most('retrying'), most('running')];
        rows.push(...(await query(begun, [clientRowId, from, to, now, ...page])));
      }
      if (hasStatus(status, 'running', 'retrying', 'queued')) {
        rows.push(...(await query(manual, [clientRowId, from, to])));
        const { scheduledFor, scheduleRowId, manualId } = before;
        const { isBegun, most } = furtherOf(status, limit);
        const page = [scheduledFor, scheduleRowId, manualId, isBegun, most];
        rows.push(...(await query(further, [clientRowId, from, to, ...page])));
      }
      return liveRuns(rows, status, now);
    },
    async of(clientRowId, scheduleRowId, now = Number.MAX_SAFE_INTEGER) {
      const rows = await query(ofQueue, [clientRowId, scheduleRowId]);
      rows.push(...(await query(ofOutbox, [clientRowId, scheduleRowId])));
      return liveRuns(rows, undefined, now);
    },
    async manual(clientRowId, id) {
      const rows = await query(manualOf, [clientRowId, id]);
      return liveRuns(rows, undefined, Number.MAX_SAFE_INTEGER)[0] ?? null;
    },
  };
}
