import type { DestinationConfig } from '../../domain/destination/destination.ts';
import type { Caller } from './keys.ts';
import type { Deletion, NamedResourceStore, ScheduleUse } from './named-resource.ts';

/**
 * The store contract, for destinations: how hosts are talked to. Each belongs to one client.
 */

/** Destinations of one client, at most. */
export const MOST_DESTINATIONS = 1_000;

/** A destination as it is kept, without its secrets. Instants are epoch ms. */
export interface StoredDestination {
  name: string;
  config: DestinationConfig;
  /** UUID version 7. Every change gives it a new one, and none comes back after a deletion. */
  version: string;
  createdAt: number;
  updatedAt?: number;
}

/** The same with its secrets: JSON of `DestinationSecrets`, encrypted at rest; absent where it has none. */
export interface SecretDestination extends StoredDestination {
  secrets?: string;
}

/** The values of a destination that is made or replaced. */
export interface DestinationChange {
  config: DestinationConfig;
  /** All of its secrets, also those that stay as they were. */
  secrets?: string;
  version: string;
}

/** The owner of a destination: encryption binds its secrets to the client. */
export type DestinationOwner = Pick<Caller, 'clientId' | 'clientRowId'>;

/** A destination that a firing names. */
export interface NamedDestination {
  clientRowId: number;
  name: string;
}

/** A destination as firings read it. */
export type PresentDestination = SecretDestination & NamedDestination & { clientId: string };

/** A schedule as far as a change of its destination may break it. */
export interface DestinationUse extends ScheduleUse {
  url: string;
  headers?: Record<string, string>;
}

export interface DestinationStore extends NamedResourceStore<StoredDestination, DestinationUse> {
  /**
   * Makes or replaces a destination, if it still has the version that the writer has read. The writer decides before
   * which secrets stay, and whether its schedules still fit.
   *
   * @param expected the version that the writer has read; null: there was none
   * @returns `changed` where it has another version by now, or is there by now, or no more: nothing is written
   * @throws PunctualError `quota_exceeded` where the client has `MOST_DESTINATIONS`
   */
  put(
    owner: DestinationOwner,
    name: string,
    expected: string | null,
    change: DestinationChange,
    at: number,
  ): Promise<StoredDestination | 'changed'>;
  /** Those of these names that are there, in any order. */
  findAll(clientRowId: number, names: string[]): Promise<StoredDestination[]>;
  /** One with its secrets, to decide about a change. */
  findSecret(owner: DestinationOwner, name: string): Promise<SecretDestination | null>;
  /** Its secrets go with it. */
  delete(clientRowId: number, name: string): Promise<Deletion>;
  /**
   * Those that are there, in any order, for firings. One whose secrets cannot be decrypted is left out: nothing is to be
   * sent in its name.
   */
  present(named: NamedDestination[]): Promise<PresentDestination[]>;
  /** All that have secrets, of all clients, in pages: to encrypt them anew. */
  secrets(
    after: NamedDestination | null,
    limit: number,
  ): Promise<(NamedDestination & { clientId: string; secrets: string })[]>;
  /** Writes the same secrets, encrypted anew. @returns false where they were changed meanwhile */
  replaceSecrets(named: NamedDestination, was: string, secrets: string): Promise<boolean>;
}
