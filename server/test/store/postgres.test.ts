import { after } from 'node:test';
import { Connections } from '../../src/store/postgres/connection.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { ensurePartitions } from '../../src/store/postgres/partitions.ts';
import { storeContract } from './contract.ts';
import { NOON } from './keeper.ts';
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres();
after(() => server.stop());

/** With days of their own around noon: what is older or newer stands in the default tables. */
const template = await server.createDatabase();
await (await openPostgres(template)).close();
const connections = new Connections(template, 1);
await ensurePartitions(connections, NOON);
await connections.close();

/**
 * One node that comes and goes. Its leases end as they begin: the contract speaks of a node that is
 * gone, and of leases speaks postgres-lease.test.ts.
 */
const NODE = { node: 'd7f1f3a4-6f0e-4c0a-9d3e-0c1b2a394857', leaseMs: 0 };

storeContract('PostgreSQL', async () => {
  const url = await server.createDatabase(template);
  let store = await openPostgres(url, NODE);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openPostgres(url, NODE);
      return store;
    },
    async close() {
      await store.close();
      await server.dropDatabase(url);
    },
  };
});
