import { SIGNED_FOR_MS } from '../../outbound/signature.ts';
import type { StartPermit } from '../../outbound/start-permit.ts';

export interface InFlightEntry<Claim> {
  id: string;
  claim: Claim;
  permit: StartPermit;
  /** When its request was signed, epoch ms; null before that. */
  signedAt: number | null;
}

/** How often to look for requests that have waited for a connection for too long. */
const LOOK_FOR_STALE_MS = 1_000;

/** Holds an entry until it has ended. A map keeps references to removed values in its old tables. */
interface Holder<One> {
  entry: One | null;
}

/** The claims that have not ended, each with the start permit of its request. */
export class InFlight<Claim, One extends InFlightEntry<Claim> = InFlightEntry<Claim>> {
  readonly #holders = new Map<string, Holder<One>>();
  readonly #cancelled: (entry: One) => void;
  #isStopped = false;
  #lookedForStaleAt = Number.NEGATIVE_INFINITY;
  /** Cancellations that came while claims were on their way here. */
  #cancellations: ((entry: One) => boolean)[] = [];
  #onEmpty = () => {};

  /** @param cancelled told of each entry that is cancelled */
  constructor(cancelled: (entry: One) => void = () => {}) {
    this.#cancelled = cancelled;
  }

  get size(): number {
    return this.#holders.size;
  }

  get claims(): Claim[] {
    return this.#entries.map(({ claim }) => claim);
  }

  find(id: string): One | undefined {
    return this.#holders.get(id)?.entry ?? undefined;
  }

  /** The store is asked for claims: cancellations from here on may concern claims that are on their way. */
  expectClaims(): void {
    this.#cancellations = [];
  }

  /**
   * An older entry of the same id was taken over and claimed again: it is cancelled.
   *
   * @returns false where it was cancelled on its way here
   */
  add(entry: One): boolean {
    const { id, permit } = entry;
    const before = this.find(id);
    if (before) this.#cancel(before);
    this.#holders.set(id, { entry: entry });
    const isRecalled = this.#isStopped || this.#cancellations.some(isMeant => isMeant(entry));
    if (isRecalled) permit.cancel();
    return !isRecalled;
  }

  /** Does not touch a newer entry of the same id. */
  remove(entry: One): void {
    const holder = this.#holders.get(entry.id);
    if (holder?.entry === entry) {
      holder.entry = null;
      this.#holders.delete(entry.id);
    }
    if (this.#holders.size === 0) this.#onEmpty();
  }

  /** Its request does not start, unless it has already. */
  cancel(id: string): void {
    this.#cancellations.push(other => other.id === id);
    const entry = this.find(id);
    if (entry) this.#cancel(entry);
  }

  cancelWhere(isMeant: (entry: One) => boolean): void {
    this.#cancellations.push(isMeant);
    for (const entry of this.#entries) if (isMeant(entry)) this.#cancel(entry);
  }

  /** Cancels requests whose signature is old because they waited for a connection. Looks once a second. */
  cancelStale(now: number): void {
    if (Math.abs(now - this.#lookedForStaleAt) < LOOK_FOR_STALE_MS) return;
    this.#lookedForStaleAt = now;
    const before = now - SIGNED_FOR_MS;
    for (const entry of this.#entries) {
      if (entry.signedAt !== null && entry.signedAt < before) this.#cancel(entry);
    }
  }

  /** No request starts any more. Resolves when all have ended. */
  async stopAll(): Promise<void> {
    this.#isStopped = true;
    this.cancelWhere(() => true);
    if (this.#holders.size === 0) return;
    await new Promise<void>(resolve => {
      this.#onEmpty = resolve;
    });
  }

  /** A request that has started and is not written yet never is. */
  abandon(): void {
    for (const { permit } of this.#entries) permit.abandon();
  }

  get #entries(): One[] {
    return Array.from(this.#holders.values(), ({ entry }) => entry!);
  }

  #cancel(entry: One): void {
    entry.permit.cancel();
    this.#cancelled(entry);
  }
}
