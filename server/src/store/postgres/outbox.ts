import type { Attempt } from '../../domain/run/run.ts';
import {
  attempts,
  attemptsCell,
  bigint,
  CALLBACK,
  type Cell,
  Columns,
  integer,
  nullable,
  type Row,
  RUN,
  readFrom,
  SECRETS,
  selected,
  text,
} from '../columns.ts';
import type { OutboxSettlement, OutboxStore } from '../contract/queue.ts';
import { MOST_MANUAL_RUNS, tooManyWaiting } from '../manual-runs.ts';
import { IS_NOT_PUT_OFF, outboxClaimFrom } from '../rows/outbox.ts';
import { attemptsFrom, lostAttempt } from '../rows/row.ts';
import { callbackRow, runRow } from '../rows/runs.ts';
import {
  type Connections,
  columnsOf,
  parameters,
  type Query,
  type Statement,
} from './connection.ts';
import { fireableSchedulesOf } from './fireable-schedules.ts';
import { cutLeasesOf, type Lease } from './lease.ts';
import type { Notifier } from './notifications/notifier.ts';
import { outboxRecount } from './recount.ts';
import { RUN_PARAMETERS, runValues, runWriter } from './runs.ts';
import { callbackValues, callbackWriter, settleRounds } from './settle.ts';

const insertManual: Statement = {
  name: 'outbox_insert_manual',
  text: `
    INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for)
    SELECT $1::text, 'manual', client_key, schedule_key, 'waiting', $2::bigint, $2
    FROM schedules WHERE client_key = $3 AND id = $4 AND status <> 'deleted'
    RETURNING 1`,
};
const manualRuns: Statement = {
  name: 'outbox_manual_runs',
  text: `
    SELECT count(*)::integer AS runs FROM (
      SELECT 1 FROM outbox WHERE client_key = $1 AND kind = 'manual' LIMIT ${MOST_MANUAL_RUNS}) AS first_ones`,
};
/** Asked of one row by its key; as `NOT EXISTS` it reads all that has begun (queue.ts, `settle`). */
const SCHEDULE_IS_FREE = `(
        SELECT queue.state FROM queue WHERE queue.schedule_key = outbox.schedule_key
      ) IN ('inFlight', 'lost') IS NOT TRUE`;
// A manual run waits for every other request of its schedule, an earlier manual run included, and
// for one that was cut off: that is sent again before anything newer.
const due: Statement = {
  name: 'outbox_due',
  text: `
    SELECT id, kind, schedule_key FROM outbox
    WHERE state = 'waiting' AND due_at <= $1 AND (kind = 'callback' OR ${SCHEDULE_IS_FREE}
      AND NOT EXISTS (
        SELECT 1 FROM outbox AS other
        WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
          AND (other.state = 'inFlight'
            OR (other.due_at, other.id) < (outbox.due_at, outbox.id))))
    ORDER BY due_at, id LIMIT $2
    FOR UPDATE SKIP LOCKED`,
};
const lockSchedules: Statement = {
  name: 'outbox_lock_schedules',
  text: `
    SELECT schedule_key FROM schedules WHERE schedule_key = ANY ($1)
    ORDER BY schedule_key FOR NO KEY UPDATE SKIP LOCKED`,
};
const block: Statement = {
  name: 'outbox_block',
  text: `
    UPDATE queue SET blocked_since = $1
    WHERE schedule_key = ANY ($2) AND state IN ('inFlight', 'lost') IS NOT TRUE AND NOT EXISTS (
      SELECT 1 FROM outbox
      WHERE outbox.schedule_key = queue.schedule_key AND kind = 'manual'
        AND outbox.state = 'inFlight')`,
};
const take: Statement = {
  name: 'outbox_take',
  text: `
    WITH taken AS (
      UPDATE outbox SET state = 'inFlight', claimed_at = $1, attempt = attempt + 1,
        claimed_by = $2, lease_until = clock_timestamp() + $3 * interval '1 millisecond'
      WHERE id = ANY ($4) AND (kind = 'callback' OR schedule_key = ANY ($5) AND ${SCHEDULE_IS_FREE}
        AND NOT EXISTS (
          SELECT 1 FROM outbox AS other
          WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
            AND other.state = 'inFlight'))
      RETURNING *
    )
    SELECT taken.id, kind, taken.client_key, schedule_key, attempt, attempts, scheduled_for, run_id,
      integration_id, url, body, clients.id AS client_id, ${selected(readFrom('clients', SECRETS))}
    FROM taken JOIN clients USING (client_key)
    ORDER BY due_at, id`,
};

/**
 * Before a manual run is settled: a change that has seen it in flight, and is being written, made a row that
 * is blocked by it. The settlement waits for that, so that its statement sees the row and frees it.
 */
const holdSchedules: Statement = {
  name: 'outbox_hold_schedules',
  text: `
    SELECT 1 FROM schedules WHERE schedule_key = ANY ($1) ORDER BY schedule_key FOR SHARE`,
};
/** Of a manual run that waits for its retry: where its schedule was deleted meanwhile, it is due at once. */
const IS_DELETED = `outbox.kind = 'manual' AND EXISTS (
          SELECT 1 FROM schedules
          WHERE schedules.schedule_key = outbox.schedule_key AND status = 'deleted')`;
/** The fence of an entry, what it becomes, and the schedule whose row it blocked. */
const SETTLED = new Columns<{
  id: string;
  wasAttempt: number;
  state: string | null;
  dueAt: number | null;
  attempt: number | null;
  attempts: Attempt[];
  blockedKey: number | null;
}>({
  id: text(),
  wasAttempt: integer(),
  state: nullable(text()),
  dueAt: nullable(bigint()),
  attempt: nullable(integer()),
  attempts: attempts(),
  blockedKey: nullable(bigint()),
});
const FIRST_OF_RUNS = 2 + SETTLED.width;

/** The fence, the rows, the runs, the callbacks and the rows that were blocked, in one statement. */
const settle: Statement = {
  name: 'outbox_settle',
  text: `
    WITH given AS (
      SELECT * FROM unnest(${parameters(2, SETTLED.types)})
        WITH ORDINALITY AS given (${SETTLED.list()}, n)
    ), moved AS (
      UPDATE outbox SET state = given.state,
        due_at = CASE WHEN ${IS_DELETED} THEN least(given.due_at, claimed_at)
          ELSE coalesce(given.due_at, outbox.due_at) END,
        attempt = coalesce(given.attempt, outbox.attempt), attempts = given.attempts,
        body = CASE WHEN given.state = 'waiting' THEN body END, lease_until = NULL
      FROM given
      WHERE outbox.id = given.id AND outbox.state IS NOT DISTINCT FROM 'inFlight' AND outbox.claimed_by = $1
        AND outbox.attempt = was_attempt AND given.state IS NOT NULL
      RETURNING given.n
    ), removed AS (
      DELETE FROM outbox USING given
      WHERE outbox.id = given.id AND outbox.state IS NOT DISTINCT FROM 'inFlight' AND outbox.claimed_by = $1
        AND outbox.attempt = was_attempt AND given.state IS NULL
      RETURNING given.n
    ), overtaken AS (
      SELECT id, n FROM given
      WHERE n NOT IN (SELECT n FROM moved UNION ALL SELECT n FROM removed)
    ), freed AS (
      UPDATE queue SET blocked_since = NULL
      WHERE schedule_key = ANY (ARRAY(
        SELECT blocked_key FROM given
        WHERE blocked_key IS NOT NULL AND n NOT IN (SELECT n FROM overtaken)))
    ), ${runWriter(FIRST_OF_RUNS)}, ${callbackWriter(FIRST_OF_RUNS + RUN_PARAMETERS)}
    SELECT id FROM overtaken`,
};

const nextDue: Statement = {
  name: 'outbox_next_due',
  text: "SELECT min(due_at) AS due_at FROM outbox WHERE state = 'waiting'",
};
const depth: Statement = {
  name: 'outbox_depth',
  text: `
    SELECT count(*) AS depth FROM outbox WHERE state = 'waiting' AND ${IS_NOT_PUT_OFF}`,
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
    SELECT id, attempt, attempts, claimed_at FROM outbox
    WHERE state = 'inFlight' AND lease_until <= statement_timestamp()
    ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED`,
};
const restore: Statement = {
  name: 'outbox_restore',
  text: `
    UPDATE outbox SET state = 'waiting', due_at = least(due_at, $1), attempts = given.attempts,
      lease_until = NULL
    FROM unnest($2::text[], $3::text[]) AS given (attempts, id)
    WHERE outbox.id = given.id`,
};

const cutLeases: Statement = {
  name: 'outbox_cut_leases',
  text: cutLeasesOf('outbox', "state = 'inFlight'"),
};

/** Rows of one transaction of `recover`. */
const RECOVERED_AT_ONCE = 1_000;

export function postgresOutbox(
  connections: Connections,
  lease: Lease,
  notifier: Notifier,
): OutboxStore {
  const { query, transaction } = connections;
  const { node, leaseMs } = lease;

  /** @returns how many */
  function recoverSome(now: number): Promise<number> {
    return transaction(async send => {
      const rows = await send(cutOff, [RECOVERED_AT_ONCE]);
      if (rows.length > 0) await send(restore, [now, ...columnsOf(rows.map(restoredCells))]);
      return rows.length;
    });
  }

  return {
    async insertManual(clientRowId, scheduleId, { id, scheduledFor }) {
      const values = [id, scheduledFor, clientRowId, scheduleId];
      const [waiting] = await query(manualRuns, [clientRowId]);
      if (waiting!.runs === MOST_MANUAL_RUNS) throw tooManyWaiting();
      const isInserted = (await query(insertManual, values)).length === 1;
      if (isInserted) notifier.manual(scheduleId);
      return isInserted;
    },
    async claim(now, limit) {
      const rows = await transaction(send => takeDue(send, now, limit, lease));
      const schedules = await fireableSchedulesOf(
        query,
        rows.filter(({ kind }) => kind === 'manual'),
      );
      return rows.map(row => outboxClaimFrom(row, now, schedules.get(row.schedule_key!)));
    },
    settle(settlements) {
      return settleRounds(
        settlements,
        ({ id }) => id,
        async round => {
          const keys = round
            .filter(({ kind }) => kind === 'manual')
            .map(each => each.scheduleRowId);
          const values = [
            node,
            ...columnsOf(round.map(settledCells)),
            ...runValues(round.map(recordCells)),
            ...callbackValues(round.map(callbacksCells)),
          ];
          const rows =
            keys.length === 0
              ? await query(settle, values)
              : await transaction(async send => {
                  await send(holdSchedules, [keys]);
                  return send(settle, values);
                });
          return rows.map(row => row.id as string);
        },
      );
    },
    recount: outboxRecount(connections),
    async nextDueAt() {
      return (await query(nextDue))[0]!.due_at as number | null;
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

/**
 * Takes what is due. A manual run's schedule is locked against other nodes' manual runs and against
 * changes, and its row of the queue against claims; what another one holds is left for later.
 */
async function takeDue(send: Query, now: number, limit: number, lease: Lease): Promise<Row[]> {
  const found = await send(due, [now, limit]);
  if (found.length === 0) return [];
  const manual = found.filter(({ kind }) => kind === 'manual');
  const locked = manual.length === 0 ? [] : await blockedFor(send, now, manual);
  const ids = found.map(({ id }) => id as string);
  return send(take, [now, lease.node, lease.leaseMs, ids, locked]);
}

/** @returns the keys of the schedules whose manual run may be taken */
async function blockedFor(send: Query, now: number, manual: Row[]): Promise<number[]> {
  const keys = manual.map(row => row.schedule_key as number);
  const locked = (await send(lockSchedules, [keys])).map(row => row.schedule_key as number);
  await send(block, [now, locked]);
  return locked;
}

/** An ended callback stays for history, without its body; an ended manual run goes: no state. */
function settledCells(settlement: OutboxSettlement): Cell[] {
  const { id, attempt: wasAttempt, attempts, next, kind, scheduleRowId } = settlement;
  const isManual = kind === 'manual';
  const given = { id, wasAttempt, attempts, blockedKey: isManual ? scheduleRowId : null };
  if (typeof next === 'object') {
    const { dueAt } = next;
    return SETTLED.cells({ ...given, state: 'waiting', dueAt, attempt: attempts.length });
  }
  return SETTLED.cells({ ...given, state: isManual ? null : next, dueAt: null, attempt: null });
}

function recordCells({ clientRowId, scheduleRowId, record }: OutboxSettlement): Cell[][] {
  return record ? [RUN.cells(runRow(clientRowId, scheduleRowId, record))] : [];
}

function callbacksCells(settlement: OutboxSettlement): Cell[][] {
  const { clientRowId, scheduleRowId, record, callbacks } = settlement;
  const records = record ? [record] : [];
  return callbacks.map(callback =>
    CALLBACK.cells(callbackRow(clientRowId, scheduleRowId, callback, records)),
  );
}

function restoredCells(row: Row): Cell[] {
  const lost = lostAttempt(row.attempt as number, row.claimed_at as number);
  return [attemptsCell([...attemptsFrom(row.attempts), lost]), row.id!];
}
