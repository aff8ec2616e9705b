import type { SessionTimes } from '../../domain/access/session.ts';
import type { Caller } from './keys.ts';

/**
 * The store contract, the sessions of the dashboard. `store.ts` says the rules of the whole
 * contract.
 */

/** A session of the dashboard: as good as its key, until it ends or the key is revoked. */
export interface Session extends SessionTimes {
  id: string;
  /** SHA-256 of the token, as hex; the token itself is stored nowhere. */
  hash: string;
  keyId: string;
}

export interface FoundSession extends SessionTimes {
  caller: Caller;
}

export interface SessionStore {
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
