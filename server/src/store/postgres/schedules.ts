import { levelOf } from '../../domain/schedule/level.ts';
import { marksOf } from '../../domain/schedule/marks.ts';
import { type Cell, FOLDED_TEXTS, type Row, SCHEDULE, SCHEDULE_START } from '../columns.ts';
import type { NewSchedule, ScheduleStore, VersionedSchedule } from '../contract/schedules.ts';
import { idsOf, listByHost } from '../listing.ts';
import { namedFrom } from '../rows/named-schedule.ts';
import { scheduleAtFrom, statesFrom } from '../rows/schedule-at.ts';
import { ENTRIES, textsOf } from '../search-index.ts';
import { idsWithTag } from '../tags.ts';
import { RECOUNT_REPLACED } from './calendars.ts';
import {
  type Connections,
  columnsOf,
  parameters,
  type Query,
  type Statement,
} from './connection.ts';
import { tellingTaken } from './fault.ts';
import { callParameters, callValues, keepCallSql } from './idempotency.ts';
import type { Notifier } from './notifications/notifier.ts';
import { foldedTextsOf, marksCell, NO_START, scheduleChanges } from './schedule-changes.ts';
import { postgresScheduleList } from './schedule-list.ts';
import { postgresSearchIndex } from './search-index.ts';

/**
 * Other nodes are notified of rows that are due within this time. They find later ones by looking, in time.
 */
const SOON_MS = 2_000;

/** All columns of a schedule that are written here. */
const WRITTEN = `${SCHEDULE.list()}, ${FOLDED_TEXTS.list()}`;
const WRITTEN_TYPES = [...SCHEDULE.types, ...FOLDED_TEXTS.types];
const GIVEN = `${WRITTEN}, ${SCHEDULE_START.list()}`;
const GIVEN_TYPES = [...WRITTEN_TYPES, ...SCHEDULE_START.types];
const FIRST_GIVEN = 7;
/** Behind them, and the marks of each. */
const CALL = FIRST_GIVEN + GIVEN_TYPES.length + 1;

/**
 * All in one statement: the keys are drawn first, so that the rows of the queue know them. It tells
 * when the first of them is due, where that is soon. Their texts are written here too, and not by the
 * trigger, which takes 100 µs more for each create (session.ts).
 *
 * @param more whether there are marks, or a call to be kept
 */
const insertOf = (name: string, more: boolean): Statement => ({
  name,
  text: `
    WITH ${
      more
        ? `kept AS (
      ${keepCallSql(CALL, `SELECT $1::bigint, ${callParameters(CALL)} WHERE $${CALL}::text IS NOT NULL`)}
    ),`
        : ''
    } given AS MATERIALIZED (
      SELECT nextval(pg_get_serial_sequence('schedules', 'schedule_key')) AS key, *
      FROM unnest(${parameters(FIRST_GIVEN, more ? [...GIVEN_TYPES, 'text'] : GIVEN_TYPES)})
        WITH ORDINALITY AS given (${GIVEN}${more ? ', marks' : ''}, n)
      ${more ? `WHERE $${CALL} IS NULL OR EXISTS (SELECT FROM kept)` : ''}
    ), made AS (
      INSERT INTO schedules (schedule_key, client_key, ${WRITTEN})
      SELECT key, $1::bigint, ${WRITTEN} FROM given
    ), queued AS (
      INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for, needs)
      SELECT key, 'waiting', first, first, second, needs FROM given WHERE first IS NOT NULL
    ), ${
      more
        ? `marked AS (
      INSERT INTO schedule_marks (client_key, mark, schedule_key)
      SELECT $1, mark, key
      FROM given CROSS JOIN LATERAL json_array_elements_text(marks::json) AS mark
    ), replaced AS (${RECOUNT_REPLACED}
    ),`
        : ''
    } keys AS (
      SELECT (n - 1) / ${ENTRIES} + 1 AS part, array_agg(key ORDER BY n) AS keys FROM given GROUP BY 1
    ), texts AS (
      INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
      SELECT $1, texts.first_id, texts.last_id, cardinality(keys), texts.labels, texts.urls, keys
      FROM keys, LATERAL (
        SELECT ($3::text[])[part] AS first_id, ($4::text[])[part] AS last_id,
          ($5::text[])[part] AS labels, ($6::text[])[part] AS urls) AS texts
    )
    SELECT count(*) AS made,
      min(first) FILTER (WHERE first < extract(epoch FROM clock_timestamp()) * 1000 + $2) AS due_at
    FROM given`,
});
const insertPlain = insertOf('schedules_insert', false);
const insertMore = insertOf('schedules_insert_more', true);
const find: Statement = {
  name: 'schedules_find',
  text: `SELECT version, ${SCHEDULE.list()} FROM schedules WHERE client_key = $1 AND id = $2`,
};
const findByExternalId: Statement = {
  name: 'schedules_find_by_external_id',
  text: `
    SELECT version, ${SCHEDULE.list()} FROM schedules
    WHERE client_key = $1 AND external_id = $2 AND status <> 'deleted'`,
};
const findAll: Statement = {
  name: 'schedules_find_all',
  text: `
    SELECT version, ${SCHEDULE.list()} FROM schedules WHERE client_key = $1 AND id = ANY ($2)`,
};
const names: Statement = {
  name: 'schedules_names',
  text: 'SELECT id, label, url FROM schedules WHERE client_key = $1 AND id = ANY ($2)',
};
const findAt: Statement = {
  name: 'schedules_find_at',
  text: `
    SELECT found.*, later.held_until, later.held_interval, later.held_timezone, later.held_status,
      later.held_timing,
      (SELECT max(changed_at) FROM schedule_changes
        WHERE schedule_key = found.schedule_key AND changed_at <= $3) AS held_since,
      queue.scheduled_for, queue.attempt
    FROM (
      SELECT schedule_key, version, ${SCHEDULE.list()} FROM schedules WHERE client_key = $1 AND id = $2) AS found
    LEFT JOIN queue ON queue.schedule_key = found.schedule_key
    LEFT JOIN LATERAL (
      SELECT changed_at AS held_until, interval AS held_interval, timezone AS held_timezone,
        status AS held_status, timing AS held_timing
      FROM schedule_changes
      WHERE schedule_changes.schedule_key = found.schedule_key AND changed_at > $3
      ORDER BY changed_at LIMIT 1) AS later ON true`,
};
const present: Statement = {
  name: 'schedules_present',
  text: `
    SELECT schedule_key, version, ${SCHEDULE.list()} FROM schedules WHERE client_key = $1 AND id = $2`,
};
const changesBetween: Statement = {
  name: 'schedules_changes_between',
  text: `
    SELECT changed_at, interval, timezone, status, timing FROM schedule_changes
    WHERE schedule_key = $1
      AND changed_at >= coalesce((SELECT max(changed_at) FROM schedule_changes
        WHERE schedule_key = $1 AND changed_at <= $2), $2)
      AND changed_at <= coalesce((SELECT min(changed_at) FROM schedule_changes
        WHERE schedule_key = $1 AND changed_at > $3), $3)
    ORDER BY changed_at DESC LIMIT $4`,
};
/** @param look for what may take a while */
export function postgresSchedules(
  connections: Connections,
  look: Query,
  notifier: Notifier,
): ScheduleStore {
  const { query } = connections;
  const texts = postgresSearchIndex(query, look);
  const list = listByHost(postgresScheduleList(query, look, texts));

  return {
    async insert(clientRowId, schedules, call) {
      if (schedules.length === 0) return true;
      const made = schedules.map(({ schedule }) => schedule);
      const rows = columnsOf(textsOf(made));
      const values = [clientRowId, SOON_MS, ...rows, ...columnsOf(schedules.map(newCells))];
      const hasMarks = made.some(schedule => marksOf(schedule).length > 0);
      const more = () => [
        made.map(marksCell),
        ...callValues(
          call,
          made.map(({ id }) => id),
        ),
      ];
      const [row] = await tellingTaken(
        hasMarks || call !== undefined
          ? query(insertMore, [...values, ...more()])
          : query(insertPlain, values),
      );
      if (row!.made === 0) return false;
      if (row!.due_at !== null) notifier.due(row!.due_at as number);
      texts.made(clientRowId, schedules.length);
      return true;
    },
    async find(clientRowId, id) {
      const [row] = await query(find, [clientRowId, id]);
      return row ? versionedFrom(row) : null;
    },
    async findByExternalId(clientRowId, externalId) {
      const [row] = await query(findByExternalId, [clientRowId, externalId]);
      return row ? versionedFrom(row) : null;
    },
    async findAll(clientRowId, ids) {
      return (await query(findAll, [clientRowId, ids])).map(versionedFrom);
    },
    async names(clientRowId, ids) {
      return (await query(names, [clientRowId, ids])).map(namedFrom);
    },
    idsWithTag: (clientRowId, tag, limit) => idsWithTag(list, clientRowId, tag, limit),
    ...scheduleChanges(connections, notifier),
    list,
    ids: (...asked) => idsOf(list, ...asked),
    async findAt(clientRowId, id, at) {
      const [row] = await query(findAt, [clientRowId, id, at]);
      return row ? scheduleAtFrom(row) : null;
    },
    async statesBetween(clientRowId, id, from, to, limit) {
      const [row] = await query(present, [clientRowId, id]);
      if (row === undefined) return [];
      const range = [row.schedule_key as number, from, to, limit];
      return statesFrom(row, await query(changesBetween, range), { from, to, limit });
    },
  };
}

function versionedFrom(row: Row): VersionedSchedule {
  return { schedule: SCHEDULE.fromRow(row), version: row.version as number };
}

function newCells({ schedule, start }: NewSchedule): Cell[] {
  const cells = SCHEDULE.cells(schedule);
  FOLDED_TEXTS.append(cells, foldedTextsOf(schedule));
  SCHEDULE_START.append(cells, { ...(start ?? NO_START), needs: levelOf(schedule) });
  return cells;
}
