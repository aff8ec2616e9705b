import type { SigningSecrets } from '../domain/access/rotation.ts';
import type { DestinationStore, SecretDestination } from './contract/destinations.ts';
import type { InstallationSecret, InstallationStore } from './contract/installation.ts';
import type { Store } from './contract/store.ts';
import { DataKeys, destinationOf, installationSecretOf, signingSecretOf } from './data-keys.ts';

/**
 * The store whose secrets are encrypted at rest (domain/access/envelope.ts): a layer around
 * any backend, which sees the encrypted text alone. Users of the store see the secrets. These are the signing secrets of
 * clients, the secrets of destinations, and those of the installation.
 *
 * A claim decrypts each client's secret once, and not for each firing: the layer caches decrypted
 * secrets by their text. Without a key the store is used as it is.
 *
 * @param secretKeys the first encrypts, all decrypt; none: secrets stay as they are
 * @param tell told of a secret that cannot be decrypted: no receiver accepts its signatures
 * @throws PunctualError `setting_invalid` if the store holds a secret that none of the keys
 * decrypts
 */
export async function withEncryption(
  store: Store,
  secretKeys: Buffer[],
  now: number,
  tell: (error: unknown) => void = () => {},
): Promise<Store> {
  const keys = await DataKeys.open(store, secretKeys, now);
  return keys === null ? store : encrypted(store, keys, tell);
}

function encrypted(store: Store, keys: DataKeys, tell: (error: unknown) => void): Store {
  const open = async <Holder extends SigningSecrets>(clientId: string, holder: Holder) => {
    const place = signingSecretOf(clientId);
    holder.signingSecret = await keys.decrypt(place, holder.signingSecret);
    const { oldSecret } = holder;
    if (oldSecret) oldSecret.secret = await keys.decrypt(place, oldSecret.secret);
    return holder;
  };
  /** Of what was claimed. One that cannot be decrypted stays as it is, and holds up nobody else's. */
  const openClaimed = async (clientId: string, holder: SigningSecrets) => {
    if (!keys.decryptKnown(clientId, holder)) await open(clientId, holder).catch(tell);
  };
  const clients = layer(store.clients, {
    insertClient: client =>
      store.clients.insertClient({
        ...client,
        signingSecret: keys.encrypt(signingSecretOf(client.id), client.signingSecret),
      }),
    rotateSecret: (id, rotation) =>
      store.clients.rotateSecret(id, {
        ...rotation,
        signingSecret: keys.encrypt(signingSecretOf(id), rotation.signingSecret),
      }),
    async listClients() {
      const listed = await store.clients.listClients();
      for (const client of listed) await open(client.id, client);
      return listed;
    },
    async findClient(id) {
      const client = await store.clients.findClient(id);
      return client && open(id, client);
    },
  });
  const queue = layer(store.queue, {
    async claim(...asked) {
      const result = await store.queue.claim(...asked);
      for (const { schedule } of result.claims) await openClaimed(schedule.clientId, schedule);
      return result;
    },
    async reread(scheduleRowIds) {
      const standing = await store.queue.reread(scheduleRowIds);
      for (const { schedule } of standing) await openClaimed(schedule.clientId, schedule);
      return standing;
    },
  });
  const outbox = layer(store.outbox, {
    async claim(...asked) {
      const claims = await store.outbox.claim(...asked);
      for (const claim of claims) {
        if (claim.kind === 'manual') await openClaimed(claim.schedule.clientId, claim.schedule);
        else await openClaimed(claim.clientId, claim);
      }
      return claims;
    },
  });
  return {
    ...store,
    clients,
    queue,
    outbox,
    destinations: encryptedDestinations(store.destinations, keys, tell),
    installation: encryptedInstallation(store.installation, keys),
  };
}

function encryptedDestinations(
  destinations: DestinationStore,
  keys: DataKeys,
  tell: (error: unknown) => void,
): DestinationStore {
  async function open<Found extends SecretDestination>(clientId: string, found: Found) {
    const { name, secrets } = found;
    if (secrets === undefined) return found;
    return { ...found, secrets: await keys.decrypt(destinationOf(clientId, name), secrets) };
  }
  return layer(destinations, {
    put(owner, name, expected, change, at) {
      const { secrets } = change;
      const sealed =
        secrets === undefined
          ? change
          : { ...change, secrets: keys.encrypt(destinationOf(owner.clientId, name), secrets) };
      return destinations.put(owner, name, expected, sealed, at);
    },
    async findSecret(owner, name) {
      const found = await destinations.findSecret(owner, name);
      return found && open(owner.clientId, found);
    },
    async present(named) {
      const found = await destinations.present(named);
      const opened = await Promise.all(
        found.map(each => open(each.clientId, each).catch(error => void tell(error))),
      );
      return opened.filter(each => each !== undefined);
    },
  });
}

function encryptedInstallation(installation: InstallationStore, keys: DataKeys): InstallationStore {
  async function findBoth(name: InstallationSecret) {
    const cell = await installation.findSecret(name);
    const secret = cell === null ? null : await keys.decrypt(installationSecretOf(name), cell);
    return { cell, secret };
  }
  return layer(installation, {
    async findSecret(name) {
      return (await findBoth(name)).secret;
    },
    async replaceSecret(name, was, secret) {
      const present = await findBoth(name);
      if (present.secret !== was) return false;
      const anew = keys.encrypt(installationSecretOf(name), secret);
      return installation.replaceSecret(name, present.cell, anew);
    },
  });
}

/** The room as it is, but for some of its methods. */
function layer<Room extends object>(room: Room, methods: Partial<Room>): Room {
  return Object.assign(Object.create(room), methods);
}
