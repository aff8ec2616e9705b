import { ENGINE_LEVEL } from '../../../src/domain/schedule/level.ts';
import { Connections } from '../../../src/store/postgres/connection.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { ensurePartitions } from '../../../src/store/postgres/partitions.ts';
import { TABLES } from '../../../src/store/transfer/tables.ts';
import { NOON, type OpenBackend } from './backend.ts';
import type { PostgresServer } from './postgres-server.ts';
import { reusedBackends } from './reused-backends.ts';

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
  return reusedBackends(async () => {
    const url = await server.createDatabase();
    // Beside those of the store.
    const connections = new Connections(url, 1);
    return {
      open: (level = ENGINE_LEVEL) => openPostgres(through(url), { ...NODE, level }),
      empty: () => emptied(connections),
    };
  });
}

/** With days of their own around noon: what is older or newer stands in the default tables. */
async function emptied(connections: Connections): Promise<void> {
  const tables = TABLES.map(({ name }) => name).toReversed();
  await connections.query(tables.map(table => `DELETE FROM ${table}`).join(';'));
  await ensurePartitions(connections, NOON);
}
