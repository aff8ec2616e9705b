import type { Clock } from '../clock.ts';
import { monotonicMs, type Term } from '../outbound/ticket.ts';
import type { Store } from '../store/store.ts';
import type { EngineEvents } from './events.ts';
import { Loop } from './loop.ts';

/** Of a lease: how long this node counts on it. The rest is for the way to the database and back. */
const COUNTED_ON = 0.75;
const LOOKS_PER_LEASE = 5;

export interface TenureOptions {
  store: Pick<Store, 'queue' | 'outbox'>;
  leaseMs: number;
  term: Term;
  clock: Clock;
  events: EngineEvents;
  /** Renews the leases of what is in flight. */
  renew: () => Promise<unknown>;
  /** Told when this node took over what another one had in flight. */
  recovered: () => void;
}

/**
 * Tenure: where several nodes share a store, holds what this one has claimed, and takes over what
 * nodes held that are gone.
 *
 * Guarantee: while the term lasts, nobody else has what this node holds.
 */
export class Tenure {
  readonly #options: TenureOptions;
  readonly #loop: Loop;

  constructor(options: TenureOptions) {
    const { clock, events } = options;
    this.#options = options;
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => events.storeFailed(error),
    );
  }

  /** What was claimed before the first look is held for one lease, like all else. */
  start(): void {
    this.#extend(monotonicMs());
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #step(): Promise<number> {
    const { store, clock, leaseMs, events } = this.#options;
    const startedAt = monotonicMs();
    await this.#options.renew();
    this.#extend(startedAt);
    const now = clock.now();
    const count = (await store.queue.recover(now)) + (await store.outbox.recover(now));
    if (count > 0) {
      events.takenOver(count);
      this.#options.recovered();
    }
    return now + leaseMs / LOOKS_PER_LEASE;
  }

  #extend(startedAt: number): void {
    this.#options.term.extend(startedAt + this.#options.leaseMs * COUNTED_ON);
  }
}
