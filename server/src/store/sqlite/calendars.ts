import type { DatabaseSync } from 'node:sqlite';
import { CALENDAR, CALENDAR_VERSION, type Row } from '../columns.ts';
import type { CalendarStore, CalendarVersion } from '../contract/calendars.ts';
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
import type { GroupCommit } from './group-commit.ts';
import { sqliteNamedResource } from './named-resource.ts';

/** Reads a version at once, for a thread that counts times while it writes. */
export type ReadVersion = (version: string) => CalendarVersion | null;

export function versionReader(database: DatabaseSync): ReadVersion {
  const version = database.prepare('SELECT id, name, periods FROM calendar_versions WHERE id = ?');
  return id => {
    const row = version.get(id) as Row | undefined;
    return row === undefined ? null : versionFrom(row);
  };
}

export function sqliteCalendars(database: DatabaseSync, commits: GroupCommit): CalendarStore {
  const named = sqliteNamedResource(database, commits, CALENDARS);
  const findSourced = database.prepare(`
    SELECT calendars.client_key, ${CALENDAR.list('calendars.')}, source
    FROM calendars JOIN calendar_versions ON id = version
    WHERE calendars.client_key = ? AND calendars.name = ?`);
  const insertVersion = database.prepare(`
    INSERT INTO calendar_versions (${CALENDAR_VERSION.list()})
    VALUES (${CALENDAR_VERSION.marks()})`);
  const replaceVersion = database.prepare(
    'UPDATE calendar_versions SET replaced_at = ? WHERE id = ?',
  );
  const insert = database.prepare(`
    INSERT INTO calendars (client_key, name, kind, url, version, created_at, due_at, recount_before)
    VALUES (:client, :name, :kind, :url, :version, :at, :dueAt, ${COUNT_FROM})`);
  const replace = database.prepare(`
    UPDATE calendars SET kind = :kind, url = :url, version = :version, updated_at = :at,
      due_at = :dueAt, stale_since = NULL, fault = NULL, recount_before = ${COUNT_ANEW}
    WHERE client_key = :client AND name = :name`);
  const readVersion = versionReader(database);
  const due = database.prepare(`
    SELECT calendars.client_key, ${CALENDAR.list('calendars.')}, source
    FROM calendars JOIN calendar_versions ON id = version WHERE due_at <= ?
    ORDER BY due_at LIMIT ? + 0`);
  const putOff = database.prepare(
    'UPDATE calendars SET due_at = ? WHERE client_key = ? AND name = ?',
  );
  const nextDueAt = database.prepare('SELECT min(due_at) AS due_at FROM calendars');
  const readAnew = database.prepare(`
    UPDATE calendars SET version = :version, updated_at = :at, due_at = :dueAt, stale_since = NULL,
      fault = NULL, recount_before = ${COUNT_ANEW}
    WHERE client_key = :client AND name = :name AND version = :was`);
  const unchanged = database.prepare(`
    UPDATE calendars SET due_at = ?, stale_since = NULL, fault = NULL
    WHERE client_key = ? AND name = ? AND version = ?`);
  const failed = database.prepare(`
    UPDATE calendars SET due_at = ?, stale_since = coalesce(stale_since, ?), fault = ?
    WHERE client_key = ? AND name = ? AND version = ?`);
  const nextRecount = database.prepare(`
    SELECT client_key, name, version, recount_before FROM calendars
    WHERE recount_before IS NOT NULL LIMIT 1`);
  const recounted = database.prepare(`
    UPDATE calendars SET recount_before = ?
    WHERE client_key = ? AND name = ? AND version = ? AND recount_before = ?`);
  const requestRecount = database.prepare(
    `UPDATE calendars SET recount_before = ${COUNT_ANEW} WHERE client_key = ? AND name = ?`,
  );
  const stale = database.prepare(
    'SELECT count(*) AS count FROM calendars WHERE stale_since IS NOT NULL',
  );
  const prune = database.prepare(`
    DELETE FROM calendar_versions WHERE id IN (
      SELECT id FROM calendar_versions AS old WHERE replaced_at < ? AND NOT EXISTS (
        SELECT 1 FROM calendars WHERE client_key = old.client_key AND name = old.name
          AND recount_before IS NOT NULL)
      LIMIT ${PRUNED_AT_ONCE})`);

  function keepVersion(clientRowId: number, made: SourcedVersion, was: string | null, at: number) {
    if (was !== null) replaceVersion.run(at, was);
    insertVersion.run(...versionCells(clientRowId, made, at));
  }

  function presentOf(clientRowId: number, name: string): string | null {
    return named.read(clientRowId, name)?.version ?? null;
  }

  return {
    ...named.reads,
    put(clientRowId, calendar, at, dueAt) {
      return commits.write(() => {
        const { name, source } = calendar;
        const was = presentOf(clientRowId, name);
        if (was === null) named.refuseFull(clientRowId);
        keepVersion(clientRowId, calendar, was, at);
        (was === null ? insert : replace).run({
          ...{ client: clientRowId, name, at, dueAt, version: calendar.version },
          ...{ kind: source.kind, url: urlOf(source) },
        });
        return named.read(clientRowId, name)!;
      });
    },
    async findSourced(clientRowId, name) {
      const row = findSourced.get(clientRowId, name) as Row | undefined;
      return row === undefined ? null : dueFrom(row);
    },
    delete: (clientRowId, name, at) =>
      named.delete(clientRowId, name, ({ version }) => replaceVersion.run(at, version)),
    async present(clientRowId, names) {
      const versions = names.map(name => [name, presentOf(clientRowId, name)] as const);
      return new Map(versions.filter((each): each is [string, string] => each[1] !== null));
    },
    async versions(ids) {
      return ids.map(readVersion).filter(version => version !== null);
    },
    takeDue(now, limit, retryAt) {
      return commits.write(() => {
        const taken = (due.all(now, limit) as Row[]).map(dueFrom);
        for (const { clientRowId, name } of taken) putOff.run(retryAt, clientRowId, name);
        return taken;
      });
    },
    async nextDueAt() {
      return (nextDueAt.get() as Row).due_at as number | null;
    },
    refreshed(clientRowId, name, was, result, at, dueAt) {
      return commits.write(() => {
        const key = [clientRowId, name, was];
        if ('unchanged' in result) return unchanged.run(dueAt, ...key).changes === 1;
        if ('fault' in result) return failed.run(dueAt, at, result.fault, ...key).changes === 1;
        const { version: made } = result;
        const cells = { client: clientRowId, name, was, at, dueAt, version: made.version };
        if (readAnew.run(cells).changes === 0) return false;
        keepVersion(clientRowId, made, was, at);
        return true;
      });
    },
    async nextRecount() {
      const row = nextRecount.get() as Row | undefined;
      return row === undefined ? null : recountFrom(row);
    },
    recounted({ clientRowId, name, version: counted, before: was }, before) {
      return commits.write(() => {
        recounted.run(before, clientRowId, name, counted, was);
      });
    },
    requestRecount(clientRowId, names) {
      return commits.write(() => {
        for (const name of names) requestRecount.run(clientRowId, name);
      });
    },
    async stale() {
      return (stale.get() as Row).count as number;
    },
    prune(replacedBefore) {
      return commits.write(() => Number(prune.run(replacedBefore).changes));
    },
  };
}
