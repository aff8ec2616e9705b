import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import { PunctualError } from '../domain/errors.ts';
import { readSecretKeys } from '../secret-keys.ts';
import type { Store } from '../store/contract/store.ts';
import { DataKeys } from '../store/data-keys.ts';
import { encryptAll } from '../store/encrypt-all.ts';
import { print } from './output.ts';
import { withPlainStore } from './tool.ts';

export function encryptCommand(program: Command): void {
  program
    .command('encrypt')
    .description(
      'Encrypt secrets that are still plain, and wrap the data keys with the first of ' +
        'PUNCTUAL_SECRET_KEY. Works beside a running service, once all nodes know this key.',
    )
    .option('--new-data-key', 'make a new data key and encrypt all secrets anew')
    .option('--json', 'print one JSON object')
    .action(async ({ newDataKey, json }: { newDataKey?: boolean; json?: boolean }) => {
      const secretKeys = readSecretKeys(readConfig(process.env));
      if (secretKeys.length === 0) {
        const sentence = 'Set PUNCTUAL_SECRET_KEY or PUNCTUAL_SECRET_KEY_FILE to encrypt with.';
        throw new PunctualError('setting_invalid', sentence);
      }
      await withPlainStore(async store => {
        await refuseBesideOlder(store);
        const now = systemClock.now();
        const keys = (await DataKeys.open(store, secretKeys, now))!;
        if (newDataKey === true) await keys.add(keys.nextId, now);
        const rewrapped = await keys.rewrap();
        const encrypted = await encryptAll(store, keys);
        print(json === true, { encrypted, rewrapped }, [
          `Secrets encrypted: ${encrypted}. Data keys wrapped with the first secret key: ${rewrapped}.`,
        ]);
      });
    });
}

/** An embedded store has one node, and refuses this command beside an older one by itself. */
async function refuseBesideOlder({ cluster }: Store): Promise<void> {
  if (cluster === null || !(await cluster.hasOlderNodes())) return;
  throw new PunctualError(
    'store_in_use',
    'A Punctual of an older release is connected to the database, and would sign with the encrypted text: upgrade it first.',
  );
}
