import { lockSqlite, migrateAt } from './sqlite/open.ts';
import { openThreaded } from './sqlite/threaded.ts';
import type { Store } from './store.ts';

/** Which keeper, by the settings: the only file that knows them all. */
export interface Database {
  kind: 'sqlite';
  path: string;
}

/**
 * Opens the store, and creates and migrates it where needed.
 *
 * @throws PunctualError `store_newer`, `store_unavailable`
 */
export function openStore({ path }: Database): Store {
  return openThreaded(path);
}

/**
 * Makes this process the one engine of the store, until `release` or its end.
 *
 * @throws PunctualError `store_in_use`
 */
export function lockEngine({ path }: Database): { release(): void } {
  return lockSqlite(path);
}

/** Brings the store to the newest version, and says from which. */
export function migrateStore({ path }: Database): { from: number; to: number } {
  return migrateAt(path);
}
