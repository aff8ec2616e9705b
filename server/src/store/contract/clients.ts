import type { Rotation, SigningSecrets } from '../../domain/access/rotation.ts';
import type { SessionTimes } from '../../domain/access/session.ts';

/** The part of the store contract (`store.ts`) that says who may call. */

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

export interface ApiKey {
  id: string;
  clientId: string;
  /** SHA-256 of the key, as hex; the key itself is stored nowhere. */
  hash: string;
  /** What people call it. */
  name?: string;
  createdAt: number;
  /** The id of the key that made it; absent where an operator did. */
  createdBy?: string;
  revokedAt?: number;
}

/** A session of the dashboard: as good as its key, until it ends or the key is revoked. */
export interface Session extends SessionTimes {
  id: string;
  /** SHA-256 of the token, as hex; the token itself is stored nowhere. */
  hash: string;
  keyId: string;
}

/** Who calls: the client behind a valid key. */
export interface Caller {
  clientId: string;
  clientRowId: number;
  keyId: string;
  /** The session that it calls in; absent where it calls with the key itself. */
  sessionId?: string;
}

export interface FoundSession extends SessionTimes {
  caller: Caller;
}

export interface Revocation {
  revokedAt: number;
  /** Whether keys that were made with the key, and with these, are revoked too. */
  withDescendants: boolean;
}

export interface ClientStore {
  insertClient(client: Client): Promise<void>;
  /** Oldest first. */
  listClients(): Promise<Client[]>;
  findClient(id: string): Promise<Client | null>;
  /**
   * Makes another secret the one that signs; the one before signs too until `oldUntil`. Where at
   * `rotatedAt` an old secret still signs, one that `replacesNew` takes the place of the present one,
   * and the old one stays; any other is refused.
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
  /** It may call again. What was put off comes back (suspensions.ts). @returns false also where it is not suspended */
  resume(clientId: string, now: number): Promise<boolean>;
  /**
   * Suspends it for good, revokes its keys, ends its sessions, wipes its secrets, and ends the callbacks that wait. Its
   * schedules stay as they are. Idempotent.
   *
   * @returns its key, or null where it does not exist
   */
  delete(clientId: string, now: number): Promise<number | null>;
  /** Puts `to` where the present or the old secret is exactly `from`. @returns false where neither is */
  replaceSecret(clientId: string, from: string, to: string): Promise<boolean>;
  /** @returns false where the client does not exist, or `createdBy` is none of its valid keys */
  insertKey(key: ApiKey): Promise<boolean>;
  /** Oldest first, revoked ones included. */
  listKeys(clientId: string): Promise<ApiKey[]>;
  /** Whose key it is: for an operator, who is no client. */
  findKey(keyId: string): Promise<ApiKey | null>;
  /**
   * In one step: a key that is being made by one of those that are revoked here is revoked as well, or
   * not made. One that was revoked before keeps its instant, and its descendants are revoked all the same.
   *
   * @returns the ids of the key and of what was revoked with it; none where the client has no such key
   */
  revokeKey(clientId: string, keyId: string, revocation: Revocation): Promise<string[]>;
  /** The caller behind a key's hash, or null where it is unknown or revoked. */
  findCaller(keyHash: string): Promise<Caller | null>;
  /**
   * Takes away those that could not count any more when this one began, too.
   *
   * @returns false where the key does not exist or is revoked
   */
  insertSession(session: Session): Promise<boolean>;
  /**
   * The session behind a token's hash, or null where it is unknown or its key revoked. Whether it still
   * counts, domain/access/session.ts says.
   */
  findSession(hash: string): Promise<FoundSession | null>;
  noteSessionUse(hash: string, usedAt: number): Promise<void>;
  /** Newest first, also those that no longer count; none of a revoked key. */
  listSessions(clientId: string, limit: number): Promise<Session[]>;
  /**
   * @param id of one of the client's sessions; left out: all of them
   * @returns the hashes of those that were ended
   */
  endSessions(clientId: string, id?: string): Promise<string[]>;
}
