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
import type { InstallationSecret } from './contract/installation.ts';
import type { Store } from './contract/store.ts';

/** The first data key has this id, so that nodes that start together make one. */
const FIRST_ID = '1';
const MOST_KNOWN_CHARACTERS = 2 ** 24;

/** The data keys of a store: they encrypt and decrypt its secrets, and secret keys wrap them. */
export class DataKeys {
  readonly #store: Store;
  readonly #secretKeys: Buffer[];
  readonly #keys = new Map<string, Buffer>();
  #newestId = '';
  /**
   * By its cell, each with its place: a cell that was copied elsewhere is not opened there. Bounded in characters too: a
   * certificate's key is long, and its writer may put it again and again.
   */
  readonly #known = new LRUCache<string, Known>({
    max: 10_000,
    maxSize: MOST_KNOWN_CHARACTERS,
    sizeCalculation: ({ secret }, cell) => cell.length + secret.length,
  });

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

  encrypt(place: Place, secret: string): string {
    const id = this.#newestId;
    const cell = encryptText(secret, textOf(place), id, this.#keys.get(id)!);
    this.#known.set(cell, { place, secret });
    return cell;
  }

  /** Null where the newest data key has encrypted it already. */
  async encryptAnew(place: Place, cell: string): Promise<string | null> {
    if (isEncrypted(cell) && dataKeyIdOf(cell) === this.#newestId) return null;
    return this.encrypt(place, await this.decrypt(place, cell));
  }

  /** Decrypts what was decrypted before, as nearly all of it was. @returns false where something is new */
  decryptKnown(clientId: string, holder: SigningSecrets): boolean {
    const { signingSecret, oldSecret } = holder;
    const present = this.#knownOf(clientId, signingSecret);
    const old = oldSecret && this.#knownOf(clientId, oldSecret.secret);
    if (present === undefined || (oldSecret && old === undefined)) return false;
    holder.signingSecret = present;
    if (oldSecret) oldSecret.secret = old!;
    return true;
  }

  #knownOf(clientId: string, cell: string): string | undefined {
    if (!isEncrypted(cell)) return cell;
    const known = this.#known.get(cell);
    const isOwn = known?.place.table === 'clients' && known.place.clientId === clientId;
    return isOwn ? known.secret : undefined;
  }

  /** @throws PunctualError `store_unusable` where the cell was changed or belongs to another place */
  async decrypt(place: Place, cell: string): Promise<string> {
    if (!isEncrypted(cell)) return cell;
    const known = this.#known.get(cell);
    if (known !== undefined && textOf(known.place) === textOf(place)) return known.secret;
    // Another process has made a data key since.
    if (!this.#keys.has(dataKeyIdOf(cell))) await this.#read();
    const dataKey = this.#keys.get(dataKeyIdOf(cell));
    const secret = dataKey && decryptText(cell, textOf(place), dataKey);
    if (secret == null) {
      throw new PunctualError('store_unusable', `${place.subject} cannot be decrypted.`);
    }
    this.#known.set(cell, { place, secret });
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

/** A secret that was encrypted or decrypted before. */
interface Known {
  place: Place;
  secret: string;
}

/** The place of a secret: encryption binds it to it. */
interface Place {
  table: 'clients' | 'destinations' | 'installation';
  /** '' where it belongs to no client. */
  clientId: string;
  name: string;
  /** The beginning of a sentence about it. */
  subject: string;
}

function textOf({ table, clientId, name }: Place): string {
  return `${table}\n${clientId}\n${name}`;
}

export function signingSecretOf(clientId: string): Place {
  const subject = `The signing secret of client ${clientId}`;
  return { table: 'clients', clientId, name: 'signing_secret', subject };
}

export function destinationOf(clientId: string, name: string): Place {
  const subject = `The secret of the destination ${name} of client ${clientId}`;
  return { table: 'destinations', clientId, name, subject };
}

export function installationSecretOf(name: InstallationSecret): Place {
  const subject = `The secret ${name} of the installation`;
  return { table: 'installation', clientId: '', name, subject };
}
