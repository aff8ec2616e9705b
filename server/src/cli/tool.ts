import { readConfig } from '../config.ts';
import { openBeside } from '../store/open.ts';
import type { Store } from '../store/store.ts';

/** Gives `work` the store of the settings, beside a running service or without one. */
export async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openBeside(readConfig(process.env).database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
