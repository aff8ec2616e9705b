import type { DatabaseSync } from 'node:sqlite';
import { LOOKED_AT_MS, PUT_OFF_MS, RETURN_MS } from '../../domain/run/suspension.ts';
import { type Row, RUN, SERVICE_CHANGE } from '../columns.ts';
import type {
  ReadmittedRows,
  SuspensionStore,
  TakenClaim,
  TakenEntry,
} from '../contract/suspensions.ts';
import { FENCE_OF_CLAIM } from '../fence.ts';
import { runRow } from '../rows/runs.ts';
import { addTo, completionFrom, decided, readmittedFrom } from '../rows/suspensions.ts';
import type { GroupCommit } from './group-commit.ts';
import { runWriter } from './runs.ts';
import { serviceChangeWriter } from './service-change.ts';

/** Rows of one call, and records that go with them: other writers wait for some 10 ms. */
const ROWS_AT_ONCE = 500;
const RECORDS_AT_ONCE = 2_000;

/** @param level of this engine: rows that need a higher one are left to newer nodes */
export function sqliteSuspensions(
  database: DatabaseSync,
  commits: GroupCommit,
  level: number,
): SuspensionStore {
  const list = database.prepare(`
    SELECT client_key, resumed_at IS NOT NULL AS is_resumed FROM clients
    WHERE suspended_at IS NOT NULL`);
  const isSuspended =
    'EXISTS (SELECT 1 FROM clients WHERE client_key = ? AND suspended_at IS NOT NULL)';
  const putOff = database.prepare(`
    UPDATE queue SET state = ?, due_at = due_at + ${PUT_OFF_MS}, attempt = ?
    WHERE schedule_key = ? AND state = 'inFlight' AND scheduled_for = ? AND attempt = ?
      AND ${FENCE_OF_CLAIM} = ? AND changed_at IS ? AND ${isSuspended}`);
  // An entry that was deleted since its claim ends unsent: nothing would bring it back.
  const putOffEntry = database.prepare(`
    UPDATE outbox SET state = 'waiting', due_at = due_at + ${PUT_OFF_MS}, attempt = ?
    WHERE id = ? AND state = 'inFlight' AND attempt = ? AND claimed_at = ? AND EXISTS (
      SELECT 1 FROM clients
      WHERE client_key = ? AND suspended_at IS NOT NULL AND (kind = 'manual' OR deleted_at IS NULL))
      AND (kind = 'callback' OR NOT EXISTS (
        SELECT 1 FROM schedules
        WHERE schedules.schedule_key = outbox.schedule_key AND status = 'deleted'))`);
  const unblock = database.prepare('UPDATE queue SET blocked_since = NULL WHERE schedule_key = ?');

  const away = database.prepare(`
    SELECT queue.*, schedules.id AS schedule_id, status, interval, timezone, timing, suspended_at
    FROM queue JOIN schedules USING (schedule_key) JOIN clients USING (client_key)
    WHERE state <> 'inFlight' AND due_at >= ${PUT_OFF_MS} AND client_key = ?
      AND resumed_at IS NOT NULL AND needs <= ${level}
    ORDER BY due_at LIMIT ${ROWS_AT_ONCE}`);
  // A row that waits for another time than before has no change to be looked at.
  const move = database.prepare(`
    UPDATE queue SET due_at = ?1, scheduled_for = ?2, next_for = ?3,
      changed_at = iif(state = 'waiting' AND scheduled_for <> ?2, NULL, changed_at)
    WHERE schedule_key = ?4`);
  const remove = database.prepare('DELETE FROM queue WHERE schedule_key = ?');
  const writeRun = runWriter(database);
  const changeSchedule = serviceChangeWriter(database);
  const entriesBack = database.prepare(`
    UPDATE outbox SET due_at = max(due_at - ${PUT_OFF_MS}, ? + ${RETURN_MS})
    WHERE id IN (
      SELECT outbox.id FROM outbox JOIN clients USING (client_key)
      WHERE state = 'waiting' AND due_at >= ${PUT_OFF_MS} AND client_key = ?
        AND resumed_at IS NOT NULL
      LIMIT ${ROWS_AT_ONCE})`);
  // Rows that came due before the end, and were not looked at yet, are put off first, also those that were just claimed. Those that
  // only a newer node can bring back are still away. Few rows are in flight: CROSS JOIN begins with them.
  const end = database.prepare(`
    UPDATE clients SET suspended_at = NULL, resumed_at = NULL
    WHERE client_key = ?1 AND resumed_at IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM queue JOIN schedules USING (schedule_key)
      WHERE state <> 'inFlight' AND due_at <= min(clients.resumed_at, ?2)
        AND schedules.client_key = clients.client_key)
      AND NOT EXISTS (
      SELECT 1 FROM queue JOIN schedules USING (schedule_key)
      WHERE state <> 'inFlight' AND due_at >= ${PUT_OFF_MS}
        AND schedules.client_key = clients.client_key)
      AND NOT EXISTS (
      SELECT 1 FROM queue CROSS JOIN schedules USING (schedule_key)
      WHERE state = 'inFlight' AND due_at <= min(clients.resumed_at, ?2)
        AND abs(claimed_at - ?2) <= ${LOOKED_AT_MS} AND schedules.client_key = clients.client_key)
    RETURNING 1`);
  const isResumed = database.prepare(
    'SELECT 1 FROM clients WHERE client_key = ? AND resumed_at IS NOT NULL',
  );

  function putOffOne(claim: TakenClaim): boolean {
    const { scheduleRowId, clientRowId, scheduledFor, attempt, was, attempts } = claim;
    const key = [scheduleRowId, scheduledFor, attempt, claim.fence, claim.changedAt, clientRowId];
    return putOff.run(was, attempts.length, ...key).changes === 1;
  }

  function putOffOneEntry(entry: TakenEntry): boolean {
    const { id, clientRowId, scheduleRowId, kind, attempt, claimedAt, attempts } = entry;
    const { changes } = putOffEntry.run(attempts.length, id, attempt, claimedAt, clientRowId);
    if (changes === 0) return false;
    if (kind === 'manual') unblock.run(scheduleRowId);
    return true;
  }

  function readmitRow(clientRowId: number, cells: Row, now: number, back: ReadmittedRows): void {
    const readmission = readmittedFrom(cells, now);
    const { row, passed } = readmission;
    const key = cells.schedule_key as number;
    if (row === null) {
      remove.run(key);
      changeSchedule(key, SERVICE_CHANGE.cells(completionFrom(cells, now)));
    } else move.run(row.dueAt, row.scheduledFor, row.nextFor, key);
    for (const record of decided(passed, now))
      writeRun(RUN.cells(runRow(clientRowId, key, record)));
    addTo(back, cells, readmission);
  }

  return {
    async list() {
      return (list.all() as Row[]).map(({ client_key, is_resumed }) => ({
        clientRowId: client_key as number,
        isResumed: is_resumed === 1,
      }));
    },
    putOff(claims) {
      return commits.write(() =>
        claims.filter(putOffOne).map(({ scheduleRowId }) => scheduleRowId),
      );
    },
    putOffEntries(claims) {
      return commits.write(() => claims.filter(putOffOneEntry).map(({ id }) => id));
    },
    readmit(clientRowId, now) {
      return commits.write(() => {
        const count = Number(entriesBack.run(now, clientRowId).changes);
        const back: ReadmittedRows = { count, dueAt: null, passed: [] };
        for (const cells of away.all(clientRowId) as Row[]) {
          readmitRow(clientRowId, cells, now, back);
          if (back.passed.length > RECORDS_AT_ONCE) break;
        }
        if (back.count > 0) return back;
        if (isResumed.get(clientRowId) === undefined) return null;
        return end.get(clientRowId, now) === undefined ? back : null;
      });
    },
  };
}
