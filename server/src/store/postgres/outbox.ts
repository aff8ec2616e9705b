import { IDEMPOTENCY_KEPT_MS } from '../../domain/idempotency.ts';
import { type Cell, type Row, readFrom, SECRETS, selected } from '../columns.ts';
import type { IdempotentCall } from '../contract/idempotency.ts';
import type { ManualInsert, OutboxStore } from '../contract/queue.ts';
import { fencesWithoutRow, nextFence } from '../fence.ts';
import { MOST_MANUAL_RUNS, tooManyWaiting } from '../manual-runs.ts';
import { isDropped, outboxClaimFrom, outboxDepthSql, restoredCells } from '../rows/outbox.ts';
import { takenBefore } from '../rows/queue.ts';
import { type Connections, columnsOf, type Query, type Statement } from './connection.ts';
import { fireableSchedulesOf } from './fireable-schedules.ts';
import { callParameters, callValues, keepCallSql, postgresIdempotency } from './idempotency.ts';
import { cutLeasesOf, type Lease } from './lease.ts';
import type { Notifier } from './notifications/notifier.ts';
import { outboxRecount } from './recount.ts';
import { IS_DELETED, outboxSettle } from './settle-outbox.ts';

const insertManual: Statement = {
  name: 'outbox_insert_manual',
  text: `
    INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for)
    SELECT $1::text, 'manual', client_key, schedule_key, 'waiting', $2::bigint, $2
    FROM schedules WHERE client_key = $3 AND id = $4 AND status <> 'deleted'
    RETURNING 'inserted' AS became`,
};
/**
 * The same with a call. A row of `kept` is a new call of a schedule that is there. The look for a kept one does not see a
 * call of the same moment: then the schedule is there, and the row was not written.
 */
const insertManualCall: Statement = {
  name: 'outbox_insert_manual_call',
  text: `
    WITH found AS MATERIALIZED (
      SELECT client_key, schedule_key FROM schedules
      WHERE client_key = $3 AND id = $4 AND status <> 'deleted'
    ), kept AS (
      ${keepCallSql(5, `SELECT client_key, ${callParameters(5)} FROM found`)}
    ), made AS (
      INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for)
      SELECT $1::text, 'manual', client_key, schedule_key, 'waiting', $2::bigint, $2
      FROM found WHERE EXISTS (SELECT FROM kept)
      RETURNING 1
    )
    SELECT CASE WHEN EXISTS (SELECT FROM made) THEN 'inserted'
      WHEN EXISTS (SELECT FROM found) OR EXISTS (
        SELECT FROM idempotency
        WHERE client_key = $3 AND key = $5 AND at >= $8::bigint - ${IDEMPOTENCY_KEPT_MS}) THEN 'replayed'
      ELSE 'unknown' END AS became`,
};
const manualRuns: Statement = {
  name: 'outbox_manual_runs',
  text: `
    SELECT count(*)::integer AS runs FROM (
      SELECT 1 FROM outbox WHERE client_key = $1 AND kind = 'manual' AND trigger IS NULL
      LIMIT ${MOST_MANUAL_RUNS}) AS first_ones`,
};
/** Asked of one row by its key; as `NOT EXISTS` it reads all that has begun (queue.ts, `settle`). */
const SCHEDULE_IS_FREE = `(
        SELECT queue.state FROM queue WHERE queue.schedule_key = outbox.schedule_key
      ) IN ('inFlight', 'lost', 'awaiting') IS NOT TRUE`;
// A manual run waits for every other run of its schedule, an earlier manual run included, and
// for one that was cut off: that is sent again before anything newer.
const HAS_ITS_TURN = `${SCHEDULE_IS_FREE}
        AND NOT EXISTS (
          SELECT 1 FROM outbox AS other
          WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
            AND (other.state IN ('inFlight', 'awaiting')
              OR (other.due_at, other.id) < (outbox.due_at, outbox.id)))`;
const dueOf = (isOfIt: string) => `
      SELECT id, kind, schedule_key, trigger, state, due_at FROM outbox
      WHERE due_at <= $1 AND ${isOfIt}
      ORDER BY due_at, id LIMIT $2
      FOR UPDATE SKIP LOCKED`;
const due: Statement = {
  name: 'outbox_due',
  text: `
    WITH due AS MATERIALIZED (${dueOf(`state = 'waiting' AND (kind = 'callback' OR ${HAS_ITS_TURN})`)}
    ), reserved AS MATERIALIZED (${dueOf(`state = 'reserved' AND needs <= $3 AND ${HAS_ITS_TURN}`)}
    ), awaited AS MATERIALIZED (${dueOf("state = 'awaiting' AND needs <= $3")}
    )
    SELECT * FROM (
      SELECT * FROM awaited UNION ALL SELECT * FROM due UNION ALL SELECT * FROM reserved) AS found
    ORDER BY state = 'awaiting' DESC, due_at, id LIMIT $2`,
};
/** Those that await their completion: no attempt begins with them. */
const takeAwaited: Statement = {
  name: 'outbox_take_awaited',
  text: `
    UPDATE outbox SET state = 'inFlight', claimed_at = $1, claimed_by = $2,
      lease_until = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE id = ANY ($4)
    RETURNING *`,
};
const lockSchedules: Statement = {
  name: 'outbox_lock_schedules',
  text: `
    SELECT schedule_key FROM schedules WHERE schedule_key = ANY ($1)
    ORDER BY schedule_key FOR NO KEY UPDATE SKIP LOCKED`,
};
const WITHOUT_ROW = `
      SELECT key, $1 FROM unnest($2::bigint[]) AS key
      WHERE (SELECT queue.schedule_key FROM queue WHERE queue.schedule_key = key) IS NULL`;
/**
 * A schedule without a row in the queue is told as well; one whose row is not free is not. Both hold until the end of the
 * transaction: a row that was blocked is locked by that, and none is made while the schedule is locked. A dropped run sends
 * nothing, so times that come meanwhile are not behind it.
 */
const block: Statement = {
  name: 'outbox_block',
  text: `
    WITH blocked AS (
      UPDATE queue SET claimed_at = ${takenBefore('$1')},
        blocked_since = CASE WHEN schedule_key = ANY ($3) THEN NULL ELSE $1::bigint END,
        fence = ${nextFence('greatest', '$1')}
      WHERE schedule_key = ANY ($2) AND state IN ('inFlight', 'lost', 'awaiting') IS NOT TRUE AND NOT EXISTS (
        SELECT 1 FROM outbox
        WHERE outbox.schedule_key = queue.schedule_key AND kind = 'manual'
          AND outbox.state IN ('inFlight', 'awaiting'))
      RETURNING schedule_key, fence
    ), without_row AS (${fencesWithoutRow('greatest', '$1', WITHOUT_ROW)}
    )
    SELECT schedule_key, fence FROM blocked UNION ALL SELECT schedule_key, fence FROM without_row`,
};
const take: Statement = {
  name: 'outbox_take',
  text: `
    WITH taken AS (
      UPDATE outbox SET state = 'inFlight', claimed_at = $1, attempt = attempt + 1,
        claimed_by = $2, lease_until = clock_timestamp() + $3 * interval '1 millisecond'
      WHERE id = ANY ($4) AND (kind = 'callback' OR schedule_key = ANY ($5)
        AND NOT EXISTS (
          SELECT 1 FROM outbox AS other
          WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
            AND other.state IN ('inFlight', 'awaiting')))
      RETURNING *
    )
    SELECT taken.id, kind, taken.client_key, schedule_key, attempt, attempts, scheduled_for, trigger, run_id,
      integration_id, url, body, clients.id AS client_id, ${selected(readFrom('clients', SECRETS))}
    FROM taken JOIN clients USING (client_key)
    ORDER BY due_at, id`,
};

const nextDue: Statement = {
  name: 'outbox_next_due',
  text: `
    SELECT least(${['waiting', 'reserved', 'awaiting']
      .map(
        state => `(
        SELECT min(due_at) FROM outbox
        WHERE state = '${state}' AND due_at > $1::bigint${state === 'waiting' ? '' : ' AND needs <= $2'})`,
      )
      .join()}) AS due_at`,
};
const depth: Statement = {
  name: 'outbox_depth',
  text: outboxDepthSql(['waiting', 'reserved'], 'reserved'),
};
const renew: Statement = {
  name: 'outbox_renew',
  text: `
    UPDATE outbox SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE id = ANY (ARRAY(
      SELECT id FROM outbox
      WHERE id = ANY ($1) AND state IS NOT DISTINCT FROM 'inFlight' AND claimed_by = $2
      FOR UPDATE SKIP LOCKED))
    RETURNING id, (${IS_DELETED})::integer AS is_deleted`,
};
const cutOff: Statement = {
  name: 'outbox_cut_off',
  text: `
    SELECT outbox.id, kind, scheduled_for, attempt, attempts, claimed_at, trigger,
      policy, status, updated_at
    FROM outbox LEFT JOIN schedules USING (schedule_key)
    WHERE state = 'inFlight' AND lease_until <= statement_timestamp()
    ORDER BY lease_until LIMIT $1 FOR UPDATE OF outbox SKIP LOCKED`,
};
/** The target of a manual run that was cut off may have said how it ended. */
const restore: Statement = {
  name: 'outbox_restore',
  text: `
    UPDATE outbox SET due_at = least(due_at, $1), lease_until = NULL,
      attempt = given.attempt, attempts = given.attempts,
      state = CASE WHEN awaits = 1 OR EXISTS (
        SELECT FROM completions WHERE completions.run_id = outbox.id AND completions.attempt = outbox.attempt)
        THEN 'awaiting' ELSE 'waiting' END
    FROM unnest($2::integer[], $3::text[], $4::integer[], $5::text[])
      AS given (attempt, attempts, awaits, id)
    WHERE outbox.id = given.id`,
};

const cutLeases: Statement = {
  name: 'outbox_cut_leases',
  text: cutLeasesOf('outbox', "state = 'inFlight'"),
};

/** Rows of one transaction of `recover`. */
const RECOVERED_AT_ONCE = 1_000;

/** @param level of this engine: manual runs that need a higher one are left to newer nodes */
export function postgresOutbox(
  connections: Connections,
  lease: Lease,
  notifier: Notifier,
  level: number,
): OutboxStore {
  const { query, transaction } = connections;
  const { node, leaseMs } = lease;
  const calls = postgresIdempotency(query);

  async function isKept(clientRowId: number, { key, at }: IdempotentCall): Promise<boolean> {
    return (await calls.find(clientRowId, key, at - IDEMPOTENCY_KEPT_MS)) !== null;
  }

  /** @returns how many */
  function recoverSome(now: number): Promise<number> {
    return transaction(async send => {
      const rows = await send(cutOff, [RECOVERED_AT_ONCE]);
      if (rows.length > 0)
        await send(restore, [now, ...columnsOf(rows.map(row => restoredCells(row, now)))]);
      return rows.length;
    });
  }

  return {
    async insertManual(clientRowId, scheduleId, { id, scheduledFor }, call) {
      const values = [id, scheduledFor, clientRowId, scheduleId];
      const [waiting] = await query(manualRuns, [clientRowId]);
      if (waiting!.runs === MOST_MANUAL_RUNS) {
        if (call !== undefined && (await isKept(clientRowId, call))) return 'replayed';
        throw tooManyWaiting();
      }
      const [row] = await (call === undefined
        ? query(insertManual, values)
        : query(insertManualCall, [...values, ...callValues(call, [id])]));
      const became = (row?.became ?? 'unknown') as ManualInsert;
      if (became === 'inserted') notifier.manual(scheduleId);
      return became;
    },
    async claim(now, limit) {
      const { rows, fences } = await transaction(send => takeDue(send, [now, limit, level], lease));
      const schedules = await fireableSchedulesOf(
        query,
        rows.filter(({ kind }) => kind === 'manual'),
      );
      return rows.map(row => {
        const key = row.schedule_key!;
        const fence = fences.get(key) ?? (row.kind === 'manual' ? now : undefined);
        const schedule = fence === undefined ? undefined : { ...schedules.get(key), fence };
        return outboxClaimFrom(row, now, schedule);
      });
    },
    settle: outboxSettle(connections, lease, notifier),
    recount: outboxRecount(connections),
    async nextDueAt(after = Number.MIN_SAFE_INTEGER) {
      return (await query(nextDue, [after, level]))[0]!.due_at as number | null;
    },
    async depth() {
      return (await query(depth))[0]!.depth as number;
    },
    async renew(ids) {
      if (ids.length === 0) return [];
      const rows = await query(renew, [ids, node, leaseMs]);
      return rows.filter(row => row.is_deleted === 0).map(({ id }) => id as string);
    },
    async recover(now) {
      await query(cutLeases, [leaseMs]);
      let count = 0;
      for (;;) {
        const some = await recoverSome(now);
        count += some;
        if (some < RECOVERED_AT_ONCE) return count;
      }
    },
  };
}

/** The fences of the schedules whose manual run may be taken, by their keys. */
type Fences = Map<Cell, number>;

/**
 * Takes what is due. A manual run's schedule is locked against other nodes' manual runs and against
 * changes, and its row of the queue against claims; what another one holds is left for later.
 */
async function takeDue(
  send: Query,
  [now, limit, level]: [now: number, limit: number, level: number],
  lease: Lease,
): Promise<{ rows: Row[]; fences: Fences }> {
  const found = await send(due, [now, limit, level]);
  if (found.length === 0) return { rows: [], fences: new Map() };
  const awaited = found.filter(({ state }) => state === 'awaiting').map(({ id }) => id as string);
  const rest = found.filter(({ state }) => state !== 'awaiting');
  const ended =
    awaited.length === 0 ? [] : await send(takeAwaited, [now, lease.node, lease.leaseMs, awaited]);
  if (rest.length === 0) return { rows: ended, fences: new Map() };
  const manual = rest.filter(({ kind }) => kind === 'manual');
  const fences: Fences = manual.length === 0 ? new Map() : await blockFor(send, now, manual);
  const ids = rest.map(({ id }) => id as string);
  const keys = [...fences.keys()] as number[];
  const begun = await send(take, [now, lease.node, lease.leaseMs, ids, keys]);
  return { rows: [...ended, ...begun], fences };
}

async function blockFor(send: Query, now: number, manual: Row[]): Promise<Fences> {
  const keys = manual.map(row => row.schedule_key as number);
  const locked = (await send(lockSchedules, [keys])).map(row => row.schedule_key as number);
  const dropped = manual.filter(isDropped).map(row => row.schedule_key as number);
  const rows = await send(block, [now, locked, dropped]);
  return new Map(rows.map(({ schedule_key, fence }) => [schedule_key!, fence as number]));
}
