import type { DatabaseSync } from 'node:sqlite';
import type { Recounted } from '../../domain/run/recount.ts';
import type { Row } from '../columns.ts';
import type { OutboxStore } from '../contract/queue.ts';
import type { RecountStore } from '../contract/recount.ts';
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
} from '../rows/recount.ts';
import type { GroupCommit } from './group-commit.ts';
import { FORGET_UNSENT } from './requeue.ts';

/** Rows of the queue of one call, and records that go with them: other writers wait for some 10 ms. */
const ROWS_AT_ONCE = 1_000;
const RECORDS_AT_ONCE = 2_000;

/** @param level of this engine: rows that need a higher one are left to newer nodes */
export function sqliteRecount(
  database: DatabaseSync,
  commits: GroupCommit,
  level: number,
): RecountStore {
  const ended = `SELECT max(finished_at) FROM runs
    WHERE runs.client_key = clients.client_key AND finished_at IS NOT NULL`;
  const latest = database.prepare(`
    SELECT (${ended}) AS ended_at,
      (SELECT max(updated_at) FROM schedules
        WHERE schedules.client_key = clients.client_key AND updated_at IS NOT NULL) AS changed_at,
      (SELECT max(id) FROM schedules WHERE schedules.client_key = clients.client_key) AS newest
    FROM clients`);
  const undecided = database.prepare(`
    SELECT min(at) AS at FROM (
      SELECT min(due_at) AS at FROM queue WHERE state <> 'inFlight' AND needs <= ${level}
      UNION ALL
      SELECT min(${UNDECIDED_IN_FLIGHT}) FROM queue INDEXED BY queue_in_flight WHERE state = 'inFlight'
      UNION ALL
      SELECT min(next_for) FROM queue INDEXED BY queue_awaiting WHERE state = 'awaiting')`);
  // A run that waits for its retry ahead of the clock was sent before that was set back, too.
  const firstKnown = database.prepare(`
    SELECT min(at) AS at FROM (
      SELECT (
        SELECT scheduled_for FROM runs
        WHERE runs.client_key = clients.client_key AND scheduled_for >= :from AND manual_id = ''
          AND (status IN ('succeeded', 'failed') OR attempts <> '[]')
        ORDER BY scheduled_for LIMIT 1) AS at
      FROM clients
      UNION ALL
      SELECT min(scheduled_for) FROM queue INDEXED BY queue_in_flight
      WHERE state = 'inFlight' AND scheduled_for >= :from AND ${sentAhead(':now')}
      UNION ALL
      SELECT min(scheduled_for) FROM queue INDEXED BY queue_awaiting
      WHERE state = 'awaiting' AND scheduled_for >= :from AND ${sentAhead(':now')}
      UNION ALL
      SELECT min(scheduled_for) FROM queue INDEXED BY queue_retrying
      WHERE state IN ('retrying', 'lost') AND scheduled_for > :now)`);
  const known = database.prepare(`
    SELECT schedule_key, scheduled_for, status, attempts FROM runs
    WHERE schedule_key = ? AND scheduled_for BETWEEN ? AND ? AND manual_id = ''
    ORDER BY scheduled_for`);
  const resent = database.prepare(`
    DELETE FROM runs
    WHERE schedule_key = ? AND scheduled_for = ? AND manual_id = '' AND status = 'missed'`);

  const rowsAfter = database.prepare(`
    SELECT queue.schedule_key, queue.state, queue.due_at, queue.scheduled_for, queue.next_for,
      queue.attempt, queue.attempts, schedules.status, schedules.interval, schedules.timezone,
      schedules.timing, schedules.policy
    FROM queue JOIN schedules ON schedules.schedule_key = queue.schedule_key
    WHERE queue.schedule_key > :after AND (scheduled_for > :now OR due_at > :now OR next_for > :now)
      AND needs <= ${level}
    ORDER BY queue.schedule_key LIMIT ${ROWS_AT_ONCE}`);
  const rowOf = database.prepare(`
    SELECT queue.schedule_key, queue.state, queue.due_at, queue.scheduled_for, queue.next_for,
      queue.attempt, queue.attempts, schedules.status, schedules.interval, schedules.timezone,
      schedules.timing, schedules.policy
    FROM queue JOIN schedules ON schedules.schedule_key = queue.schedule_key
    WHERE queue.schedule_key = ? AND needs <= ${level}`);
  const forgetUnsent = database.prepare(FORGET_UNSENT);
  // `changed_at` is part of the fence: two changes within one millisecond are two.
  const move = database.prepare(`
    UPDATE queue SET due_at = :dueAt, scheduled_for = :scheduledFor, next_for = :nextFor,
      changed_at = CASE WHEN :marked THEN max(:now, coalesce(changed_at + 1, 0))
        WHEN scheduled_for = :scheduledFor THEN changed_at END
    WHERE schedule_key = :key`);

  const reaching = database.prepare(`
    SELECT runs.client_key, scheduled_for, runs.schedule_key, missed, interval, timezone, timing
    FROM clients CROSS JOIN runs INDEXED BY runs_ended ON runs.client_key = clients.client_key
      JOIN schedules ON schedules.schedule_key = runs.schedule_key
    WHERE finished_at > :now AND missed IS NOT NULL AND scheduled_for <= :now
      AND json_extract(missed, '$.to') > :now
    LIMIT ${ROWS_AT_ONCE}`);
  const cut = database.prepare(`
    UPDATE runs SET missed = ?
    WHERE client_key = ? AND scheduled_for = ? AND schedule_key = ? AND manual_id = ''`);

  const latestUntil = database.prepare(`
    SELECT client_key, scheduled_for, schedule_key, missed FROM runs
    WHERE schedule_key = ? AND scheduled_for <= ? AND manual_id = ''
    ORDER BY scheduled_for DESC LIMIT 1`);

  const earlier = database.prepare(`
    SELECT interval, timezone, timing FROM schedule_changes
    WHERE schedule_key = ? ORDER BY changed_at DESC LIMIT ${MOST_STATES}`);

  /** @param row of a run, with its schedule's times beside it */
  function cutRow(row: Row, now: number): void {
    const { client_key, scheduled_for, schedule_key } = row;
    const made = standsFor(row) ? row : asMade(row, earlier.all(schedule_key!) as Row[]);
    cut.run(cutMissed(made, now), client_key!, scheduled_for!, schedule_key!);
  }

  /**
   * In the transaction that moves the row: from there on its times fire, whatever becomes of this process.
   *
   * @param row of the queue, with its schedule's times beside it
   */
  function cutReaching(row: Row, now: number): void {
    const run = latestUntil.get(row.schedule_key!, now) as Row | undefined;
    if (run !== undefined && isReaching(run, now)) cutRow({ ...row, ...run }, now);
  }

  /** @returns when it is due, where it was counted anew */
  function moveRow(row: Row, next: Recounted | null, now: number): number | null {
    if (next === null) return null;
    const { dueAt, scheduledFor, nextFor, marked } = next;
    const key = row.schedule_key!;
    move.run({ key, now, dueAt, scheduledFor, nextFor, marked: marked ? 1 : 0 });
    return dueAt;
  }

  return {
    async latest() {
      return latestOf(latest.all() as Row[]);
    },
    async nextKnown(now) {
      const from = Math.min(now, ((undecided.get() as Row).at ?? now) as number);
      return (firstKnown.get({ from, now }) as Row).at as number | null;
    },
    async known(spans) {
      return spans.flatMap(({ scheduleRowId, from, until }) =>
        (known.all(scheduleRowId, from, until) as Row[]).map(knownFrom),
      );
    },
    resend(runs) {
      return commits.write(() => {
        for (const { scheduleRowId, scheduledFor } of runs) resent.run(scheduleRowId, scheduledFor);
      });
    },
    recount(now, after) {
      return commits.write(() => {
        let records = 0;
        let last: number | null = null;
        let dueAt: number | null = null;
        for (const row of rowsAfter.all({ after, now }) as Row[]) {
          last = row.schedule_key as number;
          records += Number(forgetUnsent.run(last, now + 1).changes);
          cutReaching(row, now);
          const due = moveRow(row, recountedFrom(row, now), now);
          if (due !== null) dueAt = Math.min(due, dueAt ?? due);
          if (records > RECORDS_AT_ONCE) break;
        }
        return last === null ? null : { last, dueAt };
      });
    },
    rezone(scheduleRowIds, now) {
      return commits.write(() => {
        const rows = scheduleRowIds.flatMap(key => rowOf.all(key) as Row[]);
        const dues = rows.flatMap(row => moveRow(row, rezonedFrom(row, now), now) ?? []);
        return movedRows(dues);
      });
    },
    cutMissed(now) {
      return commits.write(() => {
        const rows = reaching.all({ now }) as Row[];
        for (const row of rows) cutRow(row, now);
        return rows.length;
      });
    },
  };
}

/** Entries of the outbox of one call. */
const ENTRIES_AT_ONCE = 1_000;

export function outboxRecount(
  database: DatabaseSync,
  commits: GroupCommit,
): OutboxStore['recount'] {
  const laterIn = (state: string) => `
    SELECT * FROM (
      SELECT id, kind, state, schedule_key, due_at, attempts, trigger FROM outbox
      WHERE state = '${state}' AND due_at > :now AND (due_at, id) > (:dueAt, :id)
      ORDER BY due_at, id LIMIT ${ENTRIES_AT_ONCE})`;
  const putOff = database.prepare(`
    SELECT later.id, later.state, due_at, attempts, trigger, policy
    FROM (${laterIn('waiting')} UNION ALL ${laterIn('awaiting')}) AS later LEFT JOIN schedules
      ON kind = 'manual' AND schedules.schedule_key = later.schedule_key
    ORDER BY due_at, later.id LIMIT ${ENTRIES_AT_ONCE}`);
  const bringForward = database.prepare('UPDATE outbox SET due_at = ? WHERE id = ?');

  return (now, after) =>
    commits.write(() => {
      const { dueAt, id } = after ?? { dueAt: now, id: '' };
      const rows = putOff.all({ now, dueAt, id }) as Row[];
      for (const row of rows) {
        const due = outboxDueAnew(row, now);
        if (due !== row.due_at) bringForward.run(due, row.id!);
      }
      return outboxPlaceOf(rows.at(-1));
    });
}
