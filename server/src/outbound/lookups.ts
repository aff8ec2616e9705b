/** The addresses of a name, in the order in which they should be tried. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** One that needs the addresses of a name. It is told once: `found` or `failed`. */
export interface LookupRequester {
  readonly clientRowId: number;
  /** While it waits for its turn, it may be cancelled. */
  isCancelled(): boolean;
  /** Its turn has come. @returns false where it was cancelled */
  begin(): boolean;
  found(addresses: string[]): void;
  failed(error: unknown): void;
}

/** The last message of a thread that cannot end because lookups are in flight. */
export const HELD_UP = 'held up';

/** The error of a lookup that was cancelled before its turn. */
export const LOOKUP_CANCELLED = new Error('cancelled');

/**
 * Lookups: names are resolved by a few threads, and each may be held for as long as the slowest
 * name server of the world takes.
 *
 * A client may have at most as many lookups in flight as remain for all others, and clients take
 * turns. So a client without a lookup can always begin one. A lookup counts until the system has
 * answered, whether or not somebody still waits for it. A second request for the same name shares
 * the answer; nothing is cached beyond it.
 */
export class Lookups {
  readonly #resolve: Resolve;
  readonly #most: number;
  /** Those that somebody waits for, by name. */
  readonly #awaited = new Map<string, Set<LookupRequester>>();
  /**
   * The requests that wait for a turn, by client and name. A map keeps the order in which its keys
   * were set.
   */
  readonly #queued = new Map<number, Map<string, Set<LookupRequester>>>();
  /** Places that each client holds. */
  readonly #held = new Map<number, number>();
  #underWay = 0;

  /** @param most lookups at a time, from 1 */
  constructor(resolve: Resolve, most: number) {
    this.#resolve = resolve;
    this.#most = most;
  }

  /** Lookups that the system is not through with. */
  get underWay(): number {
    return this.#underWay;
  }

  ask(hostname: string, asker: LookupRequester): void {
    const awaited = this.#awaited.get(hostname);
    if (awaited !== undefined) join(awaited, [asker]);
    else if (this.#hasPlace(asker.clientRowId)) this.#begin(hostname, asker.clientRowId, [asker]);
    else this.#queue(hostname, asker);
  }

  /**
   * The requester waits no longer. A lookup that nobody waits for is dropped if it has not begun.
   */
  leave(hostname: string, asker: LookupRequester): void {
    const awaited = this.#awaited.get(hostname);
    if (awaited?.delete(asker) && awaited.size === 0) this.#awaited.delete(hostname);
    const names = this.#queued.get(asker.clientRowId);
    const askers = names?.get(hostname);
    if (!askers?.delete(asker)) return;
    if (askers.size === 0) names!.delete(hostname);
    if (names!.size === 0) this.#queued.delete(asker.clientRowId);
  }

  /** Those that were cancelled before their turn leave at once. */
  sweep(): void {
    for (const names of [...this.#queued.values()]) {
      for (const [hostname, askers] of [...names]) {
        for (const asker of [...askers]) {
          if (!asker.isCancelled()) continue;
          this.leave(hostname, asker);
          asker.failed(LOOKUP_CANCELLED);
        }
      }
    }
  }

  #hasPlace(clientRowId: number): boolean {
    return (this.#held.get(clientRowId) ?? 0) < this.#most - this.#underWay;
  }

  #queue(hostname: string, asker: LookupRequester): void {
    let names = this.#queued.get(asker.clientRowId);
    if (names === undefined) {
      names = new Map();
      this.#queued.set(asker.clientRowId, names);
    }
    const askers = names.get(hostname);
    if (askers === undefined) names.set(hostname, new Set([asker]));
    else askers.add(asker);
  }

  #begin(hostname: string, clientRowId: number, askers: Iterable<LookupRequester>): void {
    const awaited = new Set<LookupRequester>();
    join(awaited, askers);
    if (awaited.size === 0) return;
    this.#awaited.set(hostname, awaited);
    this.#underWay += 1;
    this.#held.set(clientRowId, (this.#held.get(clientRowId) ?? 0) + 1);
    const end = () => {
      if (this.#awaited.get(hostname) === awaited) this.#awaited.delete(hostname);
      this.#end(clientRowId);
    };
    this.#resolve(hostname).then(
      addresses => {
        end();
        for (const asker of awaited) asker.found(addresses);
      },
      error => {
        end();
        for (const asker of awaited) asker.failed(error);
      },
    );
  }

  #end(clientRowId: number): void {
    this.#underWay -= 1;
    const held = this.#held.get(clientRowId)! - 1;
    if (held === 0) this.#held.delete(clientRowId);
    else this.#held.set(clientRowId, held);
    while (this.#next());
  }

  /** One name of the client whose turn it is; that client goes to the end. @returns whether there was one */
  #next(): boolean {
    for (const [clientRowId, names] of this.#queued) {
      if (!this.#hasPlace(clientRowId)) continue;
      const [hostname, askers] = names.entries().next().value!;
      names.delete(hostname);
      this.#queued.delete(clientRowId);
      if (names.size > 0) this.#queued.set(clientRowId, names);
      const awaited = this.#awaited.get(hostname);
      if (awaited === undefined) this.#begin(hostname, clientRowId, askers);
      else join(awaited, askers);
      return true;
    }
    return false;
  }
}

/** Those that were not cancelled. */
function join(awaited: Set<LookupRequester>, askers: Iterable<LookupRequester>): void {
  for (const asker of askers) {
    if (asker.begin()) awaited.add(asker);
    else asker.failed(LOOKUP_CANCELLED);
  }
}
