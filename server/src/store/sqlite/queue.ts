import type { DatabaseSync } from 'node:sqlite';
import type { QueueRow } from '../../domain/run/queue-row.ts';
import { CALLBACK, type Cell, FENCE, QUEUE, RECOVERED, type Row, RUN } from '../columns.ts';
import type { QueueStore } from '../contract/queue.ts';
import { isBegun, recovered, standingFrom } from '../rows/queue.ts';
import type { GroupCommit } from './group-commit.ts';
import { callbackWriter } from './outbox.ts';
import {
  arrayText,
  CellReader,
  CLAIMED_TEXT,
  claimedRows,
  FIREABLE_JOINS,
  type QueueTexts,
  queueClaims,
} from './queue-codec.ts';
import { sqliteRecount } from './recount.ts';
import { runWriter } from './runs.ts';

/** Rows among which those of other clients are looked for: the cost of one look is bounded. */
const LOOKED_AT = 20_000;

/** What a claim reads of a row, in its order. */
type DueCells = [
  key: number,
  state: QueueRow['state'],
  dueAt: number,
  scheduledFor: number,
  nextFor: number | null,
  changedAt: number | null,
  blockedSince: number | null,
  text: string,
];

export function sqliteQueue(database: DatabaseSync, commits: GroupCommit): QueueStore & QueueTexts {
  const select = (rows: string, others: string) => `
    SELECT queue.schedule_key, queue.state, queue.due_at, queue.scheduled_for, queue.next_for,
      queue.changed_at, queue.blocked_since, ${CLAIMED_TEXT}
    FROM ${rows} ${FIREABLE_JOINS}
    WHERE queue.state <> 'inFlight' AND queue.due_at <= :now + :aheadMs ${others}
      AND (queue.due_at <= :now OR (queue.changed_at IS NULL AND queue.blocked_since IS NULL
        AND (queue.state = 'lost' OR queue.next_for IS NULL OR queue.next_for > queue.due_at)
        AND (queue.state <> 'waiting' OR queue.scheduled_for >= :unseenUntil) AND NOT EXISTS (
          SELECT 1 FROM outbox
          WHERE outbox.schedule_key = queue.schedule_key AND outbox.kind = 'manual')))
    ORDER BY queue.due_at LIMIT :limit`;
  const due = database.prepare(select('queue', ''));
  const dueOfOthers = database.prepare(
    select(
      `(SELECT * FROM (SELECT schedule_key AS key FROM queue
          WHERE state <> 'inFlight' AND due_at > :now ORDER BY due_at LIMIT ${LOOKED_AT})
        UNION ALL SELECT * FROM (SELECT schedule_key AS key FROM queue
          WHERE state <> 'inFlight' AND due_at <= :now ORDER BY due_at LIMIT ${LOOKED_AT})) AS near
        JOIN queue ON queue.schedule_key = near.key`,
      'AND schedules.client_key NOT IN (SELECT value FROM json_each(:except))',
    ),
  );
  // A look for rows of others goes through 40,000; mostly there is one client and there are no others.
  const otherClient = database.prepare(
    'SELECT 1 FROM clients WHERE client_key NOT IN (SELECT value FROM json_each(?)) LIMIT 1',
  );
  function dueOf(range: Record<string, number>, except: number[]): DueCells[] {
    if (except.length === 0) return due.all(range) as unknown as DueCells[];
    const list = JSON.stringify(except);
    if (otherClient.get(list) === undefined) return [];
    return dueOfOthers.all({ ...range, except: list }) as unknown as DueCells[];
  }
  // Objects of so many columns cost 2 µs a firing to read.
  for (const statement of [due, dueOfOthers]) statement.setReturnArrays(true);
  const standing = database.prepare(`
    SELECT ${CLAIMED_TEXT} FROM queue ${FIREABLE_JOINS}
    WHERE queue.schedule_key IN (SELECT value FROM json_each(?)) AND queue.state = 'inFlight'`);
  const take = database.prepare(`
    UPDATE queue SET state = 'inFlight', claimed_at = ?, attempt = attempt + ?
    WHERE schedule_key IN (SELECT value FROM json_each(?))`);

  const fence = `
    WHERE schedule_key = ? AND state = 'inFlight' AND scheduled_for = ? AND attempt = ?
      AND changed_at IS ?`;
  const move = database.prepare(`
    UPDATE queue SET ${QUEUE.assignments(() => '?')}, changed_at = NULL ${fence}`);
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
    `UPDATE queue SET ${RECOVERED.assignments(() => '?')} WHERE schedule_key = ?`,
  );

  function applied(key: Cell[], row: Cell[] | undefined): boolean {
    const { changes } = row ? move.run(...row, ...key) : remove.run(...key);
    return changes === 1;
  }

  const rows: QueueTexts = {
    claimText(now, limit, unseenUntil, aheadMs = 0, except = []) {
      return commits.write(() => {
        const range = { now, limit, unseenUntil, aheadMs };
        const rows = dueOf(range, except);
        const begun: number[] = [];
        const others: number[] = [];
        const texts: string[] = [];
        for (const [
          key,
          state,
          dueAt,
          scheduledFor,
          nextFor,
          changedAt,
          blockedSince,
          text,
        ] of rows) {
          const row = { state, dueAt, scheduledFor, nextFor, changedAt, blockedSince };
          (isBegun(row, now, unseenUntil) ? begun : others).push(key);
          texts.push(text);
        }
        if (begun.length > 0) take.run(now, 1, JSON.stringify(begun));
        if (others.length > 0) take.run(now, 0, JSON.stringify(others));
        return arrayText(texts);
      });
    },
    settleCells(cells) {
      return commits.write(() => {
        const overtaken: number[] = [];
        const reader = new CellReader(cells);
        while (!reader.isAtEnd) {
          const key = reader.take(1 + FENCE.width);
          const [row] = reader.list(QUEUE.width);
          const isOvertaken = !applied(key, row);
          if (isOvertaken) overtaken.push(key[0] as number);
          for (const run of reader.list(RUN.width)) if (!isOvertaken) writeRun(run);
          for (const one of reader.list(CALLBACK.width)) if (!isOvertaken) writeCallback(one);
        }
        return overtaken;
      });
    },
  };

  return {
    ...rows,
    ...queueClaims(rows),
    ...sqliteRecount(database, commits),
    async reread(scheduleRowIds) {
      const rows = standing.all(JSON.stringify(scheduleRowIds)) as Row[];
      return claimedRows(arrayText(rows.map(({ text }) => text as string))).map(standingFrom);
    },
    async nextDueAt() {
      return (nextDue.get() as Row).due_at as number | null;
    },
    async depth(now) {
      return (depth.get(now) as Row).depth as number;
    },
    // The only engine hears of every change, and needs no lease.
    confirm: async claims => claims.map(({ scheduleRowId }) => scheduleRowId),
    renew: async claims => claims.map(({ scheduleRowId }) => scheduleRowId),
    recover(now, sentUntil) {
      return commits.write(() => {
        const rows = cutOff.all() as Row[];
        for (const row of rows) {
          restore.run(...RECOVERED.cells(recovered(row, now, sentUntil)), row.schedule_key!);
        }
        return rows.length;
      });
    },
  };
}
