import { INSTALLATION_SECRETS } from './contract/installation.ts';
import type { Store } from './contract/store.ts';
import {
  type DataKeys,
  destinationOf,
  installationSecretOf,
  signingSecretOf,
} from './data-keys.ts';

const DESTINATIONS_AT_ONCE = 100;

/**
 * Encrypts with the newest data key what is plain or encrypted with an older one. Beside a running service, one secret after
 * the other: one that is changed meanwhile is left alone, for its writer has encrypted it.
 *
 * @param store without the layer
 * @returns how many secrets were encrypted
 */
export async function encryptAll(store: Store, keys: DataKeys): Promise<number> {
  return (
    (await encryptClients(store, keys)) +
    (await encryptDestinations(store, keys)) +
    (await encryptInstallation(store, keys))
  );
}

async function encryptClients({ clients }: Store, keys: DataKeys): Promise<number> {
  let count = 0;
  for (const { id, signingSecret, oldSecret } of await clients.listClients()) {
    for (const cell of [signingSecret, ...(oldSecret ? [oldSecret.secret] : [])]) {
      // A client that was deleted has none.
      if (cell === '') continue;
      const anew = await keys.encryptAnew(signingSecretOf(id), cell);
      if (anew !== null && (await clients.replaceSecret(id, cell, anew))) count += 1;
    }
  }
  return count;
}

async function encryptDestinations({ destinations }: Store, keys: DataKeys): Promise<number> {
  let count = 0;
  let page = await destinations.secrets(null, DESTINATIONS_AT_ONCE);
  while (page.length > 0) {
    for (const each of page) {
      const { clientId, name, secrets } = each;
      const anew = await keys.encryptAnew(destinationOf(clientId, name), secrets);
      if (anew !== null && (await destinations.replaceSecrets(each, secrets, anew))) count += 1;
    }
    page = await destinations.secrets(page.at(-1)!, DESTINATIONS_AT_ONCE);
  }
  return count;
}

async function encryptInstallation({ installation }: Store, keys: DataKeys): Promise<number> {
  let count = 0;
  for (const name of INSTALLATION_SECRETS) {
    const cell = await installation.findSecret(name);
    if (cell === null) continue;
    const anew = await keys.encryptAnew(installationSecretOf(name), cell);
    if (anew !== null && (await installation.replaceSecret(name, cell, anew))) count += 1;
  }
  return count;
}
