import type { Rotation, SigningSecrets } from '../../domain/access/rotation.ts';

/** The store contract, the clients. `store.ts` says the rules of the whole contract. */

export interface Client extends SigningSecrets {
  id: string;
  name: string;
  createdAt: number;
  /** Since when it has its secret, if not since it was made. */
  rotatedAt?: number;
  /** Since when it may not call and nothing of it starts. */
  suspendedAt?: number;
  /** It is deleted for good: it has no secret, and none of its keys counts. */
  deletedAt?: number;
}

export interface ClientStore {
  insertClient(client: Client): Promise<void>;
  /** Oldest first. */
  listClients(): Promise<Client[]>;
  findClient(id: string): Promise<Client | null>;
  /**
   * Makes another secret the signing one; the previous one signs too until `oldUntil`. If an old
   * secret still signs at `rotatedAt`, a rotation with `replacesNew` replaces the present secret
   * and keeps the old one; any other is refused.
   *
   * @returns false where it was refused, or the client does not exist: nothing was changed
   */
  rotateSecret(clientId: string, rotation: Rotation): Promise<boolean>;
  /** The old secret signs no more. @returns false where there was none that might, or no such client */
  endOverlap(clientId: string): Promise<boolean>;
  /**
   * Takes away old secrets that sign no more at `now`. An overlap that begins later than `now` was asked for by a
   * clock that was ahead: it begins now, and lasts as long as was asked for.
   */
  forgetOldSecrets(now: number): Promise<void>;
  /** @returns false where the client does not exist or is deleted, as the three below */
  rename(clientId: string, name: string): Promise<boolean>;
  /** From now on it may not call, and nothing of it starts. One that is suspended stays so since then. */
  suspend(clientId: string, now: number): Promise<boolean>;
  /**
   * The client may call again, and its rows come back (suspensions.ts). @returns false also where
   * it is not suspended
   */
  resume(clientId: string, now: number): Promise<boolean>;
  /**
   * Suspends it for good, revokes its keys, ends its sessions, wipes its secrets and those of its destinations, and ends the callbacks that wait. Its
   * schedules stay as they are. Idempotent.
   *
   * @returns its key, or null where it does not exist
   */
  delete(clientId: string, now: number): Promise<number | null>;
  /** Puts `to` where the present or the old secret is exactly `from`. @returns false where neither is */
  replaceSecret(clientId: string, from: string, to: string): Promise<boolean>;
}
