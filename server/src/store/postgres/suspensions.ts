import { LOOKED_AT_MS, PUT_OFF_MS, RETURN_MS } from '../../domain/run/suspension.ts';
import { type Cell, RUN, SERVICE_CHANGE } from '../columns.ts';
import type {
  ReadmittedRows,
  SuspensionStore,
  TakenClaim,
  TakenEntry,
} from '../contract/suspensions.ts';
import { FENCE_OF_CLAIM } from '../fence.ts';
import { runRow } from '../rows/runs.ts';
import { addTo, completionFrom, decided, readmittedFrom } from '../rows/suspensions.ts';
import { loadCalendarsOf } from './calendars.ts';
import { type Connections, columnsOf, type Query, type Statement } from './connection.ts';
import type { Lease } from './lease.ts';
import { runValues, runWriter } from './runs.ts';
import { writeChanges } from './service-change.ts';
import { holdSchedules, IS_DELETED } from './settle-outbox.ts';

/** Rows of one call: a transaction holds them for some 100 ms at most. */
const ROWS_AT_ONCE = 200;
/** Records of missed times that go with them. */
const RECORDS_AT_ONCE = 2_000;

const list: Statement = {
  name: 'suspensions_list',
  text: `
    SELECT client_key, (resumed_at IS NOT NULL)::integer AS is_resumed FROM clients
    WHERE suspended_at IS NOT NULL`,
};
/** Until this transaction ends, the suspensions do not. */
const holdClients: Statement = {
  name: 'suspensions_hold_clients',
  text: `
    SELECT client_key FROM clients WHERE client_key = ANY ($1) AND suspended_at IS NOT NULL
    ORDER BY client_key FOR SHARE`,
};
const putOff: Statement = {
  name: 'suspensions_put_off',
  text: `
    UPDATE queue SET state = given.was, due_at = due_at + ${PUT_OFF_MS}, attempt = made,
      lease_until = NULL
    FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::integer[])
      AS given (key, was_for, was_attempt, was_fence, was_changed_at, was, made)
    WHERE schedule_key = key AND state IS NOT DISTINCT FROM 'inFlight' AND claimed_by = $8
      AND scheduled_for = was_for AND attempt = was_attempt AND ${FENCE_OF_CLAIM} = was_fence
      AND changed_at IS NOT DISTINCT FROM was_changed_at
    RETURNING schedule_key`,
};
/** An entry that was deleted since its claim ends unsent: nothing would bring it back. The caller holds the schedules. */
const putOffEntries: Statement = {
  name: 'suspensions_put_off_entries',
  text: `
    WITH moved AS (
      UPDATE outbox SET state = 'waiting', due_at = due_at + ${PUT_OFF_MS}, attempt = made,
        lease_until = NULL
      FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::integer[])
        AS given (given_id, was_attempt, was_claimed_at, made)
      WHERE id = given_id AND state IS NOT DISTINCT FROM 'inFlight' AND claimed_by = $5
        AND attempt = was_attempt AND claimed_at = was_claimed_at AND NOT (${IS_DELETED}) AND (kind = 'manual' OR NOT EXISTS (
          SELECT 1 FROM clients
          WHERE clients.client_key = outbox.client_key AND deleted_at IS NOT NULL))
      RETURNING id, kind, schedule_key
    ), freed AS (
      UPDATE queue SET blocked_since = NULL
      WHERE schedule_key = ANY (ARRAY(SELECT schedule_key FROM moved WHERE kind = 'manual'))
    )
    SELECT id FROM moved`,
};
/** With their schedules: one that has no time to come completes. Nothing is waited for, so the order of locks does not matter. */
const away: Statement = {
  name: 'suspensions_away',
  text: `
    SELECT queue.schedule_key, state, due_at, scheduled_for, next_for, attempt, attempts, changed_at,
      schedules.id AS schedule_id, status, interval, timezone, timing, suspended_at
    FROM queue JOIN schedules USING (schedule_key) JOIN clients USING (client_key)
    WHERE state <> 'inFlight' AND due_at >= ${PUT_OFF_MS} AND client_key = $1
      AND resumed_at IS NOT NULL AND needs <= $2
    ORDER BY due_at LIMIT ${ROWS_AT_ONCE}
    FOR NO KEY UPDATE OF schedules SKIP LOCKED FOR UPDATE OF queue SKIP LOCKED`,
};
/** A row that waits for another time than before has no change to be looked at. */
const move: Statement = {
  name: 'suspensions_move',
  text: `
    UPDATE queue SET due_at = given.due_at, scheduled_for = given.scheduled_for,
      next_for = given.next_for,
      changed_at = CASE WHEN state = 'waiting' AND queue.scheduled_for <> given.scheduled_for
        THEN NULL ELSE changed_at END
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
      AS given (key, due_at, scheduled_for, next_for)
    WHERE schedule_key = key`,
};
const remove: Statement = {
  name: 'suspensions_remove',
  text: 'DELETE FROM queue WHERE schedule_key = ANY ($1)',
};
const writeRuns: Statement = {
  name: 'suspensions_write_runs',
  text: `
    WITH overtaken AS (SELECT 0::bigint AS n WHERE false), ${runWriter(1)}
    SELECT 1`,
};
const entriesBack: Statement = {
  name: 'suspensions_entries_back',
  text: `
    UPDATE outbox SET due_at = greatest(due_at - ${PUT_OFF_MS}, $2::bigint + ${RETURN_MS})
    WHERE id = ANY (ARRAY(
      SELECT outbox.id FROM outbox JOIN clients USING (client_key)
      WHERE state = 'waiting' AND due_at >= ${PUT_OFF_MS} AND client_key = $1
        AND resumed_at IS NOT NULL
      LIMIT ${ROWS_AT_ONCE}
      FOR UPDATE OF outbox SKIP LOCKED))
    RETURNING id`,
};
/** It waits for rows that are being put off, and the next statement sees them. */
const lockClient: Statement = {
  name: 'suspensions_lock_client',
  text: 'SELECT 1 FROM clients WHERE client_key = $1 AND resumed_at IS NOT NULL FOR UPDATE',
};
/** Rows that came due before the end, and were not looked at yet, are put off first, also those that were just claimed. */
const end: Statement = {
  name: 'suspensions_end',
  text: `
    UPDATE clients SET suspended_at = NULL, resumed_at = NULL
    WHERE client_key = $1 AND NOT EXISTS (
      SELECT 1 FROM queue JOIN schedules USING (schedule_key)
      WHERE state <> 'inFlight' AND due_at <= least(clients.resumed_at, $2::bigint) AND client_key = $1)
      AND NOT EXISTS (
      SELECT 1 FROM queue JOIN schedules USING (schedule_key)
      WHERE state <> 'inFlight' AND due_at >= ${PUT_OFF_MS} AND client_key = $1)
      AND NOT EXISTS (
      SELECT 1 FROM queue JOIN schedules USING (schedule_key)
      WHERE state = 'inFlight' AND due_at <= least(clients.resumed_at, $2::bigint)
        AND abs(claimed_at - $2::bigint) <= ${LOOKED_AT_MS} AND client_key = $1)
      AND NOT EXISTS (
      SELECT 1 FROM outbox
      WHERE state = 'waiting' AND due_at >= ${PUT_OFF_MS} AND client_key = $1)
    RETURNING 1`,
};

/** @param level of this engine: rows that need a higher one are left to newer nodes */
export function postgresSuspensions(
  { query, transaction }: Connections,
  { node }: Lease,
  level: number,
): SuspensionStore {
  /** The claims of clients that stay suspended until the transaction ends. */
  async function held<Claim extends { clientRowId: number }>(
    send: Query,
    claims: Claim[],
  ): Promise<Claim[]> {
    const keys = [...new Set(claims.map(({ clientRowId }) => clientRowId))];
    const suspended = new Set((await send(holdClients, [keys])).map(row => row.client_key));
    return claims.filter(({ clientRowId }) => suspended.has(clientRowId));
  }

  async function bite(send: Query, clientRowId: number, now: number): Promise<ReadmittedRows> {
    const entries = await send(entriesBack, [clientRowId, now]);
    const back: ReadmittedRows = { count: entries.length, dueAt: null, passed: [] };
    const moved: Cell[][] = [];
    const ended: Cell[][] = [];
    const records: Cell[][] = [];
    const rows = await send(away, [clientRowId, level]);
    await loadCalendarsOf(send, rows);
    for (const cells of rows) {
      const readmission = readmittedFrom(cells, now);
      const { row, passed } = readmission;
      const key = cells.schedule_key as number;
      if (row === null) ended.push([key, ...SERVICE_CHANGE.cells(completionFrom(cells, now))]);
      else moved.push([key, row.dueAt, row.scheduledFor, row.nextFor]);
      records.push(
        ...decided(passed, now).map(record => RUN.cells(runRow(clientRowId, key, record))),
      );
      addTo(back, cells, readmission);
      if (records.length > RECORDS_AT_ONCE) break;
    }
    if (moved.length > 0) await send(move, columnsOf(moved));
    if (ended.length > 0) {
      await send(remove, [ended.map(([key]) => key as number)]);
      await writeChanges(send, ended);
    }
    if (records.length > 0) await send(writeRuns, runValues([records]));
    return back;
  }

  return {
    async list() {
      return (await query(list)).map(({ client_key, is_resumed }) => ({
        clientRowId: client_key as number,
        isResumed: is_resumed === 1,
      }));
    },
    putOff(claims) {
      return transaction(async send => {
        const cells = (await held(send, claims)).map(claimCells);
        if (cells.length === 0) return [];
        const rows = await send(putOff, [...columnsOf(cells), node]);
        return rows.map(row => row.schedule_key as number);
      });
    },
    putOffEntries(claims) {
      return transaction(async send => {
        const entries = await held(send, claims);
        if (entries.length === 0) return [];
        await send(holdSchedules, [entries.map(({ scheduleRowId }) => scheduleRowId)]);
        const rows = await send(putOffEntries, [...columnsOf(entries.map(entryCells)), node]);
        return rows.map(row => row.id as string);
      });
    },
    async readmit(clientRowId, now) {
      const back = await transaction(send => bite(send, clientRowId, now));
      if (back.count > 0) return back;
      return transaction(async send => {
        if ((await send(lockClient, [clientRowId])).length === 0) return null;
        return (await send(end, [clientRowId, now])).length === 0 ? back : null;
      });
    },
  };
}

function claimCells(claim: TakenClaim): Cell[] {
  const { scheduleRowId, scheduledFor, attempt, fence, changedAt, was, attempts } = claim;
  return [scheduleRowId, scheduledFor, attempt, fence, changedAt, was, attempts.length];
}

function entryCells({ id, attempt, claimedAt, attempts }: TakenEntry): Cell[] {
  return [id, attempt, claimedAt, attempts.length];
}
