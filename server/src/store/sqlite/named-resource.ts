import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import type { Deletion, NamedResourceStore, ScheduleUse } from '../contract/named-resource.ts';
import { type NamedResource, tooMany, useFrom } from '../rows/named-resource.ts';
import type { GroupCommit } from './group-commit.ts';

/** The statements that all kinds of named resources share. */
export function sqliteNamedResource<Stored, Use extends ScheduleUse>(
  database: DatabaseSync,
  commits: GroupCommit,
  resource: NamedResource<Stored, Use>,
) {
  const { table, columns, use, markOf, most } = resource;
  const find = database.prepare(
    `SELECT ${columns.list()} FROM ${table} WHERE client_key = ? AND name = ?`,
  );
  const list = database.prepare(`
    SELECT ${columns.list()} FROM ${table} WHERE client_key = ? AND name > ?
    ORDER BY name LIMIT ? + 0`);
  const count = database.prepare(`SELECT count(*) AS count FROM ${table} WHERE client_key = ?`);
  const remove = database.prepare(
    `DELETE FROM ${table} WHERE client_key = ? AND name = ? RETURNING ${columns.list()}`,
  );
  // Deleted schedules may keep their marks.
  const naming = `
    FROM schedule_marks JOIN schedules USING (schedule_key)
    WHERE schedule_marks.client_key = ? AND mark = ? AND status <> 'deleted'`;
  const usedBy = database.prepare(`SELECT count(*) AS count ${naming}`);
  const isUsed = database.prepare(`SELECT 1 ${naming} LIMIT 1`);
  const namedBy = database.prepare(`
    SELECT schedule_key, ${use.list('schedules.')} ${naming} AND schedule_marks.schedule_key < ?
    ORDER BY schedule_marks.schedule_key DESC LIMIT ? + 0`);

  function read(clientRowId: number, name: string): Stored | null {
    const row = find.get(clientRowId, name) as Row | undefined;
    return row === undefined ? null : columns.fromRow(row);
  }

  const reads: Omit<NamedResourceStore<Stored, Use>, 'delete'> = {
    async find(clientRowId, name) {
      return read(clientRowId, name);
    },
    async list(clientRowId, limit, after = '') {
      return (list.all(clientRowId, after, limit) as Row[]).map(columns.fromRow);
    },
    async usedBy(clientRowId, names) {
      const countOf = (name: string) =>
        (usedBy.get(clientRowId, markOf(name)) as Row).count as number;
      return new Map(names.map(name => [name, countOf(name)]));
    },
    async namedBy(clientRowId, name, before, limit) {
      const rows = namedBy.all(clientRowId, markOf(name), before, limit) as Row[];
      return rows.map(row => useFrom(row, resource));
    },
  };
  return {
    /** The methods of the contract that only read. */
    reads,
    /** One as it is now, at once: for a decision within a write. */
    read,
    /** @throws PunctualError `quota_exceeded` if the client may have no more */
    refuseFull(clientRowId: number): void {
      if ((count.get(clientRowId) as Row).count === most) throw tooMany(resource);
    },
    /** @param then does in the same transaction what a deletion asks for besides */
    delete(clientRowId: number, name: string, then?: (removed: Stored) => void): Promise<Deletion> {
      return commits.write(() => {
        if (isUsed.get(clientRowId, markOf(name)) !== undefined) return 'inUse';
        const removed = remove.get(clientRowId, name) as Row | undefined;
        if (removed === undefined) return 'unknown';
        then?.(columns.fromRow(removed));
        return 'deleted';
      });
    },
  };
}
