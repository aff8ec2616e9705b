import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import { CALENDAR, CALENDAR_VERSION, type Cell, type Row } from '../columns.ts';
import type { CalendarStore } from '../contract/calendars.ts';
import {
  CALENDARS,
  COUNT_ANEW,
  COUNT_FROM,
  dueFrom,
  PRUNED_AT_ONCE,
  recountFrom,
  type SourcedVersion,
  urlOf,
  versionCells,
  versionFrom,
} from '../rows/calendars.ts';
import { tooMany } from '../rows/named-resource.ts';
import { whenFrom } from '../rows/row.ts';
import type { Connections, Query, Statement } from './connection.ts';
import { postgresNamedResource } from './named-resource.ts';

const findSourced: Statement = {
  name: 'calendars_find_sourced',
  text: `
    SELECT calendars.client_key, ${CALENDAR.list('calendars.')}, source
    FROM calendars JOIN calendar_versions ON id = version
    WHERE calendars.client_key = $1 AND calendars.name = $2`,
};
const insertVersion: Statement = {
  name: 'calendars_insert_version',
  text: `
    INSERT INTO calendar_versions (${CALENDAR_VERSION.list()})
    VALUES (${CALENDAR_VERSION.names.map((_, index) => `$${index + 1}`).join(', ')})`,
};
const replaceVersion: Statement = {
  name: 'calendars_replace_version',
  text: 'UPDATE calendar_versions SET replaced_at = $1 WHERE id = $2',
};
const put: Statement = {
  name: 'calendars_put',
  text: `
    INSERT INTO calendars (client_key, name, kind, url, version, created_at, due_at, recount_before)
    VALUES ($1, $2, $3, $4, $5, $6, $7, ${COUNT_FROM})
    ON CONFLICT (client_key, name) DO UPDATE SET kind = excluded.kind, url = excluded.url,
      version = excluded.version, updated_at = excluded.created_at, due_at = excluded.due_at,
      stale_since = NULL, fault = NULL, recount_before = ${COUNT_ANEW.replaceAll('recount_before', 'calendars.recount_before')}
    RETURNING ${CALENDAR.list()}`,
};
const present: Statement = {
  name: 'calendars_present',
  text: 'SELECT name, version FROM calendars WHERE client_key = $1 AND name = ANY ($2)',
};
const versions: Statement = {
  name: 'calendars_versions',
  text: 'SELECT id, name, periods FROM calendar_versions WHERE id = ANY ($1)',
};
/** A calendar that another node takes at the same moment is left to it. */
const takeDue: Statement = {
  name: 'calendars_take_due',
  text: `
    WITH due AS MATERIALIZED (
      SELECT client_key, name, due_at AS was_due_at FROM calendars WHERE due_at <= $1
      ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE calendars SET due_at = $3 FROM due
      WHERE calendars.client_key = due.client_key AND calendars.name = due.name
      RETURNING calendars.*, was_due_at
    )
    SELECT taken.client_key, ${CALENDAR.list('taken.')}, source
    FROM taken JOIN calendar_versions ON id = version ORDER BY was_due_at`,
};
const nextDueAt: Statement = {
  name: 'calendars_next_due_at',
  text: 'SELECT min(due_at) AS due_at FROM calendars',
};
const readAnew: Statement = {
  name: 'calendars_read_anew',
  text: `
    UPDATE calendars SET version = $4, updated_at = $5, due_at = $6, stale_since = NULL,
      fault = NULL, recount_before = ${COUNT_ANEW}
    WHERE client_key = $1 AND name = $2 AND version = $3 RETURNING 1`,
};
const unchanged: Statement = {
  name: 'calendars_unchanged',
  text: `
    UPDATE calendars SET due_at = $4, stale_since = NULL, fault = NULL
    WHERE client_key = $1 AND name = $2 AND version = $3 RETURNING 1`,
};
const failed: Statement = {
  name: 'calendars_failed',
  text: `
    UPDATE calendars SET due_at = $4, stale_since = coalesce(stale_since, $5), fault = $6
    WHERE client_key = $1 AND name = $2 AND version = $3 RETURNING 1`,
};
const nextRecount: Statement = {
  name: 'calendars_next_recount',
  text: `
    SELECT client_key, name, version, recount_before FROM calendars
    WHERE recount_before IS NOT NULL LIMIT 1`,
};
const recounted: Statement = {
  name: 'calendars_recounted',
  text: `
    UPDATE calendars SET recount_before = $5
    WHERE client_key = $1 AND name = $2 AND version = $3 AND recount_before = $4`,
};
const requestRecount: Statement = {
  name: 'calendars_request_recount',
  text: `
    UPDATE calendars SET recount_before = ${COUNT_ANEW}
    WHERE client_key = $1 AND name = ANY ($2)`,
};
const stale: Statement = {
  name: 'calendars_stale',
  text: 'SELECT count(*) AS count FROM calendars WHERE stale_since IS NOT NULL',
};
const prune: Statement = {
  name: 'calendars_prune',
  text: `
    DELETE FROM calendar_versions WHERE id = ANY (ARRAY(
      SELECT id FROM calendar_versions AS old WHERE replaced_at < $1 AND NOT EXISTS (
        SELECT 1 FROM calendars WHERE client_key = old.client_key AND name = old.name
          AND recount_before IS NOT NULL)
      LIMIT ${PRUNED_AT_ONCE}))
    RETURNING 1`,
};

/**
 * SQL: asks for a count of calendars that were replaced while the schedules of `given`, with their `timing`, were drafted with them.
 * The writer of these may die before it says so. The client is the first parameter.
 */
export const RECOUNT_REPLACED = `
      UPDATE calendars SET recount_before = ${COUNT_ANEW}
      WHERE client_key = $1 AND (name, version) IN (
        SELECT present.name, present.version
        FROM given
        CROSS JOIN LATERAL jsonb_array_elements_text(timing::jsonb -> 'exclude') AS named (name)
        JOIN calendars AS present ON present.client_key = $1 AND present.name = named.name
        WHERE NOT coalesce(timing::jsonb -> 'calendars' ? present.version, false))`;

/** Reads the calendars that these rows of schedules name: then their times can be counted. */
export function loadCalendarsOf(send: Query, rows: Row[]): Promise<void> {
  const read = async (ids: string[]) => (await send(versions, [ids])).map(versionFrom);
  return loadCalendars({ versions: read }, rows.map(whenFrom));
}

export function postgresCalendars(connections: Connections): CalendarStore {
  const { query, transaction } = connections;
  const named = postgresNamedResource(connections, CALENDARS);

  async function keepVersion(
    send: Query,
    clientRowId: number,
    made: SourcedVersion,
    was: string | undefined,
    at: number,
  ): Promise<void> {
    if (was !== undefined) await send(replaceVersion, [at, was]);
    await send(insertVersion, versionCells(clientRowId, made, at));
  }

  return {
    ...named.reads,
    async put(clientRowId, calendar, at, dueAt) {
      const stored = await named.writing(clientRowId, async send => {
        const { name, version, source } = calendar;
        const was = (await named.read(send, clientRowId, name))?.version;
        if (was === undefined && (await named.isFull(send, clientRowId))) return null;
        const cells = [clientRowId, name, source.kind, urlOf(source), version, at, dueAt];
        const [row] = await send(put, cells);
        await keepVersion(send, clientRowId, calendar, was, at);
        return CALENDAR.fromRow(row!);
      });
      if (stored === null) throw tooMany(CALENDARS);
      return stored;
    },
    async findSourced(clientRowId, name) {
      const [row] = await query(findSourced, [clientRowId, name]);
      return row === undefined ? null : dueFrom(row);
    },
    delete: (clientRowId, name, at) =>
      named.delete(clientRowId, name, (send, { version }) => send(replaceVersion, [at, version])),
    async present(clientRowId, names) {
      const rows = await query(present, [clientRowId, names]);
      return new Map(rows.map(({ name, version }) => [name as string, version as string]));
    },
    async versions(ids) {
      return (await query(versions, [ids])).map(versionFrom);
    },
    async takeDue(now, limit, retryAt) {
      return (await query(takeDue, [now, limit, retryAt])).map(dueFrom);
    },
    async nextDueAt() {
      const [row] = await query(nextDueAt);
      return row!.due_at as number | null;
    },
    refreshed(clientRowId, name, was, result, at, dueAt) {
      const key: Cell[] = [clientRowId, name, was];
      return transaction(async send => {
        const isDone = async (statement: Statement, cells: Cell[]) =>
          (await send(statement, [...key, ...cells])).length === 1;
        if ('unchanged' in result) return isDone(unchanged, [dueAt]);
        if ('fault' in result) return isDone(failed, [dueAt, at, result.fault]);
        const { version: made } = result;
        if (!(await isDone(readAnew, [made.version, at, dueAt]))) return false;
        await keepVersion(send, clientRowId, made, was, at);
        return true;
      });
    },
    async nextRecount() {
      const [row] = await query(nextRecount);
      return row === undefined ? null : recountFrom(row);
    },
    async recounted({ clientRowId, name, version, before: was }, before) {
      await query(recounted, [clientRowId, name, version, was, before]);
    },
    async requestRecount(clientRowId, names) {
      await query(requestRecount, [clientRowId, names]);
    },
    async stale() {
      const [row] = await query(stale);
      return row!.count as number;
    },
    async prune(replacedBefore) {
      return (await query(prune, [replacedBefore])).length;
    },
  };
}
