import { migrateAt as migratePostgresAt, openPostgres } from './postgres/open.ts';
import { lockSqlite, migrateAt as migrateSqliteAt, openSqlite } from './sqlite/open.ts';
import { openThreaded } from './sqlite/threaded.ts';
import type { Store } from './store.ts';

export { serversOf } from './postgres/servers.ts';

/** Which keeper, by the settings: the only file that knows them all. */
export type Database =
  | { kind: 'sqlite'; path: string }
  /** The url as `pg` understands it. It carries a password: it is never shown. */
  | { kind: 'postgres'; url: string; leaseMs?: number };

/**
 * Opens the store, and creates and migrates it where needed.
 *
 * @throws PunctualError `store_newer`, `store_unavailable`
 */
export async function openStore(database: Database): Promise<Store> {
  if (database.kind === 'sqlite') {
    // What is in memory is there for one connection.
    return database.path === ':memory:' ? openSqlite(':memory:') : openThreaded(database.path);
  }
  const { url, leaseMs } = database;
  return openPostgres(url, leaseMs === undefined ? {} : { leaseMs });
}

/**
 * Makes this process the one engine of an embedded store, until `release` or its end. On PostgreSQL
 * there may be many: their claims have leases instead.
 *
 * @throws PunctualError `store_in_use`
 */
export function lockEngine(database: Database): { release(): void } {
  return database.kind === 'sqlite' ? lockSqlite(database.path) : { release() {} };
}

/** Brings the store to the newest version, and says from which. */
export async function migrateStore(database: Database): Promise<{ from: number; to: number }> {
  return database.kind === 'sqlite'
    ? migrateSqliteAt(database.path)
    : migratePostgresAt(database.url);
}
