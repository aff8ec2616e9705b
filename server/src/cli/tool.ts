import { readConfig } from '../config.ts';
import { openSqlite } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';

/** Gives `work` the store of the settings, beside a running service or without one. */
export async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = openSqlite(readConfig(process.env).sqlitePath);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
