import type { DatabaseSync } from 'node:sqlite';
import { isCompletion } from '../../domain/schedule/service-change.ts';
import {
  attemptsCell,
  CALLBACK,
  type Cell,
  FIREABLE,
  type Row,
  RUN,
  readFrom,
  SECRETS,
  SERVICE_CHANGE,
  selected,
  TARGET_RUN,
} from '../columns.ts';
import type { OutboxClaim, OutboxSettlement, OutboxStore } from '../contract/queue.ts';
import { fencesWithoutRow, nextFence } from '../fence.ts';
import { MOST_MANUAL_RUNS, tooManyWaiting } from '../manual-runs.ts';
import {
  dueOfAwaiting,
  isAwaitingNext,
  isDropped,
  outboxClaimFrom,
  outboxDepthSql,
  restoredCells,
} from '../rows/outbox.ts';
import { dueUnblocked, LOOKED_AT_BLOCKED, takenBefore } from '../rows/queue.ts';
import { callbackRow, runRow } from '../rows/runs.ts';
import type { GroupCommit } from './group-commit.ts';
import { idempotentCalls } from './idempotency.ts';
import { passedTimes } from './passed-times.ts';
import { outboxRecount } from './recount.ts';
import { requeueWriter } from './requeue.ts';
import { runWriter } from './runs.ts';
import { serviceChangeWriter } from './service-change.ts';
import { targetRuns } from './target-runs.ts';

/** As `restoredCells` reads them. A callback may be of a schedule that is gone. */
export const CUT_OFF_ENTRIES = `
  SELECT outbox.*, policy, status, updated_at FROM outbox LEFT JOIN schedules USING (schedule_key)
  WHERE outbox.state = 'inFlight'`;

/**
 * Restores an entry that was cut off: the target of a manual run may have said how it ended. Its parameters: now, and the cells
 * of `restoredCells`.
 */
export const RESTORE_ENTRY = `
  UPDATE outbox SET due_at = min(due_at, ?), attempt = ?, attempts = ?,
    state = iif(? OR EXISTS (
      SELECT 1 FROM completions WHERE completions.run_id = outbox.id AND completions.attempt = outbox.attempt),
      'awaiting', 'waiting')
  WHERE id = ?`;

export function sqliteOutbox(database: DatabaseSync, commits: GroupCommit): OutboxStore {
  const insertManual = database.prepare(`
    INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for)
    SELECT :id, 'manual', client_key, schedule_key, 'waiting', :scheduledFor, :scheduledFor
    FROM schedules WHERE client_key = :clientRowId AND id = :scheduleId AND status <> 'deleted'`);
  const calls = idempotentCalls(database);
  const manualRuns = database.prepare(`
    SELECT count(*) AS runs FROM (
      SELECT 1 FROM outbox INDEXED BY outbox_asked_for
      WHERE client_key = ? AND kind = 'manual' AND trigger IS NULL LIMIT ${MOST_MANUAL_RUNS})`);
  // A manual run waits for every other run of its schedule, an earlier manual run included, and
  // for one that was cut off: that is sent again before anything newer.
  const due = database.prepare(`
    SELECT outbox.*, clients.id AS client_id, ${selected(readFrom('clients', SECRETS))}
    FROM outbox JOIN clients USING (client_key)
    WHERE state = 'waiting' AND due_at <= ? AND (kind = 'callback' OR NOT EXISTS (
        SELECT 1 FROM queue
        WHERE queue.schedule_key = outbox.schedule_key
          AND queue.state IN ('inFlight', 'lost', 'awaiting'))
      AND NOT EXISTS (
        SELECT 1 FROM outbox AS other
        WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
          AND other.state IN ('inFlight', 'awaiting'))
      AND NOT EXISTS (
        SELECT 1 FROM outbox AS other
        WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
          AND (other.due_at, other.id) < (outbox.due_at, outbox.id)))
    ORDER BY due_at, outbox.id LIMIT ? + 0`);
  const awaited = database.prepare(`
    SELECT * FROM outbox INDEXED BY outbox_awaiting
    WHERE state = 'awaiting' AND due_at <= ? ORDER BY due_at, id LIMIT ? + 0`);
  const scheduleOf = database.prepare(`
    SELECT ${selected(FIREABLE)}
    FROM schedules JOIN clients USING (client_key) WHERE schedule_key = ?`);
  const take = database.prepare(
    "UPDATE outbox SET state = 'inFlight', claimed_at = ?, attempt = attempt + 1 WHERE id = ?",
  );
  const retake = database.prepare(
    "UPDATE outbox SET state = 'inFlight', claimed_at = ? WHERE id = ?",
  );
  const block = database.prepare(`
    UPDATE queue SET blocked_since = :since, claimed_at = ${takenBefore(':now')},
      fence = ${nextFence('max', ':now')}
    WHERE schedule_key = :key RETURNING fence`);
  const withoutRow = database.prepare(fencesWithoutRow('max', ':now', 'VALUES (:key, :now)'));
  const free = database.prepare(`
    UPDATE queue SET blocked_since = NULL, due_at = ${dueUnblocked('min', 'max', LOOKED_AT_BLOCKED)}
    WHERE schedule_key = ?`);

  const fence = "WHERE id = ? AND state = 'inFlight' AND attempt = ? AND claimed_at = ?";
  // A manual run whose schedule was deleted meanwhile is due at once, to be ended.
  const retry = database.prepare(`
    UPDATE outbox SET state = 'waiting', attempt = ?2, attempts = ?3,
      due_at = iif(kind = 'manual' AND EXISTS (
        SELECT 1 FROM schedules
        WHERE schedules.schedule_key = outbox.schedule_key AND status = 'deleted'),
        min(claimed_at, ?1), ?1) ${fence}`);
  const awaitCompletion = database.prepare(`
    UPDATE outbox SET state = 'awaiting', attempts = ?2, due_at = coalesce((
      SELECT ${dueOfAwaiting('?1')} FROM completions
      WHERE completions.run_id = outbox.id AND completions.attempt = outbox.attempt), ?1) ${fence}`);
  // An ended callback stays for history, without the body that only a sender needs.
  const endCallback = database.prepare(
    `UPDATE outbox SET state = ?, attempts = ?, body = NULL ${fence}`,
  );
  const endManual = database.prepare(`DELETE FROM outbox ${fence}`);
  const versionOf = database.prepare('SELECT version FROM schedules WHERE schedule_key = ?');
  const changeSchedule = serviceChangeWriter(database);
  const requeue = requeueWriter(database, commits);
  const times = passedTimes(database);
  const furtherRuns = targetRuns(database);
  const writeRun = runWriter(database);
  const writeCallback = callbackWriter(database);

  const nextDue = database.prepare(`
    SELECT min(due_at) AS due_at FROM (
      SELECT min(due_at) AS due_at FROM outbox WHERE state = 'waiting' AND due_at > :after
      UNION ALL
      SELECT min(due_at) FROM outbox INDEXED BY outbox_awaiting
        WHERE state = 'awaiting' AND due_at > :after)`);
  const depth = database.prepare(outboxDepthSql(['waiting'], 'waiting'));
  const cutOff = database.prepare(CUT_OFF_ENTRIES);
  const restore = database.prepare(RESTORE_ENTRY);

  function claimOne(row: Row, now: number): OutboxClaim {
    take.run(now, row.id!);
    const taken = { ...row, attempt: (row.attempt as number) + 1 };
    if (row.kind === 'callback') return outboxClaimFrom(taken, now, undefined);
    const key = row.schedule_key!;
    // Nothing of it is sent: times that come meanwhile are not behind it.
    const since = isDropped(row) ? null : now;
    const found = block.get({ now, key, since }) ?? withoutRow.get({ now, key });
    const { fence } = found as { fence: number };
    return outboxClaimFrom(taken, now, { ...(scheduleOf.get(key) as Row), fence });
  }

  function claimAwaited(row: Row, now: number): OutboxClaim {
    retake.run(now, row.id!);
    const schedule = scheduleOf.get(row.schedule_key!) as Row;
    return outboxClaimFrom(row, now, { ...schedule, fence: now });
  }

  function isDecidedAnew({ scheduleRowId, change }: OutboxSettlement): boolean {
    return change !== undefined && versionOf.get(scheduleRowId)?.version !== change.version;
  }

  function settleSchedule(settlement: OutboxSettlement): void {
    const { clientRowId, scheduleRowId: key, change, again } = settlement;
    if (again !== undefined) furtherRuns.replace(key, TARGET_RUN.cells(again));
    if (change === undefined) return;
    const { at: changedAt, start, schedule } = change;
    if (!isCompletion(change)) {
      times.write(times.before(clientRowId, schedule.id, changedAt));
      const open = requeue.openStart(clientRowId, start, schedule);
      requeue.write(key, { changedAt, start: open }, schedule);
    }
    changeSchedule(key, SERVICE_CHANGE.cells(change));
  }

  function applied(settlement: OutboxSettlement): boolean {
    const { id, attempt, claimedAt, attempts, next, kind } = settlement;
    const claim = [id, attempt, claimedAt];
    const cell = attemptsCell(attempts);
    if (isAwaitingNext(next)) return awaitCompletion.run(next.dueAt, cell, ...claim).changes === 1;
    if (typeof next === 'object') {
      return retry.run(next.dueAt, attempts.length, cell, ...claim).changes === 1;
    }
    if (kind === 'callback') return endCallback.run(next, cell, ...claim).changes === 1;
    return endManual.run(...claim).changes === 1;
  }

  return {
    insertManual(clientRowId, scheduleId, { id, scheduledFor }, call) {
      return commits.write(() => {
        if (call !== undefined && calls.isKept(clientRowId, call)) return 'replayed';
        const { runs } = manualRuns.get(clientRowId) as { runs: number };
        if (runs === MOST_MANUAL_RUNS) throw tooManyWaiting();
        const { changes } = insertManual.run({ clientRowId, scheduleId, id, scheduledFor });
        if (changes === 0) return 'unknown';
        if (call !== undefined) calls.keep(clientRowId, call, [id]);
        return 'inserted';
      });
    },
    claim(now, limit) {
      return commits.write(() => {
        const ended = (awaited.all(now, limit) as Row[]).map(row => claimAwaited(row, now));
        const left = limit - ended.length;
        return [...ended, ...(due.all(now, left) as Row[]).map(row => claimOne(row, now))];
      });
    },
    settle(settlements) {
      return commits.write(() => {
        const overtaken: string[] = [];
        for (const settlement of settlements) {
          const { clientRowId, scheduleRowId, kind } = settlement;
          if (isDecidedAnew(settlement) || !applied(settlement)) {
            overtaken.push(settlement.id);
            continue;
          }
          if (kind === 'manual' && !isAwaitingNext(settlement.next)) free.run(scheduleRowId);
          settleSchedule(settlement);
          const records = settlement.record ? [settlement.record] : [];
          for (const record of records)
            writeRun(RUN.cells(runRow(clientRowId, scheduleRowId, record)));
          for (const callback of settlement.callbacks) {
            writeCallback(
              CALLBACK.cells(callbackRow(clientRowId, scheduleRowId, callback, records)),
            );
          }
        }
        return overtaken;
      });
    },
    recount: outboxRecount(database, commits),
    async nextDueAt(after = Number.MIN_SAFE_INTEGER) {
      return (nextDue.get({ after }) as Row).due_at as number | null;
    },
    async depth() {
      return (depth.get() as Row).depth as number;
    },
    // The only engine needs no lease.
    renew: async ids => ids,
    recover(now) {
      return commits.write(() => {
        const rows = cutOff.all() as Row[];
        for (const row of rows) restore.run(now, ...restoredCells(row, now));
        return rows.length;
      });
    },
  };
}

/** How callbacks enter the outbox: in the transaction that ends their run. */
export function callbackWriter(database: DatabaseSync) {
  const insert = database.prepare(`
    INSERT INTO outbox (kind, state, ${CALLBACK.list()})
    VALUES ('callback', 'waiting', ${CALLBACK.marks()})`);
  return (cells: Cell[]): void => {
    insert.run(...cells);
  };
}
