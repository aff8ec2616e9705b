import { Connections } from '../../../src/store/postgres/connection.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { ensurePartitions } from '../../../src/store/postgres/partitions.ts';
import { TABLES } from '../../../src/store/transfer/tables.ts';
import { NOON, type OpenBackend } from './backend.ts';
import type { PostgresServer } from './postgres-server.ts';

/**
 * One node that comes and goes. Its leases end as they begin: the contract speaks of a node that is
 * gone, and of leases speaks postgres-lease.long.test.ts.
 */
const NODE = { node: 'd7f1f3a4-6f0e-4c0a-9d3e-0c1b2a394857', leaseMs: 0 };

/** @param through the way that the store takes to the database at this url */
export function postgresBackends(
  server: PostgresServer,
  through: (url: string) => string = url => url,
): OpenBackend {
  /** Databases that nobody uses: to empty one takes a tenth of what a new one does. */
  const free: string[] = [];

  async function newDatabase(): Promise<string> {
    const url = await server.createDatabase();
    await (await openPostgres(url)).close();
    return emptied(url);
  }

  return async () => {
    const url = free.pop() ?? (await newDatabase());
    let store = await openPostgres(through(url), NODE);
    return {
      store,
      async reopen(level) {
        await store.close();
        store = await openPostgres(through(url), {
          ...NODE,
          ...(level !== undefined && { level }),
        });
        return store;
      },
      async close() {
        await store.close();
        free.push(await emptied(url));
      },
    };
  };
}

/** With days of their own around noon: what is older or newer stands in the default tables. */
async function emptied(url: string): Promise<string> {
  const connections = new Connections(url, 1);
  const tables = TABLES.map(({ name }) => name).toReversed();
  await connections.query(tables.map(table => `DELETE FROM ${table}`).join(';'));
  await ensurePartitions(connections, NOON);
  await connections.close();
  return url;
}
