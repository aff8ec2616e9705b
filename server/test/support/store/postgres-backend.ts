import { ENGINE_LEVEL } from '../../../src/domain/schedule/level.ts';
import type { Store } from '../../../src/store/contract/store.ts';
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
  /** Stores that nobody uses: to empty one takes a tenth of what a new database does, and its plans are made. */
  const free: Emptied[] = [];

  const open = (url: string, level = ENGINE_LEVEL) =>
    openPostgres(through(url), { ...NODE, level });

  async function newDatabase(): Promise<Emptied> {
    const url = await server.createDatabase();
    const store = await open(url);
    const connections = new Connections(url, 1);
    await emptied(connections);
    return { url, store, connections };
  }

  return async () => {
    const { url, connections, ...opened } = free.pop() ?? (await newDatabase());
    let { store } = opened;
    let isAsOpened = true;
    const reopen = async (level?: number) => {
      await store.close();
      store = await open(url, level);
      isAsOpened = level === undefined;
      return store;
    };
    return {
      store,
      reopen,
      async close() {
        if (!isAsOpened) await reopen();
        await emptied(connections);
        free.push({ url, store, connections });
      },
    };
  };
}

interface Emptied {
  url: string;
  store: Store;
  /** Beside those of the store. */
  connections: Connections;
}

/** With days of their own around noon: what is older or newer stands in the default tables. */
async function emptied(connections: Connections): Promise<void> {
  const tables = TABLES.map(({ name }) => name).toReversed();
  await connections.query(tables.map(table => `DELETE FROM ${table}`).join(';'));
  await ensurePartitions(connections, NOON);
}
