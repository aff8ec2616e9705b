import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import { PunctualError } from '../domain/errors.ts';
import { readSecretKeys } from '../secret-keys.ts';
import type { Store } from '../store/contract/store.ts';
import { withEncryption } from '../store/encrypted.ts';
import { nameOf, openBeside } from '../store/open.ts';

/** Gives `work` the store of the settings, beside a running service or without one. */
export function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const secretKeys = readSecretKeys(readConfig(process.env));
  return withPlainStore(async store =>
    work(await withEncryption(store, secretKeys, systemClock.now())),
  );
}

/** The same, but encrypted secrets are given as they are stored. */
export async function withPlainStore<Result>(
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { database } = readConfig(process.env);
  const store = await openBeside(database);
  try {
    const result = await work(store);
    // Beside what was asked for, not in it; programs read one JSON value.
    if (!process.argv.includes('--json')) process.stderr.write(`Store: ${nameOf(database)}\n`);
    return result;
  } catch (error) {
    throw error instanceof PunctualError && error.code === 'not_found'
      ? new PunctualError('not_found', `${error.message.slice(0, -1)} in ${nameOf(database)}.`)
      : error;
  } finally {
    await store.close();
  }
}

/** Nodes that share a store go by its clock. */
export async function nowOf(store: Store): Promise<number> {
  return store.cluster === null ? systemClock.now() : store.cluster.now();
}
