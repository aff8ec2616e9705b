import type { Attempt } from '../../domain/run/run.ts';
import { isCompletion } from '../../domain/schedule/service-change.ts';
import {
  attempts,
  bigint,
  CALLBACK,
  type Cell,
  Columns,
  integer,
  nullable,
  type Row,
  RUN,
  text,
} from '../columns.ts';
import type { OutboxSettlement, OutboxStore } from '../contract/queue.ts';
import { dueOfAwaiting, isAwaitingNext } from '../rows/outbox.ts';
import { dueUnblocked, LOOKED_AT_BLOCKED } from '../rows/queue.ts';
import { callbackRow, runRow } from '../rows/runs.ts';
import {
  type Connections,
  columnsOf,
  parameters,
  type Query,
  type Statement,
  type Value,
} from './connection.ts';
import type { Lease } from './lease.ts';
import type { Notifier } from './notifications/notifier.ts';
import { RUN_PARAMETERS, runValues, runWriter } from './runs.ts';
import { lockAndRequeue, type Requeued } from './schedule-changes.ts';
import {
  announceChanged,
  changeSchedules,
  lockTouched,
  type ServiceChanged,
  touchesSchedule,
} from './service-change.ts';
import { callbackValues, callbackWriter, settleRounds } from './settle.ts';

/** Settlements of the outbox. */

/**
 * Before a manual run is settled: a change that has seen it in flight, and is being written, made a row that
 * is blocked by it. The settlement waits for that, so that its statement sees the row and frees it.
 */
export const holdSchedules: Statement = {
  name: 'outbox_hold_schedules',
  text: `
    SELECT 1 FROM schedules WHERE schedule_key = ANY ($1) ORDER BY schedule_key FOR SHARE`,
};
/** Of a manual run that waits for its retry: where its schedule was deleted meanwhile, it is due at once. */
export const IS_DELETED = `outbox.kind = 'manual' AND EXISTS (
          SELECT 1 FROM schedules
          WHERE schedules.schedule_key = outbox.schedule_key AND status = 'deleted')`;
/** The fence of an entry, what it becomes, and the schedule whose row it blocked. */
const SETTLED = new Columns<{
  id: string;
  wasAttempt: number;
  wasClaimedAt: number;
  state: string | null;
  dueAt: number | null;
  attempt: number | null;
  attempts: Attempt[];
  blockedKey: number | null;
}>({
  id: text(),
  wasAttempt: integer(),
  wasClaimedAt: bigint(),
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
        due_at = CASE WHEN given.state = 'waiting' AND ${IS_DELETED} THEN least(given.due_at, claimed_at)
          ELSE coalesce(given.due_at, outbox.due_at) END,
        attempt = coalesce(given.attempt, outbox.attempt), attempts = given.attempts,
        body = CASE WHEN given.state = 'waiting' THEN body END, lease_until = NULL
      FROM given
      WHERE outbox.id = given.id AND outbox.state IS NOT DISTINCT FROM 'inFlight' AND outbox.claimed_by = $1
        AND outbox.attempt = was_attempt AND outbox.claimed_at = was_claimed_at AND given.state IS NOT NULL
      RETURNING given.n
    ), removed AS (
      DELETE FROM outbox USING given
      WHERE outbox.id = given.id AND outbox.state IS NOT DISTINCT FROM 'inFlight' AND outbox.claimed_by = $1
        AND outbox.attempt = was_attempt AND outbox.claimed_at = was_claimed_at AND given.state IS NULL
      RETURNING given.n
    ), overtaken AS (
      SELECT id, n FROM given
      WHERE n NOT IN (SELECT n FROM moved UNION ALL SELECT n FROM removed)
    ), freed AS (
      UPDATE queue SET blocked_since = NULL,
        due_at = ${dueUnblocked('least', 'greatest', LOOKED_AT_BLOCKED)}
      WHERE schedule_key = ANY (ARRAY(
        SELECT blocked_key FROM given
        WHERE blocked_key IS NOT NULL AND n NOT IN (SELECT n FROM overtaken)))
    ), ${runWriter(FIRST_OF_RUNS)}, ${callbackWriter(FIRST_OF_RUNS + RUN_PARAMETERS)}
    SELECT id FROM overtaken`,
};

/** In a statement of its own: it sees what a target has said before the settlement had the row. */
const wakeAwaiting: Statement = {
  name: 'outbox_wake_awaiting',
  text: `
    UPDATE outbox SET due_at = ${dueOfAwaiting('due_at')}
    FROM completions
    WHERE outbox.id = ANY ($1) AND outbox.state IS NOT DISTINCT FROM 'awaiting'
      AND completions.run_id = outbox.id AND completions.attempt = outbox.attempt`,
};

export function outboxSettle(
  { query, transaction }: Connections,
  { node }: Lease,
  notifier: Notifier,
): OutboxStore['settle'] {
  function valuesOf(round: OutboxSettlement[]): Value[] {
    return [
      node,
      ...columnsOf(round.map(settledCells), SETTLED.width),
      ...runValues(round.map(recordCells)),
      ...callbackValues(round.map(callbacksCells)),
    ];
  }

  async function settleAll(send: Query, round: OutboxSettlement[]): Promise<string[]> {
    const lost = idsOf(await send(settle, valuesOf(round)));
    const awaiting = round.filter(({ next }) => isAwaitingNext(next));
    if (awaiting.length > 0) await send(wakeAwaiting, [awaiting.map(({ id }) => id)]);
    return lost;
  }

  async function settleManual(
    send: Query,
    round: OutboxSettlement[],
    manual: OutboxSettlement[],
  ): Promise<SettledRound> {
    await send(holdSchedules, [manual.map(({ scheduleRowId }) => scheduleRowId)]);
    return { overtaken: await settleAll(send, round), changed: [] };
  }

  /** A round in which runs change their schedules, or ask for further runs. */
  async function settleTouched(
    send: Query,
    round: OutboxSettlement[],
    manual: OutboxSettlement[],
  ): Promise<SettledRound> {
    const versions = await lockTouched(send, manual);
    const isDecidedAnew = ({ scheduleRowId, change }: OutboxSettlement) =>
      change !== undefined && versions.get(scheduleRowId) !== change.version;
    const overtaken = round.filter(isDecidedAnew).map(({ id }) => id);
    overtaken.push(
      ...(await settleAll(
        send,
        round.filter(each => !isDecidedAnew(each)),
      )),
    );
    const held = round.filter(each => touchesSchedule(each) && !overtaken.includes(each.id));
    await lockAndRequeue(send, held.flatMap(requeuedBy));
    return { overtaken, changed: await changeSchedules(send, held) };
  }

  return settlements =>
    settleRounds(
      settlements,
      ({ id }) => id,
      async round => {
        const manual = round.filter(({ kind }) => kind === 'manual');
        if (manual.length === 0) return idsOf(await query(settle, valuesOf(round)));
        const settled = await transaction(send =>
          round.some(touchesSchedule)
            ? settleTouched(send, round, manual)
            : settleManual(send, round, manual),
        );
        announceChanged(settled.changed, notifier);
        return settled.overtaken;
      },
    );
}

interface SettledRound {
  /** The ids of entries that were not settled. */
  overtaken: string[];
  changed: ServiceChanged[];
}

function idsOf(rows: Row[]): string[] {
  return rows.map(row => row.id as string);
}

/** A schedule that only completes has no row in the queue. */
function requeuedBy({ scheduleRowId: key, change }: OutboxSettlement): Requeued[] {
  if (change === undefined || isCompletion(change)) return [];
  const { at: changedAt, start, schedule } = change;
  return [{ key, changedAt, start, schedule }];
}

/** An ended callback stays for history, without its body; an ended manual run goes: no state. */
function settledCells(settlement: OutboxSettlement): Cell[] {
  const { id, attempts, next, kind, scheduleRowId } = settlement;
  const was = { wasAttempt: settlement.attempt, wasClaimedAt: settlement.claimedAt };
  const isManual = kind === 'manual';
  const given = { id, ...was, attempts, blockedKey: isManual ? scheduleRowId : null };
  if (typeof next === 'object') {
    const { dueAt } = next;
    const back = { ...given, dueAt, attempt: attempts.length };
    if (isAwaitingNext(next))
      return SETTLED.cells({ ...back, state: 'awaiting', blockedKey: null });
    return SETTLED.cells({ ...back, state: 'waiting' });
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
