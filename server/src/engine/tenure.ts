import type { Clock } from '../clock.ts';
import { monotonicMs, type Term } from '../outbound/ticket.ts';
import type { Store } from '../store/store.ts';
import type { EngineEvents } from './events.ts';
import { Loop } from './loop.ts';
import { Steps } from './steps.ts';

const LOOKS_PER_LEASE = 5;

export interface TenureOptions {
  store: Pick<Store, 'queue' | 'outbox' | 'shared'>;
  leaseMs: number;
  term: Term;
  clock: Clock;
  events: EngineEvents;
  /** Renews the leases of what was claimed before that instant and is in flight. */
  renew: (claimedBefore: number) => Promise<unknown>;
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
  /** Set while a step is under way, and after one that failed. */
  #isAway = false;
  #steps: Steps | null = null;
  #patientUntil = Number.NEGATIVE_INFINITY;

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
    this.#options.term.renewed(monotonicMs());
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #step(): Promise<number> {
    const { clock, leaseMs, term } = this.#options;
    const startedAt = monotonicMs();
    // While the database was away nobody could renew: all are given the time to, before anybody
    // takes over.
    if (this.#isAway || (await this.#wasSet())) this.#patientUntil = startedAt + leaseMs;
    this.#isAway = true;
    // What was claimed since then is held to the end of the term as it is.
    await this.#options.renew(clock.now() - leaseMs / LOOKS_PER_LEASE);
    term.renewed(startedAt);
    const now = clock.now();
    if (startedAt >= this.#patientUntil) await this.#takeOver(now);
    this.#isAway = false;
    return now + leaseMs / LOOKS_PER_LEASE;
  }

  /** Whether the store's clock, by which leases end, was set since the last look. */
  async #wasSet(): Promise<boolean> {
    const { store } = this.#options;
    const now = await store.shared!.now();
    const monotonic = monotonicMs();
    this.#steps ??= new Steps(now, monotonic);
    return this.#steps.look(now, monotonic) !== null;
  }

  async #takeOver(now: number): Promise<void> {
    const { store, events } = this.#options;
    const count = (await store.queue.recover(now)) + (await store.outbox.recover(now));
    if (count > 0) {
      events.takenOver(count);
      this.#options.recovered();
    }
  }
}
