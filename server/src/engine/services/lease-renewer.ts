import type { Clock } from '../../clock.ts';
import { type LeaseDeadline, monotonicMs } from '../../outbound/lease-deadline.ts';
import type { Store } from '../../store/contract/store.ts';
import { Loop } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';
import { ClockSteps } from './clock-steps.ts';

const LOOKS_PER_LEASE = 5;

export interface LeaseRenewerOptions {
  store: Pick<Store, 'queue' | 'outbox' | 'cluster'>;
  leaseMs: number;
  leaseDeadline: LeaseDeadline;
  clock: Clock;
  observer: EngineObserver;
  /** Renews the leases of what was claimed before that instant and is in flight. */
  renew: (claimedBefore: number) => Promise<unknown>;
  /** There is something to claim: of another node whose claims it took over, or what waited for this node's renewal. */
  wake: () => void;
}

/**
 * Lease renewer: where nodes share a store, renews the leases of this node's claims, and takes over the claims of nodes
 * that are gone.
 *
 * Guarantee: until the lease deadline, no other node has a claim of this one.
 */
export class LeaseRenewer {
  readonly #options: LeaseRenewerOptions;
  readonly #loop: Loop;
  /** Set while a step is under way, and after one that failed. */
  #isAway = false;
  #steps: ClockSteps | null = null;
  #patientUntil = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseRenewerOptions) {
    const { clock, observer } = options;
    this.#options = options;
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
    );
  }

  /** Claims made before the first renewal hold for one lease, like all others. */
  start(): void {
    this.#options.leaseDeadline.renewed(monotonicMs());
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #step(): Promise<number> {
    const { clock, leaseMs, leaseDeadline } = this.#options;
    const startedAt = monotonicMs();
    // While the database was away no node could renew: each gets one lease of time before anybody takes over.
    if (this.#isAway || (await this.#wasSet())) this.#patientUntil = startedAt + leaseMs;
    this.#isAway = true;
    // Newer claims hold until the lease deadline without a renewal.
    await this.#options.renew(clock.now() - leaseMs / LOOKS_PER_LEASE);
    const wasOver = leaseDeadline.isOver;
    leaseDeadline.renewed(startedAt);
    if (wasOver && !leaseDeadline.isOver) this.#options.wake();
    const now = clock.now();
    if (startedAt >= this.#patientUntil) await this.#takeOver(now);
    this.#isAway = false;
    // A step that was frozen for so long has renewed nothing: until the next one this node could start no request.
    return leaseDeadline.isOver ? now : now + leaseMs / LOOKS_PER_LEASE;
  }

  /** Whether the store's clock was set since the last look. Leases end by that clock. */
  async #wasSet(): Promise<boolean> {
    const { store } = this.#options;
    const now = await store.cluster!.now();
    const monotonic = monotonicMs();
    this.#steps ??= new ClockSteps(now, monotonic);
    return this.#steps.look(now, monotonic) !== null;
  }

  async #takeOver(now: number): Promise<void> {
    const { store, observer } = this.#options;
    const count = (await store.queue.recover(now)) + (await store.outbox.recover(now));
    if (count > 0) {
      observer.takenOver(count);
      this.#options.wake();
    }
  }
}
