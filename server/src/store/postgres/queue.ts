import { SURE_MS } from '../../domain/run/queue-row.ts';
import { claimRule } from '../claim-rule.ts';
import {
  CALLBACK,
  type Cell,
  CLAIMED,
  FENCE,
  QUEUE,
  RECOVERED,
  type Row,
  RUN,
} from '../columns.ts';
import type { QueueStore, Settlement } from '../contract/queue.ts';
import { FENCE_OF_CLAIM, fenceCell, nextFence } from '../fence.ts';
import {
  awaitedManualFrom,
  claimFrom,
  depthSql,
  dueUnblocked,
  type KnownOfSender,
  recovered,
  standingFrom,
  takenAt,
} from '../rows/queue.ts';
import { callbackRow, runRow } from '../rows/runs.ts';
import {
  type Connections,
  columnsOf,
  parameters,
  type Query,
  type Statement,
  type Value,
} from './connection.ts';
import { fireableSchedulesOf, nextDueAtSql } from './fireable-schedules.ts';
import { cutLeasesOf, type Lease } from './lease.ts';
import type { Notifier } from './notifications/notifier.ts';
import { forgetPassedTimes } from './passed-times.ts';
import { latestBy, postgresRecount } from './recount.ts';
import { RUN_PARAMETERS, runValues, runWriter } from './runs.ts';
import {
  announceChanged,
  changeSchedules,
  lockTouched,
  type ServiceChanged,
  touchesSchedule,
} from './service-change.ts';
import { callbackValues, callbackWriter, settleRounds } from './settle.ts';

const RULE = claimRule({ now: '$1', unseenUntil: '$3' });

/**
 * Takes what is due in one statement, and tells each row as it was. The keys come as an array, so that
 * the planner sees few rows and finds each by its key. If nothing is taken, it answers one row with
 * `next_due_at` alone.
 */
const claimOf = (name: string, others: string): Statement => ({
  name,
  text: `
    WITH due AS (
      SELECT *, CAST(${RULE.begins} AS integer) AS begins, ${nextFence('greatest', '$1')} AS next_fence
      FROM queue
      WHERE ${others} state <> 'inFlight' AND due_at <= $1 + $6::bigint AND needs <= $7
        AND ${RULE.isTaken}
      ORDER BY due_at, schedule_key LIMIT $2
      FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE queue SET state = 'inFlight', claimed_at = ${takenAt('greatest', '$1')}, claimed_by = $4,
        fence = ${fenceCell('greatest', '$1')},
        lease_until = clock_timestamp() + $5 * interval '1 millisecond',
        attempt = attempt + CAST(${RULE.begins} AS integer)
      WHERE schedule_key = ANY (ARRAY(SELECT schedule_key FROM due))
    )
    SELECT ${CLAIMED.join(', ')}, begins, next_fence, next_due_at
    FROM (SELECT CASE WHEN NOT EXISTS (SELECT FROM due) THEN ${nextDueAtSql('$7')} END AS next_due_at) AS next
      LEFT JOIN due ON true
    ORDER BY due_at, schedule_key`,
});
const claim = claimOf('queue_claim', '');
/** Rows among which those of other clients are looked for: the cost of one look is bounded. */
const LOOKED_AT = 20_000;
const claimOfOthers = claimOf(
  'queue_claim_of_others',
  `schedule_key = ANY (ARRAY(
        SELECT schedule_key FROM (
          (SELECT schedule_key FROM queue
            WHERE state <> 'inFlight' AND due_at > $1 AND due_at <= $1 + $6::bigint AND needs <= $7
            ORDER BY due_at, schedule_key LIMIT ${LOOKED_AT})
          UNION ALL
          (SELECT schedule_key FROM queue
            WHERE state <> 'inFlight' AND due_at <= $1 AND needs <= $7
            ORDER BY due_at, schedule_key LIMIT ${LOOKED_AT})) AS near
        WHERE (SELECT client_key <> ALL ($8::bigint[]) FROM schedules
          WHERE schedules.schedule_key = near.schedule_key)
        LIMIT $2))
        AND `,
);
const confirm: Statement = {
  name: 'queue_confirm',
  text: `
    SELECT schedule_key FROM unnest($1::bigint[], $2::integer[]) AS given (schedule_key, was)
      JOIN queue USING (schedule_key) JOIN schedules USING (schedule_key)
    WHERE queue.state IS NOT DISTINCT FROM 'inFlight' AND claimed_by = $3 AND changed_at IS NULL
      AND version = was`,
};
const standing: Statement = {
  name: 'queue_standing',
  text: `
    SELECT schedule_key, scheduled_for, attempt, next_for, changed_at, ${FENCE_OF_CLAIM} AS next_fence FROM queue
    WHERE schedule_key = ANY ($1) AND state IS NOT DISTINCT FROM 'inFlight' AND claimed_by = $2`,
};

/** The key of the schedule, its fence, and the row that follows. */
const SETTLED_TYPES = ['bigint', ...FENCE.types, ...QUEUE.types];
const FIRST_OF_RUNS = 3 + SETTLED_TYPES.length;

/**
 * The fence, the rows, the runs and the callbacks in one statement. `claimed_by` is part of the
 * fence: a row that was taken and not begun has the same attempt when another node takes it.
 *
 * `IS NOT DISTINCT FROM`, here and wherever rows are known by their keys, hides from the planner that
 * an index holds just what is in flight. It took that one, from end to end for each row, once it had
 * seen the table while all rows waited: 98 ms for 500 rows instead of 16.
 */
const settle: Statement = {
  name: 'queue_settle',
  text: `
    WITH given AS (
      SELECT * FROM unnest(${parameters(3, SETTLED_TYPES)})
        WITH ORDINALITY AS given (schedule_key, was_for, was_attempt, was_fence, was_changed_at, ${QUEUE.list()}, n)
    ), moved AS (
      UPDATE queue SET ${QUEUE.assignments(name => `given.${name}`)}, changed_at = NULL,
        lease_until = CASE WHEN given.state = 'inFlight'
          THEN clock_timestamp() + $2 * interval '1 millisecond' END
      FROM given
      WHERE queue.schedule_key = given.schedule_key AND queue.state IS NOT DISTINCT FROM 'inFlight'
        AND queue.claimed_by = $1 AND queue.scheduled_for = was_for AND queue.attempt = was_attempt
        AND ${FENCE_OF_CLAIM} = was_fence AND queue.changed_at IS NOT DISTINCT FROM was_changed_at
        AND given.state IS NOT NULL
      RETURNING given.n
    ), removed AS (
      DELETE FROM queue USING given
      WHERE queue.schedule_key = given.schedule_key AND queue.state IS NOT DISTINCT FROM 'inFlight'
        AND queue.claimed_by = $1 AND queue.scheduled_for = was_for AND queue.attempt = was_attempt
        AND ${FENCE_OF_CLAIM} = was_fence AND queue.changed_at IS NOT DISTINCT FROM was_changed_at
        AND given.state IS NULL
      RETURNING given.n
    ), overtaken AS (
      SELECT schedule_key, n FROM given
      WHERE n NOT IN (SELECT n FROM moved UNION ALL SELECT n FROM removed)
    ), ${runWriter(FIRST_OF_RUNS)}, ${callbackWriter(FIRST_OF_RUNS + RUN_PARAMETERS)}
    SELECT schedule_key FROM overtaken`,
};

const nextDue: Statement = {
  name: 'queue_next_due',
  text: `SELECT ${nextDueAtSql('$1')} AS due_at`,
};
const depth: Statement = { name: 'queue_depth', text: depthSql('$1', '$2') };
const awaitedManuals: Statement = {
  name: 'queue_awaited_manuals',
  text: `
    SELECT schedule_key, due_at FROM unnest($1::bigint[]) AS asked (key) CROSS JOIN LATERAL (
      SELECT schedule_key, due_at FROM outbox
      WHERE schedule_key = key AND kind = 'manual' AND state IS NOT DISTINCT FROM 'awaiting'
      OFFSET 0) AS found`,
};
const dueAgain = dueUnblocked('least', 'greatest', 'true');
const unblock: Statement = {
  name: 'queue_unblock',
  text: `
    UPDATE queue SET due_at = ${dueAgain}
    WHERE schedule_key = ANY ($1) AND blocked_since IS NULL AND due_at > ${dueAgain}
    RETURNING 1`,
};
// A row that is being settled needs no lease. The statement skips it, so no deadlock can come of it.
const renew: Statement = {
  name: 'queue_renew',
  text: `
    UPDATE queue SET lease_until = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE schedule_key = ANY (ARRAY(
      SELECT schedule_key FROM queue
      WHERE schedule_key = ANY ($1) AND state IS NOT DISTINCT FROM 'inFlight' AND claimed_by = $2
      FOR UPDATE SKIP LOCKED))
    RETURNING schedule_key, changed_at, (
      SELECT version FROM schedules WHERE schedules.schedule_key = queue.schedule_key) AS version`,
};
// The first condition follows from the second; it is that of the index.
const cutOff: Statement = {
  name: 'queue_cut_off',
  text: `
    SELECT schedule_key, state, due_at, scheduled_for, next_for, attempt, attempts, claimed_at,
      changed_at,
      (SELECT policy FROM schedules WHERE schedules.schedule_key = queue.schedule_key) AS policy
    FROM queue
    WHERE state <> 'waiting' AND state = 'inFlight' AND lease_until <= statement_timestamp()
    ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED`,
};
const restore: Statement = {
  name: 'queue_restore',
  text: `
    UPDATE queue SET ${RECOVERED.assignments(name => `given.${name}`)}, lease_until = NULL
    FROM unnest(${parameters(1, [...RECOVERED.types, 'bigint'])})
      AS given (${RECOVERED.list()}, schedule_key)
    WHERE queue.schedule_key = given.schedule_key`,
};

const cutLeases: Statement = {
  name: 'queue_cut_leases',
  text: cutLeasesOf('queue', "state <> 'waiting' AND state = 'inFlight'"),
};

/** Rows of one transaction of `recover`. */
const RECOVERED_AT_ONCE = 1_000;

/** @param level of this engine: rows that need a higher one are left to newer nodes */
export function postgresQueue(
  connections: Connections,
  { node, leaseMs }: Lease,
  notifier: Notifier,
  level: number,
): QueueStore {
  const { query, transaction } = connections;

  /** @returns how many */
  function recoverSome(now: number, sentUntil?: number): Promise<number> {
    return transaction(async send => {
      const rows = await send(cutOff, [RECOVERED_AT_ONCE]);
      if (rows.length === 0) return 0;
      const known = { sentUntil, shownUntil: await latestBy(send), sureMs: SURE_MS };
      await send(restore, columnsOf(rows.map(row => restoredCells(row, now, known))));
      return rows.length;
    });
  }

  return {
    ...postgresRecount(connections, level),
    async claim(now, limit, unseenUntil, aheadMs = 0, except = []) {
      const values = [now, limit, unseenUntil, node, leaseMs, aheadMs, level];
      const rows = await (except.length === 0
        ? query(claim, values)
        : query(claimOfOthers, [...values, except]));
      const [first] = rows;
      if (first!.schedule_key === null) {
        return { claims: [], nextDueAt: first!.next_due_at as number | null };
      }
      const isFull = rows.length === limit;
      // Read after the rows were taken: a schedule that was changed in between is either seen here
      // as it is now, or its change comes later and marks the row in flight.
      const schedules = await fireableSchedulesOf(query, rows, isFull ? undefined : level);
      const nextDueAt = schedules.get(first!.schedule_key!)!.next_due_at as number | null;
      return {
        claims: rows.map(row => claimFrom({ ...schedules.get(row.schedule_key!), ...row }, now)),
        nextDueAt: isFull ? now : nextDueAt,
      };
    },
    async confirm(claims) {
      const given = claims.map(({ scheduleRowId, version }) => [scheduleRowId, version]);
      const rows = await query(confirm, [...columnsOf(given, 2), node]);
      return rows.map(({ schedule_key }) => schedule_key as number);
    },
    async settle(settlements) {
      const overtaken = await settleRounds(
        settlements,
        ({ scheduleRowId }) => scheduleRowId,
        async round => {
          const records = round.map(({ scheduleRowId, clientRowId, records }) =>
            records.map(record => RUN.cells(runRow(clientRowId, scheduleRowId, record))),
          );
          const callbacks = round.map(({ scheduleRowId, clientRowId, callbacks, records }) =>
            callbacks.map(callback =>
              CALLBACK.cells(callbackRow(clientRowId, scheduleRowId, callback, records)),
            ),
          );
          const values = [
            node,
            leaseMs,
            ...columnsOf(round.map(settledCells)),
            ...runValues(records),
            ...callbackValues(callbacks),
          ];
          const touched = round.filter(touchesSchedule);
          if (touched.length === 0) return keysOf(await query(settle, values));
          const settled = await transaction(send => settleTouched(send, values, touched));
          announceChanged(settled.changed, notifier);
          return settled.overtaken;
        },
      );
      announceGivenBack(settlements, notifier);
      return overtaken;
    },
    async reread(scheduleRowIds) {
      const rows = await query(standing, [scheduleRowIds, node]);
      const schedules = await fireableSchedulesOf(query, rows);
      return rows.map(row => standingFrom({ ...schedules.get(row.schedule_key!), ...row }));
    },
    async awaitedManuals(scheduleRowIds) {
      return (await query(awaitedManuals, [scheduleRowIds])).map(awaitedManualFrom);
    },
    async unblock(scheduleRowIds) {
      return (await query(unblock, [scheduleRowIds])).length;
    },
    forgetSkipped: runs => forgetPassedTimes(query, runs),
    async nextDueAt() {
      return (await query(nextDue, [level]))[0]!.due_at as number | null;
    },
    async depth(now) {
      return (await query(depth, [now, level]))[0]!.depth as number;
    },
    async renew(claims) {
      if (claims.length === 0) return [];
      const versions = new Map(
        claims.map(({ scheduleRowId, version }) => [scheduleRowId, version]),
      );
      const rows = await query(renew, [[...versions.keys()], node, leaseMs]);
      const keyOf = (row: Row) => row.schedule_key as number;
      return rows
        .filter(row => row.changed_at === null && row.version === versions.get(keyOf(row)))
        .map(keyOf);
    },
    async recover(now, sentUntil) {
      await query(cutLeases, [leaseMs]);
      let count = 0;
      for (;;) {
        const some = await recoverSome(now, sentUntil);
        count += some;
        if (some < RECOVERED_AT_ONCE) return count;
      }
    },
  };
}

function keysOf(rows: Row[]): number[] {
  return rows.map(row => row.schedule_key as number);
}

/** A round in which settlements change their schedules, or ask for further runs. */
async function settleTouched(
  send: Query,
  values: Value[],
  touched: Settlement[],
): Promise<{ overtaken: number[]; changed: ServiceChanged[] }> {
  await lockTouched(send, touched);
  const overtaken = keysOf(await send(settle, values));
  const held = touched.filter(({ scheduleRowId }) => !overtaken.includes(scheduleRowId));
  return { overtaken, changed: await changeSchedules(send, held) };
}

/** Claimed and not begun, as by a node that stops: the others can have it at once. */
function announceGivenBack(settlements: Settlement[], notifier: Notifier): void {
  for (const { row, fence } of settlements) {
    if (row !== null && row.scheduledFor === fence.scheduledFor && row.attempt < fence.attempt) {
      notifier.due(row.dueAt);
    }
  }
}

function settledCells({ scheduleRowId, fence, row }: Settlement): Cell[] {
  const cells: Cell[] = [scheduleRowId];
  FENCE.append(cells, fence);
  if (row !== null) QUEUE.append(cells, row);
  else for (let left = QUEUE.width; left > 0; left -= 1) cells.push(null);
  return cells;
}

function restoredCells(row: Row, now: number, known: KnownOfSender): Cell[] {
  return [...RECOVERED.cells(recovered(row, now, known)), row.schedule_key!];
}
