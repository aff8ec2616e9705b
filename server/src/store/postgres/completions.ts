import type { CompletionTicket } from '../../domain/access/completion-ticket.ts';
import { completionOf } from '../../domain/run/completion.ts';
import { COMPLETION, type Row } from '../columns.ts';
import type { CompletedRow, CompletionStore } from '../contract/completions.ts';
import {
  CONCERNED,
  dueAfter,
  isManualTicket,
  PRUNED_AT_ONCE,
  RECOUNTED_AT_ONCE,
  spokenOf,
} from '../rows/completions.ts';
import {
  type Connections,
  columnsOf,
  parameters,
  type Query,
  type Statement,
} from './connection.ts';
import type { Notifier } from './notifications/notifier.ts';

const OWNER = `
    SELECT schedule_key FROM schedules WHERE schedules.id = $1 AND client_key = (
      SELECT client_key FROM clients WHERE clients.id = $2)`;
const clientOf: Statement = {
  name: 'completions_client_of',
  text: `
    SELECT client_key FROM schedules WHERE schedules.id = $1 AND client_key = (
      SELECT client_key FROM clients WHERE clients.id = $2)`,
};
/** A settlement of the row waits for it, and then finds the row as it was marked. */
const ofQueue: Statement = {
  name: 'completions_of_queue',
  text: `
    SELECT schedule_key, ${CONCERNED}, client_key FROM queue JOIN schedules USING (schedule_key)
    WHERE queue.schedule_key = (${OWNER}) FOR UPDATE OF queue`,
};
const ofOutbox: Statement = {
  name: 'completions_of_outbox',
  text: `
    SELECT client_key, schedule_key, ${CONCERNED} FROM outbox
    WHERE id = $3 AND kind = 'manual' AND schedule_key = (${OWNER})
    FOR UPDATE`,
};
const find: Statement = {
  name: 'completions_find',
  text: `SELECT ${COMPLETION.list()} FROM completions WHERE run_id = $1 AND attempt = $2`,
};
const keep: Statement = {
  name: 'completions_keep',
  text: `
    INSERT INTO completions (client_key, schedule_key, ${COMPLETION.list()})
    VALUES (${parameters(1, ['bigint', 'bigint', ...COMPLETION.types]).replaceAll('[]', '')})
    ON CONFLICT (run_id, attempt) DO UPDATE
    SET ${COMPLETION.assignments(name => `excluded.${name}`)}`,
};
/**
 * `changed_at` is part of the fence: two changes within one millisecond are two. A row that awaits is marked with its end: a
 * settlement that is written again would make it await once more. A row that is marked already is not marked again by a call
 * for more time: calls without end would hold up its settlement.
 */
const mark: Statement = {
  name: 'completions_mark',
  text: `
    UPDATE queue SET
      due_at = CASE WHEN state = 'awaiting' THEN $1 ELSE due_at END,
      changed_at = CASE WHEN $4::integer = 0 AND (state = 'awaiting' OR changed_at IS NOT NULL)
        THEN changed_at
        ELSE greatest($2::bigint, due_at, changed_at + 1) END
    WHERE schedule_key = $3`,
};
/** A manual run that was cut off and waits to be sent again: the target has its request. */
const moveEntry: Statement = {
  name: 'completions_move_entry',
  text: "UPDATE outbox SET state = 'awaiting', due_at = $1 WHERE id = $2 AND state <> 'inFlight'",
};
const each: Statement = {
  name: 'completions_each',
  text: `
    SELECT ${COMPLETION.list()} FROM unnest($1::text[], $2::integer[]) AS asked (id, number)
      JOIN completions ON run_id = id AND attempt = number`,
};
const awaiting: Statement = {
  name: 'completions_awaiting',
  text: `
    SELECT (SELECT count(*) FROM queue WHERE state = 'awaiting')
      + (SELECT count(*) FROM outbox WHERE state = 'awaiting') AS count`,
};
const ahead: Statement = {
  name: 'completions_ahead',
  text: `
    SELECT run_id, attempt, schedule_key, deadline_at - said_at + $1::bigint AS due_at
    FROM completions WHERE said_at > $1 AND status IS NULL LIMIT ${RECOUNTED_AT_ONCE}`,
};
const rowsSooner: Statement = {
  name: 'completions_rows_sooner',
  text: `
    UPDATE queue SET due_at = least(queue.due_at, sooner.due_at)
    FROM unnest($1::bigint[], $2::integer[], $3::bigint[]) AS sooner (key, number, due_at)
    WHERE schedule_key = key AND attempt = number AND state = 'awaiting'`,
};
const entriesSooner: Statement = {
  name: 'completions_entries_sooner',
  text: `
    UPDATE outbox SET due_at = least(outbox.due_at, sooner.due_at)
    FROM unnest($1::text[], $2::bigint[]) AS sooner (run, due_at)
    WHERE id = run AND state = 'awaiting'`,
};
const restate: Statement = {
  name: 'completions_restate',
  text: `
    UPDATE completions SET deadline_at = deadline_at - said_at + $1::bigint, said_at = $1
    FROM unnest($2::text[], $3::integer[]) AS asked (id, number)
    WHERE run_id = id AND attempt = number AND said_at > $1 AND status IS NULL`,
};
const prune: Statement = {
  name: 'completions_prune',
  text: `
    DELETE FROM completions WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM completions WHERE said_at < $1 LIMIT ${PRUNED_AT_ONCE}))
    RETURNING 1`,
};

export function postgresCompletions(
  { query, transaction }: Connections,
  notifier: Notifier,
): CompletionStore {
  return {
    async say(ticket, said, now) {
      const spoken = await transaction(send => speak(send, ticket, said, now));
      if (spoken?.isManual) notifier.manual(ticket.scheduleId);
      else if (spoken !== null) notifier.due(spoken.dueAt);
      return spoken;
    },
    async of(attempts) {
      const asked = attempts.map(({ runId, attempt }) => [runId, attempt]);
      return (await query(each, columnsOf(asked, 2))).map(COMPLETION.fromRow);
    },
    async clientOf({ scheduleId, clientId }) {
      const [row] = await query(clientOf, [scheduleId, clientId]);
      return row === undefined ? null : (row.client_key as number);
    },
    async awaiting() {
      return (await query(awaiting))[0]!.count as number;
    },
    recount(now) {
      return transaction(send => restateAhead(send, now));
    },
    async prune(before) {
      return (await query(prune, [before])).length;
    },
  };
}

/** Rows before calls, as `speak` locks them. */
async function restateAhead(send: Query, now: number): Promise<number> {
  const found = await send(ahead, [now]);
  if (found.length === 0) return 0;
  const runs = found.map(({ run_id }) => run_id!);
  const numbers = found.map(({ attempt }) => attempt!);
  const dues = found.map(({ due_at }) => due_at!);
  await send(rowsSooner, [found.map(({ schedule_key }) => schedule_key!), numbers, dues]);
  await send(entriesSooner, [runs, dues]);
  await send(restate, [now, runs, numbers]);
  return found.length;
}

async function speak(
  send: Query,
  ticket: CompletionTicket,
  said: Parameters<CompletionStore['say']>[1],
  now: number,
): Promise<CompletedRow | null> {
  const { runId, scheduleId, clientId, attempt } = ticket;
  const isManual = isManualTicket(ticket);
  const [row] = await (isManual
    ? send(ofOutbox, [scheduleId, clientId, runId])
    : send(ofQueue, [scheduleId, clientId]));
  const spoken = spokenOf(row, ticket);
  if (spoken === null) return null;
  const [found] = await send(find, [runId, attempt]);
  const before = found === undefined ? null : COMPLETION.fromRow(found as Row);
  const kept = completionOf(spoken, ticket, said, before, now);
  if (kept === null) return null;
  const { client_key, schedule_key } = row!;
  await send(keep, [client_key!, schedule_key!, ...COMPLETION.cells(kept)]);
  const dueAt = dueAfter(kept);
  if (isManual) await send(moveEntry, [dueAt, runId]);
  else await send(mark, [dueAt, now, schedule_key!, kept.status === undefined ? 0 : 1]);
  return { dueAt, isManual };
}
