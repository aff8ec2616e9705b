import type { DatabaseSync } from 'node:sqlite';
import {
  attemptsCell,
  CALLBACK,
  type Cell,
  FIREABLE,
  type Row,
  RUN,
  readFrom,
  SECRETS,
  selected,
} from '../columns.ts';
import type { OutboxClaim, OutboxSettlement, OutboxStore } from '../contract/queue.ts';
import { MOST_MANUAL_RUNS, tooManyWaiting } from '../manual-runs.ts';
import { IS_NOT_PUT_OFF, outboxClaimFrom } from '../rows/outbox.ts';
import { attemptsFrom, lostAttempt } from '../rows/row.ts';
import { callbackRow, runRow } from '../rows/runs.ts';
import type { GroupCommit } from './group-commit.ts';
import { outboxRecount } from './recount.ts';
import { runWriter } from './runs.ts';

export function sqliteOutbox(database: DatabaseSync, commits: GroupCommit): OutboxStore {
  const insertManual = database.prepare(`
    INSERT INTO outbox (id, kind, client_key, schedule_key, state, due_at, scheduled_for)
    SELECT :id, 'manual', client_key, schedule_key, 'waiting', :scheduledFor, :scheduledFor
    FROM schedules WHERE client_key = :clientRowId AND id = :scheduleId AND status <> 'deleted'`);
  const manualRuns = database.prepare(`
    SELECT count(*) AS runs FROM (
      SELECT 1 FROM outbox INDEXED BY outbox_manual_of_client
      WHERE client_key = ? AND kind = 'manual' LIMIT ${MOST_MANUAL_RUNS})`);
  // A manual run waits for every other request of its schedule, an earlier manual run included, and
  // for one that was cut off: that is sent again before anything newer.
  const due = database.prepare(`
    SELECT outbox.*, clients.id AS client_id, ${selected(readFrom('clients', SECRETS))}
    FROM outbox JOIN clients USING (client_key)
    WHERE state = 'waiting' AND due_at <= ? AND (kind = 'callback' OR NOT EXISTS (
        SELECT 1 FROM queue
        WHERE queue.schedule_key = outbox.schedule_key AND queue.state IN ('inFlight', 'lost'))
      AND NOT EXISTS (
        SELECT 1 FROM outbox AS other
        WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
          AND other.state = 'inFlight')
      AND NOT EXISTS (
        SELECT 1 FROM outbox AS other
        WHERE other.schedule_key = outbox.schedule_key AND other.kind = 'manual'
          AND (other.due_at, other.id) < (outbox.due_at, outbox.id)))
    ORDER BY due_at, outbox.id LIMIT ?`);
  const scheduleOf = database.prepare(`
    SELECT ${selected(FIREABLE)}
    FROM schedules JOIN clients USING (client_key) WHERE schedule_key = ?`);
  const take = database.prepare(
    "UPDATE outbox SET state = 'inFlight', claimed_at = ?, attempt = attempt + 1 WHERE id = ?",
  );
  const block = database.prepare('UPDATE queue SET blocked_since = ? WHERE schedule_key = ?');

  const fence = "WHERE id = ? AND state = 'inFlight' AND attempt = ?";
  // A manual run whose schedule was deleted meanwhile is due at once, to be ended.
  const retry = database.prepare(`
    UPDATE outbox SET state = 'waiting', attempt = ?2, attempts = ?3,
      due_at = iif(kind = 'manual' AND EXISTS (
        SELECT 1 FROM schedules
        WHERE schedules.schedule_key = outbox.schedule_key AND status = 'deleted'),
        min(claimed_at, ?1), ?1) ${fence}`);
  // An ended callback stays for history, without the body that only a sender needs.
  const endCallback = database.prepare(
    `UPDATE outbox SET state = ?, attempts = ?, body = NULL ${fence}`,
  );
  const endManual = database.prepare(`DELETE FROM outbox ${fence}`);
  const writeRun = runWriter(database);
  const writeCallback = callbackWriter(database);

  const nextDue = database.prepare(
    "SELECT min(due_at) AS due_at FROM outbox WHERE state = 'waiting'",
  );
  const depth = database.prepare(
    `SELECT count(*) AS depth FROM outbox WHERE state = 'waiting' AND ${IS_NOT_PUT_OFF}`,
  );
  const cutOff = database.prepare("SELECT * FROM outbox WHERE state = 'inFlight'");
  const restore = database.prepare(
    "UPDATE outbox SET state = 'waiting', due_at = min(due_at, ?), attempts = ? WHERE id = ?",
  );

  function claimOne(row: Row, now: number): OutboxClaim {
    take.run(now, row.id!);
    const taken = { ...row, attempt: (row.attempt as number) + 1 };
    if (row.kind === 'callback') return outboxClaimFrom(taken, now, undefined);
    block.run(now, row.schedule_key!);
    return outboxClaimFrom(taken, now, scheduleOf.get(row.schedule_key!) as Row);
  }

  function applied({ id, attempt, attempts, next, kind }: OutboxSettlement): boolean {
    const cell = attemptsCell(attempts);
    if (typeof next === 'object') {
      return retry.run(next.dueAt, attempts.length, cell, id, attempt).changes === 1;
    }
    if (kind === 'callback') return endCallback.run(next, cell, id, attempt).changes === 1;
    return endManual.run(id, attempt).changes === 1;
  }

  return {
    insertManual(clientRowId, scheduleId, { id, scheduledFor }) {
      return commits.write(() => {
        const { runs } = manualRuns.get(clientRowId) as { runs: number };
        if (runs === MOST_MANUAL_RUNS) throw tooManyWaiting();
        return insertManual.run({ clientRowId, scheduleId, id, scheduledFor }).changes === 1;
      });
    },
    claim(now, limit) {
      return commits.write(() => (due.all(now, limit) as Row[]).map(row => claimOne(row, now)));
    },
    settle(settlements) {
      return commits.write(() => {
        const overtaken: string[] = [];
        for (const settlement of settlements) {
          const { clientRowId, scheduleRowId, kind } = settlement;
          if (!applied(settlement)) {
            overtaken.push(settlement.id);
            continue;
          }
          if (kind === 'manual') block.run(null, scheduleRowId);
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
    async nextDueAt() {
      return (nextDue.get() as Row).due_at as number | null;
    },
    async depth() {
      return (depth.get() as Row).depth as number;
    },
    // The only engine needs no lease.
    renew: async ids => ids,
    recover(now) {
      return commits.write(() => {
        const rows = cutOff.all() as Row[];
        for (const row of rows) {
          const lost = lostAttempt(row.attempt as number, row.claimed_at as number);
          restore.run(now, attemptsCell([...attemptsFrom(row.attempts), lost]), row.id!);
        }
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
