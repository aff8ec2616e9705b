/** The store contract, the keys of clients. `store.ts` says the rules of the whole contract. */

export interface ApiKey {
  id: string;
  clientId: string;
  /** SHA-256 of the key, as hex; the key itself is stored nowhere. */
  hash: string;
  /** Its name for people. */
  name?: string;
  createdAt: number;
  /** The id of the key that made it; absent where an operator did. */
  createdBy?: string;
  revokedAt?: number;
}

/** The caller: the client behind a valid key. */
export interface Caller {
  clientId: string;
  clientRowId: number;
  keyId: string;
  /** The session that it calls in; absent where it calls with the key itself. */
  sessionId?: string;
}

export interface Revocation {
  revokedAt: number;
  /** Whether keys that were made with the key, and with these, are revoked too. */
  withDescendants: boolean;
}

export interface KeyStore {
  /** @returns false where the client does not exist, or `createdBy` is none of its valid keys */
  insertKey(key: ApiKey): Promise<boolean>;
  /** Oldest first, revoked ones included. */
  listKeys(clientId: string): Promise<ApiKey[]>;
  /** Finds a key of any client: for an operator, who is no client. */
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
}
