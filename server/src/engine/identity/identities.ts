import { LRUCache } from 'lru-cache';
import type {
  DestinationLimits,
  DestinationSecrets,
} from '../../domain/destination/destination.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type {
  DestinationStore,
  NamedDestination,
  PresentDestination,
} from '../../store/contract/destinations.ts';
import { Identity, type IdentityOptions } from './identity.ts';

/** A claim that may name a destination. */
interface NamingClaim {
  clientRowId: number;
  schedule?: Schedule;
}

export interface IdentitiesOptions extends IdentityOptions {
  destinations: Pick<DestinationStore, 'present'>;
}

/** More than are in use at a time: one that is forgotten asks for its token again. */
const MOST_KEPT = 10_000;
/** The most that they keep in memory together, in characters: certificates are large. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** A small one counts as this, so that no more than `MOST_KEPT` are kept. */
const LEAST_SIZE = Math.ceil(MOST_CHARACTERS / MOST_KEPT);

/** Identities: knows those of the destinations that claims name. They are read once a batch of claims, if one names any. */
export class Identities {
  readonly #options: IdentitiesOptions;
  readonly #kept = new LRUCache<string, Identity>({ maxSize: MOST_CHARACTERS });
  /** By the schedule of a claim; null: its destination is not there. */
  readonly #ofSchedule = new WeakMap<Schedule, Identity | null>();

  constructor(options: IdentitiesOptions) {
    this.#options = options;
  }

  /** Reads the destinations of claims, as they are now. @returns null where none names one: nothing has to be waited for */
  load(claims: NamingClaim[]): Promise<void> | null {
    return claims.some(isNaming) ? this.#load(claims.filter(isNaming)) : null;
  }

  /** Of a schedule whose claim was loaded. @returns null: its destination is not there */
  of(schedule: Schedule): Identity | null {
    return this.#ofSchedule.get(schedule) ?? null;
  }

  /** The limits of the destination of a claim, as they were read last: the claim may have waited since. */
  limitsFor(schedule: Schedule): DestinationLimits | null {
    const identity = this.of(schedule);
    if (identity === null) return null;
    const { clientRowId, name } = identity.facts;
    const { facts } = this.#kept.get(keyOf(clientRowId, name)) ?? identity;
    return facts.config.limits ?? {};
  }

  /** The texts that history does not keep of what the target of a schedule says: secrets of its destination, as it is now. */
  async secretsToward(schedule: Schedule, clientRowId: number): Promise<readonly string[]> {
    if (schedule.delivery?.destination === undefined) return [];
    await this.load([{ clientRowId, schedule }]);
    return this.of(schedule)?.secrets ?? [];
  }

  async #load(claims: NamingClaim[]): Promise<void> {
    const named = new Map<string, NamedDestination>();
    const keys = claims.map(({ clientRowId, schedule }) => {
      const name = schedule!.delivery!.destination!;
      const key = keyOf(clientRowId, name);
      if (!named.has(key)) named.set(key, { clientRowId, name });
      return key;
    });
    const present = await this.#options.destinations.present([...named.values()]);
    const found = new Map<string, Identity>();
    for (const one of present) {
      const identity = this.#identityOf(one);
      found.set(keyOf(one.clientRowId, one.name), identity);
      identity.prepare();
    }
    for (const [index, { schedule }] of claims.entries()) {
      this.#ofSchedule.set(schedule!, found.get(keys[index]!) ?? null);
    }
  }

  #identityOf({ secrets = '{}', ...row }: PresentDestination): Identity {
    const key = keyOf(row.clientRowId, row.name);
    const kept = this.#kept.get(key);
    if (kept?.facts.version === row.version) return kept;
    const { clientRowId, clientId, name, version, config } = row;
    const facts = { clientRowId, clientId, name, version, config };
    const parsed = JSON.parse(secrets) as DestinationSecrets;
    const identity = new Identity({ ...facts, secrets: parsed }, this.#options);
    this.#kept.set(key, identity, { size: Math.max(identity.size, LEAST_SIZE) });
    return identity;
  }
}

function isNaming({ schedule }: NamingClaim): boolean {
  return schedule?.delivery?.destination !== undefined;
}

function keyOf(clientRowId: number, name: string): string {
  return `${clientRowId} ${name}`;
}
