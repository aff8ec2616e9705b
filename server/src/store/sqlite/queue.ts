import type { DatabaseSync } from 'node:sqlite';
import { isBegun, recovered, standingFrom } from '../queue-rows.ts';
import { attemptsCell, type Row } from '../rows.ts';
import type { QueueStore } from '../work.ts';
import {
  arrayText,
  FIRING,
  FIRING_JOINS,
  firingRows,
  type QueueRows,
  queueClaims,
  type SettlementCells,
} from './cells.ts';
import type { Commits } from './commit.ts';
import { callbackWriter } from './outbox.ts';
import { runWriter } from './runs.ts';

/** Rows among which those of other clients are looked for: the cost of one look is bounded. */
const LOOKED_AT = 20_000;

export function sqliteQueue(database: DatabaseSync, commits: Commits): QueueStore & QueueRows {
  const dueOf = (rows: string, others: string) => `
    SELECT queue.schedule_key, queue.state, queue.due_at, queue.scheduled_for, queue.next_for,
      queue.changed_at, queue.blocked_since, json_array(${FIRING.join()}) AS text
    FROM ${rows} ${FIRING_JOINS}
    WHERE queue.state <> 'inFlight' AND queue.due_at <= :now + :aheadMs ${others}
      AND (queue.due_at <= :now OR (queue.changed_at IS NULL AND queue.blocked_since IS NULL
        AND (queue.next_for IS NULL OR queue.next_for > queue.due_at)
        AND (queue.state <> 'waiting' OR queue.scheduled_for >= :unseenUntil) AND NOT EXISTS (
          SELECT 1 FROM outbox
          WHERE outbox.schedule_key = queue.schedule_key AND outbox.kind = 'manual')))
    ORDER BY queue.due_at LIMIT :limit`;
  const due = database.prepare(dueOf('queue', ''));
  const dueOfOthers = database.prepare(
    dueOf(
      `(SELECT * FROM (SELECT schedule_key AS key FROM queue
          WHERE state <> 'inFlight' AND due_at > :now ORDER BY due_at LIMIT ${LOOKED_AT})
        UNION ALL SELECT * FROM (SELECT schedule_key AS key FROM queue
          WHERE state <> 'inFlight' AND due_at <= :now ORDER BY due_at LIMIT ${LOOKED_AT})) AS near
        JOIN queue ON queue.schedule_key = near.key`,
      'AND schedules.client_key NOT IN (SELECT value FROM json_each(:except))',
    ),
  );
  const standing = database.prepare(`
    SELECT json_array(${FIRING.join()}) AS text FROM queue ${FIRING_JOINS}
    WHERE queue.schedule_key IN (SELECT value FROM json_each(?)) AND queue.state = 'inFlight'`);
  const take = database.prepare(`
    UPDATE queue SET state = 'inFlight', claimed_at = ?, attempt = attempt + ?
    WHERE schedule_key IN (SELECT value FROM json_each(?))`);

  const fence = `
    WHERE schedule_key = ? AND state = 'inFlight' AND scheduled_for = ? AND attempt = ?
      AND changed_at IS ?`;
  const move = database.prepare(`
    UPDATE queue SET state = ?, due_at = ?, scheduled_for = ?, next_for = ?, attempt = ?,
      attempts = ?, changed_at = NULL ${fence}`);
  const remove = database.prepare(`DELETE FROM queue ${fence}`);
  const writeRun = runWriter(database);
  const writeCallback = callbackWriter(database);

  const nextDue = database.prepare(
    "SELECT min(due_at) AS due_at FROM queue WHERE state <> 'inFlight'",
  );
  const depth = database.prepare(
    "SELECT count(*) AS depth FROM queue WHERE state <> 'inFlight' AND due_at <= ?",
  );
  const cutOff = database.prepare("SELECT * FROM queue WHERE state = 'inFlight'");
  const restore = database.prepare(
    'UPDATE queue SET state = ?, due_at = ?, attempt = ?, attempts = ? WHERE schedule_key = ?',
  );

  function applied([scheduleKey, fence, row]: SettlementCells): boolean {
    const { changes } = row
      ? move.run(...row, scheduleKey, ...fence)
      : remove.run(scheduleKey, ...fence);
    return changes === 1;
  }

  const rows: QueueRows = {
    claimText(now, limit, unseenUntil, aheadMs = 0, except = []) {
      return commits.write(() => {
        const range = { now, limit, unseenUntil, aheadMs };
        const rows = (
          except.length === 0
            ? due.all(range)
            : dueOfOthers.all({ ...range, except: JSON.stringify(except) })
        ) as Row[];
        for (const begun of [true, false]) {
          const keys = rows
            .filter(row => isBegun(row, now, unseenUntil) === begun)
            .map(row => row.schedule_key);
          if (keys.length > 0) take.run(now, begun ? 1 : 0, JSON.stringify(keys));
        }
        return arrayText(rows);
      });
    },
    settleCells(settlements) {
      return commits.write(() => {
        const overtaken: number[] = [];
        for (const settlement of settlements) {
          const [scheduleKey, , , records, callbacks] = settlement;
          if (!applied(settlement)) {
            overtaken.push(scheduleKey);
            continue;
          }
          for (const record of records) writeRun(record);
          for (const callback of callbacks) writeCallback(callback);
        }
        return overtaken;
      });
    },
  };

  return {
    ...rows,
    ...queueClaims(rows),
    async reread(scheduleKeys) {
      return firingRows(arrayText(standing.all(JSON.stringify(scheduleKeys)) as Row[])).map(
        standingFrom,
      );
    },
    async nextDueAt() {
      return (nextDue.get() as Row).due_at as number | null;
    },
    async depth(now) {
      return (depth.get(now) as Row).depth as number;
    },
    // The only engine hears of every change, and needs no lease.
    confirm: async claims => claims.map(({ scheduleKey }) => scheduleKey),
    renew: async scheduleKeys => scheduleKeys,
    recover(now, sentUntil) {
      return commits.write(() => {
        const rows = cutOff.all() as Row[];
        for (const row of rows) {
          const { state, dueAt, attempt, attempts } = recovered(row, now, sentUntil);
          restore.run(state, dueAt, attempt, attemptsCell(attempts), row.schedule_key!);
        }
        return rows.length;
      });
    },
  };
}
