import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import { readSecretKeys } from '../secret-keys.ts';
import { withEncryption } from '../store/encrypted.ts';
import { openBeside } from '../store/open.ts';
import type { Store } from '../store/store.ts';

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
  const store = await openBeside(readConfig(process.env).database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
