import type { Recounted } from '../../domain/run/recount.ts';
import type { Cell, Row } from '../columns.ts';
import type { OutboxStore } from '../contract/queue.ts';
import type { MovedRows, RecountedRows, RecountStore } from '../contract/recount.ts';
import { outboxDueAnew, outboxPlaceOf } from '../rows/outbox.ts';
import {
  asMade,
  cutMissed,
  isReaching,
  knownFrom,
  latestOf,
  MOST_STATES,
  movedRows,
  recountedFrom,
  rezonedFrom,
  sentAhead,
  standsFor,
  UNDECIDED_IN_FLIGHT,
  UNSENT,
} from '../rows/recount.ts';
import { loadCalendarsOf } from './calendars.ts';
import { type Connections, columnsOf, type Query, type Statement } from './connection.ts';
import { nextDueAtSql } from './fireable-schedules.ts';

/** Rows of the queue of one call, and records that are cut: a transaction holds them for some 100 ms at most. */
const ROWS_AT_ONCE = 200;

const latest: Statement = {
  name: 'recount_latest',
  text: `
    SELECT (SELECT max(finished_at) FROM runs
        WHERE runs.client_key = clients.client_key AND finished_at IS NOT NULL) AS ended_at,
      (SELECT max(updated_at) FROM schedules
        WHERE schedules.client_key = clients.client_key AND updated_at IS NOT NULL) AS changed_at,
      (SELECT max(id) FROM schedules WHERE schedules.client_key = clients.client_key) AS newest
    FROM clients`,
};
/** @param $1 the level of this engine */
const undecided: Statement = {
  name: 'recount_undecided',
  text: `
    SELECT least(${nextDueAtSql('$1')},
      (SELECT min(${UNDECIDED_IN_FLIGHT}) FROM queue
        WHERE state <> 'waiting' AND lease_until IS NOT NULL AND state = 'inFlight'),
      (SELECT min(next_for) FROM queue WHERE state = 'awaiting')) AS at`,
};
/** A run that waits for its retry ahead of the clock ($2) was sent before that was set back, too. */
const firstKnown: Statement = {
  name: 'recount_first_known',
  text: `
    SELECT min(at) AS at FROM (
      SELECT found.scheduled_for AS at FROM clients CROSS JOIN LATERAL (
        SELECT scheduled_for FROM runs
        WHERE runs.client_key = clients.client_key AND scheduled_for >= $1::bigint
          AND manual_id = '' AND (status IN ('succeeded', 'failed') OR attempts <> '[]')
        ORDER BY scheduled_for LIMIT 1) AS found
      UNION ALL
      SELECT min(scheduled_for) FROM queue
      WHERE state <> 'waiting' AND lease_until IS NOT NULL AND state = 'inFlight'
        AND scheduled_for >= $1 AND ${sentAhead('$2::bigint')}
      UNION ALL
      SELECT min(scheduled_for) FROM queue
      WHERE state = 'awaiting' AND scheduled_for >= $1 AND ${sentAhead('$2::bigint')}
      UNION ALL
      SELECT min(scheduled_for) FROM queue
      WHERE state IN ('retrying', 'lost') AND scheduled_for > $2::bigint) AS sent`,
};
/** The outer bounds say which days are looked in. */
const known: Statement = {
  name: 'recount_known',
  text: `
    SELECT found.* FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
      AS span (key, from_at, until_at) CROSS JOIN LATERAL (
        SELECT schedule_key, scheduled_for, status, attempts FROM runs
        WHERE schedule_key = span.key AND scheduled_for BETWEEN $4::bigint AND $5::bigint
          AND scheduled_for BETWEEN span.from_at AND span.until_at AND manual_id = ''
        OFFSET 0) AS found`,
};
const resent: Statement = {
  name: 'recount_resent',
  text: `
    DELETE FROM runs USING unnest($1::bigint[], $2::bigint[]) AS given (key, at)
    WHERE runs.schedule_key = given.key AND runs.scheduled_for = given.at AND keep = 'short'
      AND manual_id = '' AND status = 'missed'`,
};
const rowsAfter: Statement = {
  name: 'recount_rows',
  text: `
    SELECT queue.schedule_key, state, due_at, scheduled_for, next_for, attempt, attempts, status,
      interval, timezone, timing, policy
    FROM queue JOIN schedules ON schedules.schedule_key = queue.schedule_key
    WHERE queue.schedule_key > $1 AND needs <= $3
      AND (scheduled_for > $2::bigint OR due_at > $2 OR next_for > $2)
    ORDER BY queue.schedule_key LIMIT ${ROWS_AT_ONCE}
    FOR UPDATE OF queue`,
};
const rowsOf: Statement = {
  name: 'recount_rows_of',
  text: `
    SELECT queue.schedule_key, state, due_at, scheduled_for, next_for, attempt, attempts, status,
      interval, timezone, timing, policy
    FROM queue JOIN schedules ON schedules.schedule_key = queue.schedule_key
    WHERE queue.schedule_key = ANY ($1) AND needs <= $2
    ORDER BY queue.schedule_key
    FOR UPDATE OF queue`,
};
const unsent: Statement = {
  name: 'recount_unsent',
  text: `
    DELETE FROM runs
    WHERE schedule_key = ANY ($1) AND scheduled_for > $2 AND keep = 'short' AND ${UNSENT}`,
};
// `changed_at` is part of the fence: two changes within one millisecond are two.
const move: Statement = {
  name: 'recount_move',
  text: `
    UPDATE queue SET due_at = given.due_at, scheduled_for = given.scheduled_for,
      next_for = given.next_for,
      changed_at = CASE WHEN marked = 1 THEN greatest($1::bigint, changed_at + 1)
        WHEN queue.scheduled_for = given.scheduled_for THEN changed_at END
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::integer[])
      AS given (key, due_at, scheduled_for, next_for, marked)
    WHERE queue.schedule_key = given.key`,
};
const reaching: Statement = {
  name: 'recount_reaching',
  text: `
    SELECT found.*, interval, timezone, timing
    FROM clients CROSS JOIN LATERAL (
      SELECT client_key, scheduled_for, schedule_key, missed FROM runs
      WHERE runs.client_key = clients.client_key AND finished_at > $1::bigint AND keep = 'short'
        AND missed IS NOT NULL AND scheduled_for <= $1
        AND (missed::json ->> 'to')::bigint > $1
      LIMIT ${ROWS_AT_ONCE}) AS found
      JOIN schedules ON schedules.schedule_key = found.schedule_key
    LIMIT ${ROWS_AT_ONCE}`,
};
/** The latest record of a nominal time, of each schedule. Those of missed times are kept `short`. */
const latestUntil: Statement = {
  name: 'recount_latest_until',
  text: `
    SELECT found.* FROM unnest($1::bigint[]) AS given (key) CROSS JOIN LATERAL (
      SELECT client_key, scheduled_for, schedule_key, missed FROM runs
      WHERE schedule_key = given.key AND scheduled_for <= $2::bigint AND keep = 'short'
        AND manual_id = ''
      ORDER BY scheduled_for DESC LIMIT 1) AS found`,
};
const earlier: Statement = {
  name: 'recount_earlier',
  text: `
    SELECT found.* FROM unnest($1::bigint[]) AS given (key) CROSS JOIN LATERAL (
      SELECT schedule_key, interval, timezone, timing FROM schedule_changes
      WHERE schedule_key = given.key ORDER BY changed_at DESC LIMIT ${MOST_STATES}) AS found`,
};
const cut: Statement = {
  name: 'recount_cut',
  text: `
    UPDATE runs SET missed = given.missed
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
      AS given (missed, client, at, key)
    WHERE runs.client_key = given.client AND scheduled_for = given.at AND schedule_key = given.key
      AND manual_id = '' AND keep = 'short'`,
};

/** @returns the latest instant on record, epoch ms */
export async function latestBy(send: Query): Promise<number | null> {
  return latestOf(await send(latest));
}

/** @param level of this engine: rows that need a higher one are left to newer nodes */
export function postgresRecount({ query, transaction }: Connections, level: number): RecountStore {
  async function bite(send: Query, now: number, after: number): Promise<RecountedRows | null> {
    const rows = await send(rowsAfter, [after, now, level]);
    await loadCalendarsOf(send, rows);
    if (rows.length === 0) return null;
    const keys = rows.map(row => row.schedule_key as number);
    await send(unsent, [keys, now]);
    const timesOf = new Map(rows.map(row => [row.schedule_key, row]));
    const latest = await send(latestUntil, [keys, now]);
    const reaching = latest.filter(run => isReaching(run, now));
    // With the rows: from there on their times fire, whatever becomes of this process.
    await cutAll(
      send,
      reaching.map(run => ({ ...timesOf.get(run.schedule_key), ...run })),
      now,
    );
    const moved = rows.flatMap(row => movedCells(row, recountedFrom(row, now)));
    if (moved.length > 0) await send(move, [now, ...columnsOf(moved)]);
    const dues = moved.map(([, dueAt]) => dueAt as number);
    return {
      last: keys.at(-1)!,
      dueAt: dues.length === 0 ? null : Math.min(...dues),
    };
  }

  /** @param rows of runs, with their schedule's times beside them */
  async function cutAll(send: Query, rows: Row[], now: number): Promise<void> {
    if (rows.length === 0) return;
    const statesOf = await statesBefore(send, rows);
    const cells = rows.map((row): Cell[] => [
      cutMissed(asMade(row, statesOf.get(row.schedule_key!) ?? []), now),
      row.client_key!,
      row.scheduled_for!,
      row.schedule_key!,
    ]);
    await send(cut, columnsOf(cells));
  }

  /** By the key of a schedule: the states before its present one, where records were not made under that. */
  async function statesBefore(send: Query, runs: Row[]): Promise<Map<Cell, Row[]>> {
    const others = runs.filter(row => !standsFor(row));
    if (others.length === 0) return new Map();
    const keys = new Set(others.map(row => row.schedule_key as number));
    const states = await send(earlier, [[...keys]]);
    await loadCalendarsOf(send, states);
    return Map.groupBy(states, row => row.schedule_key!);
  }

  async function rezone(send: Query, keys: number[], now: number): Promise<MovedRows> {
    const rows = await send(rowsOf, [keys, level]);
    await loadCalendarsOf(send, rows);
    const moved = rows.flatMap(row => movedCells(row, rezonedFrom(row, now)));
    if (moved.length > 0) await send(move, [now, ...columnsOf(moved)]);
    return movedRows(moved.map(([, dueAt]) => dueAt as number));
  }

  return {
    async latest() {
      return latestBy(query);
    },
    async nextKnown(now) {
      const [row] = await query(undecided, [level]);
      const from = Math.min(now, (row!.at ?? now) as number);
      return (await query(firstKnown, [from, now]))[0]!.at as number | null;
    },
    async known(spans) {
      if (spans.length === 0) return [];
      const cells = spans.map(({ scheduleRowId, from, until }) => [scheduleRowId, from, until]);
      const first = Math.min(...spans.map(({ from }) => from));
      const last = Math.max(...spans.map(({ until }) => until));
      return (await query(known, [...columnsOf(cells), first, last])).map(knownFrom);
    },
    async resend(runs) {
      const cells = runs.map(({ scheduleRowId, scheduledFor }) => [scheduleRowId, scheduledFor]);
      await query(resent, columnsOf(cells, 2));
    },
    recount: (now, after) => transaction(send => bite(send, now, after)),
    rezone: (scheduleRowIds, now) => transaction(send => rezone(send, scheduleRowIds, now)),
    async cutMissed(now) {
      const rows = await query(reaching, [now]);
      await loadCalendarsOf(query, rows);
      await cutAll(query, rows, now);
      return rows.length;
    },
  };
}

function movedCells(row: Row, next: Recounted | null): Cell[][] {
  if (next === null) return [];
  const { dueAt, scheduledFor, nextFor, marked } = next;
  return [[row.schedule_key!, dueAt, scheduledFor, nextFor, marked ? 1 : 0]];
}

/** Entries of the outbox of one call. */
const ENTRIES_AT_ONCE = 1_000;

/** Each state in which entries wait has its index. */
const laterIn = (state: string) => `(
      SELECT id, kind, state, schedule_key, due_at, attempts, trigger FROM outbox
      WHERE state = '${state}' AND due_at > $1::bigint AND (due_at, id) > ($2::bigint, $3::text)
      ORDER BY due_at, id LIMIT ${ENTRIES_AT_ONCE} FOR UPDATE)`;
const putOff: Statement = {
  name: 'outbox_put_off',
  text: `
    WITH waiting AS MATERIALIZED ${laterIn('waiting')}, reserved AS MATERIALIZED ${laterIn('reserved')},
      awaiting AS MATERIALIZED ${laterIn('awaiting')}
    SELECT later.id, later.state, due_at, attempts, trigger, policy
    FROM (SELECT * FROM waiting UNION ALL SELECT * FROM reserved UNION ALL SELECT * FROM awaiting) AS later
      LEFT JOIN schedules ON kind = 'manual' AND schedules.schedule_key = later.schedule_key
    ORDER BY due_at, later.id LIMIT ${ENTRIES_AT_ONCE}`,
};
const bringForward: Statement = {
  name: 'outbox_bring_forward',
  text: `
    UPDATE outbox SET due_at = given.due_at
    FROM unnest($1::text[], $2::bigint[]) AS given (id, due_at) WHERE outbox.id = given.id`,
};

export function outboxRecount({ transaction }: Connections): OutboxStore['recount'] {
  return (now, after) =>
    transaction(async send => {
      const rows = await send(putOff, [now, after?.dueAt ?? now, after?.id ?? '']);
      const dues = rows.map((row): Cell[] => [row.id!, outboxDueAnew(row, now)]);
      if (dues.length > 0) await send(bringForward, columnsOf(dues));
      return outboxPlaceOf(rows.at(-1));
    });
}
