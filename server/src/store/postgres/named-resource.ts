import type { Deletion, NamedResourceStore, ScheduleUse } from '../contract/named-resource.ts';
import { type NamedResource, useFrom } from '../rows/named-resource.ts';
import type { Connections, Query, Statement } from './connection.ts';

/** The statements that all kinds of named resources share. */
export function postgresNamedResource<Stored, Use extends ScheduleUse>(
  { query, transaction }: Pick<Connections, 'query' | 'transaction'>,
  resource: NamedResource<Stored, Use>,
) {
  const { table, columns, use, markOf, most } = resource;
  const statement = (name: string, text: string): Statement => ({ name: `${table}_${name}`, text });
  const find = statement(
    'find',
    `SELECT ${columns.list()} FROM ${table} WHERE client_key = $1 AND name = $2`,
  );
  const list = statement(
    'list',
    `
    SELECT ${columns.list()} FROM ${table} WHERE client_key = $1 AND name > $2
    ORDER BY name LIMIT $3`,
  );
  const lockClient = statement(
    'lock_client',
    'SELECT 1 FROM clients WHERE client_key = $1 FOR NO KEY UPDATE',
  );
  const count = statement('count', `SELECT count(*) AS count FROM ${table} WHERE client_key = $1`);
  const remove = statement(
    'remove',
    `DELETE FROM ${table} WHERE client_key = $1 AND name = $2 RETURNING ${columns.list()}`,
  );
  // Deleted schedules may keep their marks.
  const naming = `
    FROM schedule_marks JOIN schedules USING (schedule_key)
    WHERE schedule_marks.client_key = $1 AND mark = $2 AND status <> 'deleted'`;
  const isUsed = statement('is_used', `SELECT 1 ${naming} LIMIT 1`);
  const namedBy = statement(
    'named_by',
    `
    SELECT schedule_key, ${use.list('schedules.')} ${naming} AND schedule_marks.schedule_key < $3
    ORDER BY schedule_marks.schedule_key DESC LIMIT $4`,
  );
  // Looked for row by row: with a join, PostgreSQL might read the marks of all.
  const usedBy = statement(
    'used_by',
    `
    SELECT mark, count(*) AS count FROM schedule_marks
    WHERE client_key = $1 AND mark = ANY ($2) AND (
      SELECT status FROM schedules
      WHERE schedules.schedule_key = schedule_marks.schedule_key) <> 'deleted'
    GROUP BY mark`,
  );

  async function read(send: Query, clientRowId: number, name: string): Promise<Stored | null> {
    const [row] = await send(find, [clientRowId, name]);
    return row === undefined ? null : columns.fromRow(row);
  }

  /** Those who make, replace and delete resources of a client go one by one. */
  function writing<Result>(clientRowId: number, work: (send: Query) => Promise<Result>) {
    return transaction(async send => {
      await send(lockClient, [clientRowId]);
      return work(send);
    });
  }

  const reads: Omit<NamedResourceStore<Stored, Use>, 'delete'> = {
    find: (clientRowId, name) => read(query, clientRowId, name),
    async list(clientRowId, limit, after = '') {
      return (await query(list, [clientRowId, after, limit])).map(columns.fromRow);
    },
    async usedBy(clientRowId, names) {
      const rows = await query(usedBy, [clientRowId, names.map(markOf)]);
      const counts = new Map(rows.map(({ mark, count: uses }) => [mark as string, uses as number]));
      return new Map(names.map(name => [name, counts.get(markOf(name)) ?? 0]));
    },
    async namedBy(clientRowId, name, before, limit) {
      const rows = await query(namedBy, [clientRowId, markOf(name), before, limit]);
      return rows.map(row => useFrom(row, resource));
    },
  };
  return {
    /** The methods of the contract that only read. */
    reads,
    /** One as it is now: for a decision within a write. */
    read,
    writing,
    /** Whether the client may have no more. An error within a transaction would count as a fault of the store. */
    async isFull(send: Query, clientRowId: number): Promise<boolean> {
      const [row] = await send(count, [clientRowId]);
      return row!.count === most;
    },
    /** @param then does in the same transaction what a deletion asks for besides */
    delete(
      clientRowId: number,
      name: string,
      then?: (send: Query, removed: Stored) => Promise<unknown>,
    ): Promise<Deletion> {
      return writing(clientRowId, async send => {
        if ((await send(isUsed, [clientRowId, markOf(name)])).length > 0) return 'inUse';
        const [removed] = await send(remove, [clientRowId, name]);
        if (removed === undefined) return 'unknown';
        await then?.(send, columns.fromRow(removed));
        return 'deleted';
      });
    },
  };
}
