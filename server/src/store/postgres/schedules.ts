import { type Start, startBeyond, WRITTEN_WITHIN_MS } from '../../domain/run/start.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import { type Cell, CHANGED_SCHEDULE, FOLDED_TEXTS, SCHEDULE, SCHEDULE_START } from '../columns.ts';
import type { NewSchedule, Requeue, ScheduleStore } from '../contract/schedules.ts';
import { fold } from '../rows/row.ts';
import { scheduleAtFrom } from '../rows/schedule-at.ts';
import { ENTRIES, textsOf } from '../search-index.ts';
import {
  type Connections,
  columnsOf,
  parameters,
  type Query,
  type Statement,
} from './connection.ts';
import type { Notifier } from './notifications/notifier.ts';
import { postgresScheduleList } from './schedule-list.ts';
import { postgresSearchIndex } from './search-index.ts';

/**
 * Other nodes are notified of rows that are due within this time. They find later ones by looking, in time.
 */
const SOON_MS = 2_000;

/** All columns of a schedule that are written here. */
const WRITTEN = `${SCHEDULE.list()}, ${FOLDED_TEXTS.list()}`;
const WRITTEN_TYPES = [...SCHEDULE.types, ...FOLDED_TEXTS.types];
const NO_START = { first: null, second: null };

/**
 * All in one statement: the keys are drawn first, so that the rows of the queue know them. It tells
 * when the first of them is due, where that is soon. Their texts are written here too, and not by the
 * trigger, which takes 100 µs more for each create (session.ts).
 */
const insert: Statement = {
  name: 'schedules_insert',
  text: `
    WITH given AS MATERIALIZED (
      SELECT nextval(pg_get_serial_sequence('schedules', 'schedule_key')) AS key, *
      FROM unnest(${parameters(7, [...WRITTEN_TYPES, ...SCHEDULE_START.types])})
        WITH ORDINALITY AS given (${WRITTEN}, ${SCHEDULE_START.list()}, n)
    ), made AS (
      INSERT INTO schedules (schedule_key, client_key, ${WRITTEN})
      SELECT key, $1::bigint, ${WRITTEN} FROM given
    ), queued AS (
      INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for)
      SELECT key, 'waiting', first, first, second FROM given WHERE first IS NOT NULL
    ), keys AS (
      SELECT (n - 1) / ${ENTRIES} + 1 AS part, array_agg(key ORDER BY n) AS keys FROM given GROUP BY 1
    ), texts AS (
      INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
      SELECT $1, texts.first_id, texts.last_id, cardinality(keys), texts.labels, texts.urls, keys
      FROM keys, LATERAL (
        SELECT ($3::text[])[part] AS first_id, ($4::text[])[part] AS last_id,
          ($5::text[])[part] AS labels, ($6::text[])[part] AS urls) AS texts
    )
    SELECT min(first) AS due_at FROM given
    HAVING min(first) < extract(epoch FROM clock_timestamp()) * 1000 + $2`,
};
const find: Statement = {
  name: 'schedules_find',
  text: `SELECT version, ${SCHEDULE.list()} FROM schedules WHERE client_key = $1 AND id = $2`,
};
const update: Statement = {
  name: 'schedules_update',
  text: `
    UPDATE schedules SET version = version + 1,
      ${CHANGED_SCHEDULE.assignments((_, index) => `$${4 + index}`)},
      ${FOLDED_TEXTS.assignments((_, index) => `$${4 + CHANGED_SCHEDULE.width + index}`)}
    WHERE client_key = $1 AND id = $2 AND version = $3
    RETURNING schedule_key`,
};
/** Locks the row, so that what is kept is what the update then changes. */
const keepChange: Statement = {
  name: 'schedules_keep_change',
  text: `
    WITH old AS MATERIALIZED (
      SELECT schedule_key, interval, timezone, status FROM schedules
      WHERE client_key = $2 AND id = $3 AND version = $4 FOR UPDATE)
    INSERT INTO schedule_changes (schedule_key, changed_at, interval, timezone, status)
    SELECT schedule_key, $1, interval, timezone, status FROM old
    ON CONFLICT DO NOTHING`,
};
const findAt: Statement = {
  name: 'schedules_find_at',
  text: `
    SELECT found.*, later.held_until, later.held_interval, later.held_timezone, later.held_status,
      (SELECT max(changed_at) FROM schedule_changes
        WHERE schedule_key = found.schedule_key AND changed_at <= $3) AS held_since,
      queue.scheduled_for, queue.attempt
    FROM (
      SELECT schedule_key, version, ${SCHEDULE.list()} FROM schedules WHERE client_key = $1 AND id = $2) AS found
    LEFT JOIN queue ON queue.schedule_key = found.schedule_key
    LEFT JOIN LATERAL (
      SELECT changed_at AS held_until, interval AS held_interval, timezone AS held_timezone,
        status AS held_status
      FROM schedule_changes
      WHERE schedule_changes.schedule_key = found.schedule_key AND changed_at > $3
      ORDER BY changed_at LIMIT 1) AS later ON true`,
};
const queueInsert: Statement = {
  name: 'queue_insert',
  text: `
    INSERT INTO queue AS old (schedule_key, state, due_at, scheduled_for, next_for, blocked_since)
    VALUES ($1::bigint, 'waiting', $2::bigint, $2, $3::bigint, (
      SELECT claimed_at FROM outbox
      WHERE schedule_key = $1 AND kind = 'manual' AND state = 'inFlight'))
    ON CONFLICT (schedule_key) DO UPDATE SET due_at = excluded.due_at,
      scheduled_for = excluded.scheduled_for, next_for = excluded.next_for, changed_at = NULL
    WHERE old.state = 'waiting'`,
};
const queueRemoveWaiting: Statement = {
  name: 'queue_remove_waiting',
  text: "DELETE FROM queue WHERE schedule_key = $1 AND state = 'waiting'",
};
// `changed_at` is part of the fence: two changes within one millisecond are two.
const queueMarkBegun: Statement = {
  name: 'queue_mark_begun',
  text: `
    UPDATE queue SET changed_at = greatest($1::bigint, changed_at + 1), next_for = $2::bigint,
      due_at = CASE WHEN state = 'inFlight' THEN due_at ELSE least(due_at, coalesce($2, $1)) END
    WHERE schedule_key = $3 AND state IS DISTINCT FROM 'waiting'`,
};
const queueLock: Statement = {
  name: 'queue_lock',
  text: 'SELECT 1 FROM queue WHERE schedule_key = $1 FOR UPDATE',
};
// Asked when the queue's row is locked: whoever moves it writes the run with it.
const firedFor: Statement = {
  name: 'runs_fired_for',
  text: `
    SELECT max(time) AS time FROM (
      SELECT max(scheduled_for) AS time FROM runs WHERE schedule_key = $1 AND manual_id = ''
        AND scheduled_for BETWEEN $2::bigint AND $2 + ${WRITTEN_WITHIN_MS}
      UNION ALL SELECT scheduled_for FROM queue
        WHERE schedule_key = $1 AND attempts IS NOT NULL) AS fired`,
};
const endManual: Statement = {
  name: 'outbox_end_manual',
  text: `
    UPDATE outbox SET due_at = least(due_at, $1)
    WHERE schedule_key = $2 AND kind = 'manual' AND state = 'waiting'`,
};

/** @param look for what may take a while */
export function postgresSchedules(
  { query, transaction }: Connections,
  look: Query,
  notifier: Notifier,
): ScheduleStore {
  const kept = postgresSearchIndex(query, look);

  return {
    async insert(clientRowId, schedules) {
      if (schedules.length === 0) return;
      const texts = columnsOf(textsOf(schedules.map(({ schedule }) => schedule)));
      const values = [clientRowId, SOON_MS, ...texts, ...columnsOf(schedules.map(newCells))];
      const [soon] = await query(insert, values);
      if (soon) notifier.due(soon.due_at as number);
      kept.made(clientRowId, schedules.length);
    },
    async find(clientRowId, id) {
      const [row] = await query(find, [clientRowId, id]);
      return row ? { schedule: SCHEDULE.fromRow(row), version: row.version as number } : null;
    },
    async update(clientRowId, schedule, version, change) {
      const values = [clientRowId, schedule.id, version, ...changedCells(schedule)];
      const write = async (send: Query) => {
        if (change !== 'keep') {
          await send(keepChange, [change.changedAt, clientRowId, schedule.id, version]);
        }
        const [row] = await send(update, values);
        if (row && change !== 'keep') {
          await requeue(send, row.schedule_key as number, change, schedule);
        }
        return row !== undefined;
      };
      const isChanged = change === 'keep' ? await write(query) : await transaction(write);
      const { createdAt, updatedAt = createdAt } = schedule;
      if (isChanged)
        notifier.changed(schedule.id, change === 'keep' ? updatedAt : change.changedAt);
      return isChanged;
    },
    list: postgresScheduleList(query, look, kept),
    async findAt(clientRowId, id, at) {
      const [row] = await query(findAt, [clientRowId, id, at]);
      return row ? scheduleAtFrom(row) : null;
    },
  };
}

/**
 * Rows are locked in one order everywhere: schedule, outbox, queue.
 *
 * The queue's row is locked before it is looked at. A claim that is just being written would
 * otherwise be missed by both: by the statement for rows that wait and by the one for rows that do
 * not.
 */
async function requeue(
  send: Query,
  key: number,
  change: Exclude<Requeue, 'keep'>,
  schedule: Schedule,
): Promise<void> {
  const { changedAt } = change;
  if (schedule.status === 'deleted') await send(endManual, [changedAt, key]);
  await send(queueLock, [key]);
  const start = await openStart(send, key, change.start, schedule);
  await send(queueMarkBegun, [changedAt, start?.first ?? null, key]);
  if (start) await send(queueInsert, [key, ...SCHEDULE_START.cells(start)]);
  else await send(queueRemoveWaiting, [key]);
}

async function openStart(
  send: Query,
  key: number,
  start: Start | null,
  schedule: Schedule,
): Promise<Start | null> {
  if (start === null) return null;
  const [row] = await send(firedFor, [key, start.first]);
  return startBeyond(start, row!.time as number | null, schedule);
}

function newCells({ schedule, start }: NewSchedule): Cell[] {
  const cells = SCHEDULE.cells(schedule);
  FOLDED_TEXTS.append(cells, foldedTextsOf(schedule));
  SCHEDULE_START.append(cells, start ?? NO_START);
  return cells;
}

function changedCells(schedule: Schedule): Cell[] {
  const cells = CHANGED_SCHEDULE.cells(schedule);
  FOLDED_TEXTS.append(cells, foldedTextsOf(schedule));
  return cells;
}

function foldedTextsOf({ url, label }: Schedule) {
  return { urlFolded: fold(url), labelFolded: fold(label) };
}
