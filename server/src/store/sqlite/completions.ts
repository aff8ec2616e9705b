import type { DatabaseSync } from 'node:sqlite';
import type { CompletionTicket } from '../../domain/access/completion-ticket.ts';
import { type Completion, completionOf } from '../../domain/run/completion.ts';
import { COMPLETION, type Row } from '../columns.ts';
import type { CompletionStore } from '../contract/completions.ts';
import {
  CONCERNED,
  dueAfter,
  isManualTicket,
  PRUNED_AT_ONCE,
  RECOUNTED_AT_ONCE,
  spokenOf,
} from '../rows/completions.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteCompletions(database: DatabaseSync, commits: GroupCommit): CompletionStore {
  const owner = `
    (SELECT schedule_key FROM schedules WHERE schedules.id = :scheduleId AND client_key = (
      SELECT client_key FROM clients WHERE clients.id = :clientId))`;
  const clientOf = database.prepare(`
    SELECT client_key FROM schedules WHERE schedules.id = :scheduleId AND client_key = (
      SELECT client_key FROM clients WHERE clients.id = :clientId)`);
  const ofQueue = database.prepare(`
    SELECT schedule_key, ${CONCERNED}, client_key FROM queue JOIN schedules USING (schedule_key)
    WHERE queue.schedule_key = ${owner}`);
  const ofOutbox = database.prepare(`
    SELECT client_key, schedule_key, ${CONCERNED} FROM outbox
    WHERE id = :runId AND kind = 'manual' AND schedule_key = ${owner}`);
  const find = database.prepare(
    `SELECT ${COMPLETION.list()} FROM completions WHERE run_id = ? AND attempt = ?`,
  );
  const keep = database.prepare(`
    INSERT OR REPLACE INTO completions (client_key, schedule_key, ${COMPLETION.list()})
    VALUES (?, ?, ${COMPLETION.marks()})`);
  // `changed_at` is part of the fence: two changes within one millisecond are two. A row that awaits is marked with its end: a
  // settlement that is written again would make it await once more. A row that is marked already is not marked again by a call
  // for more time: calls without end would hold up its settlement.
  const markRow = database.prepare(`
    UPDATE queue SET due_at = iif(state = 'awaiting', :dueAt, due_at),
      changed_at = iif(:ends OR (state <> 'awaiting' AND changed_at IS NULL),
        max(:now, due_at, coalesce(changed_at + 1, 0)), changed_at)
    WHERE schedule_key = :key`);
  // A manual run that was cut off and waits to be sent again: the target has its request.
  const moveEntry = database.prepare(`
    UPDATE outbox SET state = 'awaiting', due_at = ? WHERE id = ? AND state <> 'inFlight'`);
  const each = database.prepare(`
    SELECT ${COMPLETION.list('completions.')} FROM json_each(?) AS asked JOIN completions
      ON run_id = json_extract(asked.value, '$[0]') AND attempt = json_extract(asked.value, '$[1]')`);
  const awaiting = database.prepare(`
    SELECT (SELECT count(*) FROM queue INDEXED BY queue_awaiting WHERE state = 'awaiting')
      + (SELECT count(*) FROM outbox INDEXED BY outbox_awaiting WHERE state = 'awaiting') AS count`);
  const ahead = `
    SELECT run_id, attempt FROM completions WHERE said_at > :now AND status IS NULL
    LIMIT ${RECOUNTED_AT_ONCE}`;
  const restate = database.prepare(`
    UPDATE completions SET deadline_at = deadline_at - said_at + :now, said_at = :now
    WHERE (run_id, attempt) IN (${ahead})
    RETURNING run_id, attempt, schedule_key, deadline_at`);
  const rowSooner = database.prepare(`
    UPDATE queue SET due_at = min(due_at, :dueAt)
    WHERE schedule_key = :key AND attempt = :attempt AND state = 'awaiting'`);
  const entrySooner = database.prepare(`
    UPDATE outbox SET due_at = min(due_at, ?) WHERE id = ? AND state = 'awaiting'`);
  const prune = database.prepare(`
    DELETE FROM completions WHERE (run_id, attempt) IN (
      SELECT run_id, attempt FROM completions WHERE said_at < ? LIMIT ${PRUNED_AT_ONCE})`);

  function rowOf({ runId, scheduleId, clientId }: CompletionTicket, isManual: boolean) {
    const row = isManual
      ? ofOutbox.get({ runId, scheduleId, clientId })
      : ofQueue.get({ scheduleId, clientId });
    return row as Row | undefined;
  }

  function before({ runId, attempt }: CompletionTicket): Completion | null {
    const row = find.get(runId, attempt) as Row | undefined;
    return row === undefined ? null : COMPLETION.fromRow(row);
  }

  return {
    say(ticket, said, now) {
      return commits.write(() => {
        const isManual = isManualTicket(ticket);
        const row = rowOf(ticket, isManual);
        const spoken = spokenOf(row, ticket);
        const kept = spoken && completionOf(spoken, ticket, said, before(ticket), now);
        if (kept === null) return null;
        const { client_key, schedule_key } = row!;
        keep.run(client_key!, schedule_key!, ...COMPLETION.cells(kept));
        const dueAt = dueAfter(kept);
        const ends = kept.status === undefined ? 0 : 1;
        if (isManual) moveEntry.run(dueAt, ticket.runId);
        else markRow.run({ dueAt, now, key: schedule_key!, ends });
        return { dueAt, isManual };
      });
    },
    async of(attempts) {
      const asked = attempts.map(({ runId, attempt }) => [runId, attempt]);
      return (each.all(JSON.stringify(asked)) as Row[]).map(COMPLETION.fromRow);
    },
    async clientOf({ scheduleId, clientId }) {
      const row = clientOf.get({ scheduleId, clientId }) as Row | undefined;
      return row === undefined ? null : (row.client_key as number);
    },
    async awaiting() {
      return (awaiting.get() as Row).count as number;
    },
    recount(now) {
      return commits.write(() => {
        const restated = restate.all({ now }) as Row[];
        for (const { run_id, attempt, schedule_key: key, deadline_at: dueAt } of restated) {
          rowSooner.run({ dueAt: dueAt!, key: key!, attempt: attempt! });
          entrySooner.run(dueAt!, run_id!);
        }
        return restated.length;
      });
    },
    prune(before) {
      return commits.write(() => Number(prune.run(before).changes));
    },
  };
}
