import type { DatabaseSync } from 'node:sqlite';
import { claimRule } from '../claim-rule.ts';
import {
  CALLBACK,
  type Cell,
  FENCE,
  QUEUE,
  RECOVERED,
  type Row,
  RUN,
  SERVICE_CHANGE,
  TARGET_RUN,
} from '../columns.ts';
import type { QueueStore } from '../contract/queue.ts';
import { FENCE_OF_CLAIM, fenceCell, nextFence } from '../fence.ts';
import {
  awaitedManualFrom,
  depthSql,
  dueUnblocked,
  recovered,
  standingFrom,
  takenAt,
} from '../rows/queue.ts';
import type { GroupCommit } from './group-commit.ts';
import { callbackWriter } from './outbox.ts';
import { passedTimes } from './passed-times.ts';
import {
  arrayText,
  CellReader,
  claimedRows,
  claimedText,
  FIREABLE_JOINS,
  HAS_AGAIN,
  HAS_CHANGE,
  HAS_ROW,
  type QueueTexts,
  queueClaims,
} from './queue-codec.ts';
import { sqliteRecount } from './recount.ts';
import { runWriter } from './runs.ts';
import { serviceChangeWriter } from './service-change.ts';
import { targetRuns } from './target-runs.ts';

/** Rows among which those of other clients are looked for: the cost of one look is bounded. */
const LOOKED_AT = 20_000;

const RULE = claimRule({ now: ':now', unseenUntil: ':unseenUntil' });

/** A row that a claim takes: its key, and all cells as one text. */
type DueRow = [key: number, text: string];

/** @param level of this engine: rows that need a higher one are left to newer nodes */
export function sqliteQueue(
  database: DatabaseSync,
  commits: GroupCommit,
  level: number,
): QueueStore & QueueTexts {
  const isOurs = `needs <= ${level}`;
  const select = (rows: string, others: string) => `
    SELECT queue.schedule_key, ${claimedText(RULE.begins, nextFence('max', ':now'))}
    FROM ${rows} ${FIREABLE_JOINS}
    WHERE queue.state <> 'inFlight' AND queue.due_at <= :now + :aheadMs AND ${isOurs} ${others}
      AND ${RULE.isTaken}
    ORDER BY queue.due_at, queue.schedule_key LIMIT :limit + 0`;
  const due = database.prepare(select('queue', ''));
  const dueOfOthers = database.prepare(
    select(
      `(SELECT * FROM (SELECT schedule_key AS key FROM queue
          WHERE state <> 'inFlight' AND due_at > :now AND ${isOurs}
          ORDER BY due_at, schedule_key LIMIT ${LOOKED_AT})
        UNION ALL SELECT * FROM (SELECT schedule_key AS key FROM queue
          WHERE state <> 'inFlight' AND due_at <= :now AND ${isOurs}
          ORDER BY due_at, schedule_key LIMIT ${LOOKED_AT})) AS near
        JOIN queue ON queue.schedule_key = near.key`,
      'AND schedules.client_key NOT IN (SELECT value FROM json_each(:except))',
    ),
  );
  // A look for rows of others goes through 40,000; mostly there is one client and there are no others.
  const otherClient = database.prepare(
    'SELECT 1 FROM clients WHERE client_key NOT IN (SELECT value FROM json_each(?)) LIMIT 1',
  );
  function dueOf(range: Record<string, number>, except: number[]): DueRow[] {
    if (except.length === 0) return due.all(range) as unknown as DueRow[];
    const list = JSON.stringify(except);
    if (otherClient.get(list) === undefined) return [];
    return dueOfOthers.all({ ...range, except: list }) as unknown as DueRow[];
  }
  // To read objects with that many columns costs 2 µs a firing.
  for (const statement of [due, dueOfOthers]) statement.setReturnArrays(true);
  const standing = database.prepare(`
    SELECT ${claimedText('NULL', FENCE_OF_CLAIM)} FROM queue ${FIREABLE_JOINS}
    WHERE queue.schedule_key IN (SELECT value FROM json_each(?)) AND queue.state = 'inFlight'`);
  const take = database.prepare(`
    UPDATE queue SET state = 'inFlight', claimed_at = ${takenAt('max', ':now')},
      fence = ${fenceCell('max', ':now')},
      attempt = attempt + (${RULE.begins})
    WHERE schedule_key IN (SELECT value FROM json_each(:keys))`);

  const fence = `
    WHERE schedule_key = ? AND state = 'inFlight' AND scheduled_for = ? AND attempt = ?
      AND ${FENCE_OF_CLAIM} = ? AND changed_at IS ?`;
  const move = database.prepare(`
    UPDATE queue SET ${QUEUE.assignments(() => '?')}, changed_at = NULL ${fence}`);
  const remove = database.prepare(`DELETE FROM queue ${fence}`);
  const writeRun = runWriter(database);
  const writeCallback = callbackWriter(database);
  const changeSchedule = serviceChangeWriter(database);
  const furtherRuns = targetRuns(database);
  const times = passedTimes(database);
  const counts = sqliteRecount(database, commits, level);

  const nextDue = database.prepare(
    `SELECT min(due_at) AS due_at FROM queue WHERE state <> 'inFlight' AND ${isOurs}`,
  );
  const depth = database.prepare(depthSql(':now', `${level}`));
  const awaitedManuals = database.prepare(`
    SELECT schedule_key, due_at FROM json_each(?) AS asked CROSS JOIN outbox INDEXED BY outbox_manual
    WHERE schedule_key = asked.value AND kind = 'manual' AND state = 'awaiting'`);
  const dueAgain = dueUnblocked('min', 'max', 'true');
  const unblock = database.prepare(`
    UPDATE queue SET due_at = ${dueAgain}
    WHERE schedule_key IN (SELECT value FROM json_each(?)) AND blocked_since IS NULL
      AND due_at > ${dueAgain}`);
  const cutOff = database.prepare(`
    SELECT queue.*, policy FROM queue JOIN schedules USING (schedule_key)
    WHERE queue.state = 'inFlight'`);
  const restore = database.prepare(
    `UPDATE queue SET ${RECOVERED.assignments(() => '?')} WHERE schedule_key = ?`,
  );

  function applied(key: Cell[], row: Cell[] | undefined): boolean {
    const { changes } = row ? move.run(...row, ...key) : remove.run(...key);
    return changes === 1;
  }

  function earliest(): number | null {
    return (nextDue.get() as Row).due_at as number | null;
  }

  const rows: QueueTexts = {
    claimText(now, limit, unseenUntil, aheadMs = 0, except = []) {
      return commits.write(() => {
        const range = { now, limit, unseenUntil, aheadMs };
        const rows = dueOf(range, except);
        const keys = JSON.stringify(rows.map(([key]) => key));
        if (rows.length > 0) take.run({ now, unseenUntil, keys });
        const text = arrayText(rows.map(([, text]) => text));
        return [text, rows.length < limit ? earliest() : now];
      });
    },
    settleCells(cells) {
      return commits.write(() => {
        const overtaken: number[] = [];
        const reader = new CellReader(cells);
        while (!reader.isAtEnd) {
          const key = reader.take(1 + FENCE.width);
          const parts = reader.number();
          const row = parts & HAS_ROW ? reader.take(QUEUE.width) : undefined;
          const change = parts & HAS_CHANGE ? reader.take(SERVICE_CHANGE.width) : undefined;
          const again = parts & HAS_AGAIN ? reader.take(TARGET_RUN.width) : undefined;
          const isOvertaken = !applied(key, row);
          if (isOvertaken) overtaken.push(key[0] as number);
          else {
            if (again) furtherRuns.replace(key[0] as number, again);
            if (change) changeSchedule(key[0] as number, change);
          }
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
    ...counts,
    async reread(scheduleRowIds) {
      const rows = standing.all(JSON.stringify(scheduleRowIds)) as Row[];
      return claimedRows(arrayText(rows.map(({ text }) => text as string))).map(standingFrom);
    },
    async awaitedManuals(scheduleRowIds) {
      return (awaitedManuals.all(JSON.stringify(scheduleRowIds)) as Row[]).map(awaitedManualFrom);
    },
    unblock(scheduleRowIds) {
      return commits.write(() => Number(unblock.run(JSON.stringify(scheduleRowIds)).changes));
    },
    forgetSkipped(runs) {
      return commits.write(() => {
        for (const { scheduleRowId, scheduledFor } of runs) {
          times.forget(scheduleRowId, scheduledFor);
        }
      });
    },
    async nextDueAt() {
      return earliest();
    },
    async depth(now) {
      return (depth.get({ now }) as Row).depth as number;
    },
    // The only engine hears of every change, and needs no lease.
    confirm: async claims => claims.map(({ scheduleRowId }) => scheduleRowId),
    renew: async claims => claims.map(({ scheduleRowId }) => scheduleRowId),
    async recover(now, sentUntil) {
      // The mark of what was sent says more than what is on record.
      const shownUntil = sentUntil === undefined ? await counts.latest() : null;
      const known = { sentUntil, shownUntil };
      return commits.write(() => {
        const rows = cutOff.all() as Row[];
        for (const row of rows) {
          restore.run(...RECOVERED.cells(recovered(row, now, known)), row.schedule_key!);
        }
        return rows.length;
      });
    },
  };
}
