import { LRUCache } from 'lru-cache';
import {
  dataKeyIdOf,
  decryptText,
  encryptText,
  isEncrypted,
  newDataKey,
  unwrapDataKey,
  wrapDataKey,
} from '../domain/access/envelope.ts';
import type { SigningSecrets } from '../domain/access/rotation.ts';
import { PunctualError } from '../domain/errors.ts';
import type { Store } from './contract/store.ts';

/**
 * The store whose signing secrets are encrypted at rest (domain/access/envelope.ts): a layer around
 * any backend, which sees the encrypted text alone. Users of the store see the secrets.
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

/** The first data key has this id, so that nodes that start together make one. */
const FIRST_ID = '1';

export class DataKeys {
  readonly #store: Store;
  readonly #secretKeys: Buffer[];
  readonly #keys = new Map<string, Buffer>();
  #newestId = '';
  readonly #known = new LRUCache<string, string>({ max: 10_000 });

  private constructor(store: Store, secretKeys: Buffer[]) {
    this.#store = store;
    this.#secretKeys = secretKeys;
  }

  /** @returns null where there is neither a secret key nor anything that it would have to decrypt */
  static async open(store: Store, secretKeys: Buffer[], now: number): Promise<DataKeys | null> {
    const keys = new DataKeys(store, secretKeys);
    await keys.#read();
    if (secretKeys.length === 0) return null;
    if (keys.#keys.size === 0) await keys.add(FIRST_ID, now);
    return keys;
  }

  /** Makes a data key, which encrypts from now on; where another node was faster, its key does. */
  async add(id: string, now: number): Promise<void> {
    const wrapped = wrapDataKey(newDataKey(), id, this.#secretKeys[0]!);
    await this.#store.dataKeys.insert({ id, wrapped, createdAt: now });
    await this.#read();
  }

  /** The id of a data key that there is not yet. */
  get nextId(): string {
    return String(Number(this.#newestId) + 1);
  }

  /** Wraps all data keys with the first secret key. @returns how many were wrapped by another one */
  async rewrap(): Promise<number> {
    let count = 0;
    for (const key of await this.#store.dataKeys.list()) {
      const { dataKey, wrappedBy } = unwrapDataKey(key, this.#secretKeys)!;
      if (wrappedBy === 0) continue;
      await this.#store.dataKeys.rewrap(key.id, wrapDataKey(dataKey, key.id, this.#secretKeys[0]!));
      count += 1;
    }
    return count;
  }

  encrypt(clientId: string, secret: string): string {
    const id = this.#newestId;
    const cell = encryptText(secret, placeOf(clientId), id, this.#keys.get(id)!);
    this.#known.set(cell, secret);
    return cell;
  }

  /** Whether it is encrypted with the newest data key. */
  isNewest(cell: string): boolean {
    return isEncrypted(cell) && dataKeyIdOf(cell) === this.#newestId;
  }

  /** Decrypts what was decrypted before, as nearly all of it was. @returns false where something is new */
  decryptKnown(holder: SigningSecrets): boolean {
    const { signingSecret, oldSecret } = holder;
    const present = this.#knownOf(signingSecret);
    const old = oldSecret && this.#knownOf(oldSecret.secret);
    if (present === undefined || (oldSecret && old === undefined)) return false;
    holder.signingSecret = present;
    if (oldSecret) oldSecret.secret = old!;
    return true;
  }

  #knownOf(cell: string): string | undefined {
    return isEncrypted(cell) ? this.#known.get(cell) : cell;
  }

  /** @throws PunctualError `store_unusable` where the cell was changed or belongs to another client */
  async decrypt(clientId: string, cell: string): Promise<string> {
    if (!isEncrypted(cell)) return cell;
    const known = this.#known.get(cell);
    if (known !== undefined) return known;
    // Another process has made a data key since.
    if (!this.#keys.has(dataKeyIdOf(cell))) await this.#read();
    const dataKey = this.#keys.get(dataKeyIdOf(cell));
    const secret = dataKey && decryptText(cell, placeOf(clientId), dataKey);
    if (secret == null) {
      throw new PunctualError(
        'store_unusable',
        `The signing secret of client ${clientId} cannot be decrypted.`,
      );
    }
    this.#known.set(cell, secret);
    return secret;
  }

  async #read(): Promise<void> {
    for (const key of await this.#store.dataKeys.list()) {
      const unwrapped = unwrapDataKey(key, this.#secretKeys);
      if (unwrapped === null) throw doesNotFit(this.#secretKeys);
      this.#keys.set(key.id, unwrapped.dataKey);
      if (Number(key.id) > Number(this.#newestId)) this.#newestId = key.id;
    }
  }
}

function doesNotFit(secretKeys: Buffer[]): PunctualError {
  return new PunctualError(
    'setting_invalid',
    secretKeys.length === 0
      ? 'The store holds encrypted secrets: set PUNCTUAL_SECRET_KEY or PUNCTUAL_SECRET_KEY_FILE.'
      : 'PUNCTUAL_SECRET_KEY does not fit: none of its keys decrypts the secrets in the store.',
  );
}

function placeOf(clientId: string): string {
  return `clients\n${clientId}\nsigning_secret`;
}

function encrypted(store: Store, keys: DataKeys, tell: (error: unknown) => void): Store {
  const open = async <Holder extends SigningSecrets>(clientId: string, holder: Holder) => {
    holder.signingSecret = await keys.decrypt(clientId, holder.signingSecret);
    const { oldSecret } = holder;
    if (oldSecret) oldSecret.secret = await keys.decrypt(clientId, oldSecret.secret);
    return holder;
  };
  /** Of what was claimed. One that cannot be decrypted stays as it is, and holds up nobody else's. */
  const openClaimed = async (clientId: string, holder: SigningSecrets) => {
    if (!keys.decryptKnown(holder)) await open(clientId, holder).catch(tell);
  };
  const clients = layer(store.clients, {
    insertClient: client =>
      store.clients.insertClient({
        ...client,
        signingSecret: keys.encrypt(client.id, client.signingSecret),
      }),
    rotateSecret: (id, rotation) =>
      store.clients.rotateSecret(id, {
        ...rotation,
        signingSecret: keys.encrypt(id, rotation.signingSecret),
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
  return { ...store, clients, queue, outbox };
}

/** The room as it is, but for some of its methods. */
function layer<Room extends object>(room: Room, methods: Partial<Room>): Room {
  return Object.assign(Object.create(room), methods);
}

/**
 * Encrypts with the newest data key what is plain or encrypted with an older one. Beside a running service: a
 * secret that is rotated meanwhile is left alone, for its writer has encrypted it.
 *
 * @param store without the layer
 * @returns how many secrets were encrypted
 */
export async function encryptAll(store: Store, keys: DataKeys): Promise<number> {
  let count = 0;
  for (const { id, signingSecret, oldSecret } of await store.clients.listClients()) {
    for (const cell of [signingSecret, ...(oldSecret ? [oldSecret.secret] : [])]) {
      // A client that was deleted has none.
      if (cell === '' || keys.isNewest(cell)) continue;
      const anew = keys.encrypt(id, await keys.decrypt(id, cell));
      if (await store.clients.replaceSecret(id, cell, anew)) count += 1;
    }
  }
  return count;
}
