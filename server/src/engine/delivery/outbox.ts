import type { Clock } from '../../clock.ts';
import { type LeaseDeadline, monotonicMs } from '../../outbound/lease-deadline.ts';
import type { OutboxClaim, OutboxStore } from '../../store/contract/queue.ts';
import { Loop, soonest } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';
import { isOfDeleted, type Suspensions } from '../services/suspensions.ts';
import type { Completer } from './completer.ts';
import type { Executor } from './executor.ts';

const CLAIM_BATCH = 100;
/** Most claims that wait here for a slot. One client has at most as many as are left for the others. */
const MAX_WAITING = 200;
/** How much later a row is due again if its client already has its share of waiting claims. */
const POSTPONED_MS = 1_000;
/** This much is added for each row that was postponed before it in the same pass. */
const POSTPONED_EACH_MS = 10;
/**
 * How soon to look again while all due rows wait for another request of their schedule. This is only a safety net: the
 * end of that request wakes the loop. Rows that are due in between wait for this look, too.
 */
const LOOK_AGAIN_MS = 250;
/** Rows that are due within this time of each other are claimed together. The second value counts after a postponement. */
const TOGETHER_MS = 20;
const TOGETHER_WHERE_FULL_MS = 1_000;

export interface OutboxOptions {
  outbox: OutboxStore;
  clock: Clock;
  observer: EngineObserver;
  /** How often to look for due rows, ms. Set where nodes share the store. */
  pollMs: number | undefined;
  leaseDeadline: LeaseDeadline | undefined;
  suspensions: Pick<Suspensions, 'freeEntries'>;
  executor: Executor;
  completer: Completer;
}

/**
 * Outbox: claims callbacks and manual runs that are due, and hands them to the executor.
 *
 * Guarantee: a row leaves the outbox only when it has ended for good. Its `webhook-id` is the row's own, the same over all
 * its attempts.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #loop: Loop;
  #starved = false;
  #postponed = 0;
  #stopping = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    const { clock, observer } = options;
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
    );
  }

  start(): void {
    this.#loop.start();
  }

  /** Claims nothing more. Resolves when the last claim has been handed on. */
  stop(): Promise<void> {
    this.#stopping = true;
    return this.#loop.stop();
  }

  wake(dueAt?: number): void {
    this.#loop.wake(dueAt);
  }

  /** Slots are free again: claims that did not fit may fit now. */
  roomFreed(): void {
    if (this.#starved) this.#loop.wake();
  }

  /** Claims what is due. @returns when it is worth looking again, null: when woken */
  async #step(): Promise<number | null> {
    const { outbox, clock, executor, completer, suspensions } = this.#options;
    executor.expectOutboxJobs();
    const room = MAX_WAITING - total(executor.waitingOfOutbox());
    this.#starved = room <= 0 || completer.isOutboxFailing;
    if (this.#starved || this.#stopping) return null;
    const limit = Math.min(CLAIM_BATCH, room);
    const now = clock.now();
    const askedAt = monotonicMs();
    const claims = await outbox.claim(now, limit);
    if (this.#options.leaseDeadline?.isOverSince(askedAt)) {
      for (const claim of claims) completer.giveBack(claim);
      return now;
    }
    this.#handOn(await suspensions.freeEntries(claims, claim => completer.giveBack(claim)));
    if (claims.length === limit) return now;
    const togetherMs = this.#postponed > 0 ? TOGETHER_WHERE_FULL_MS : TOGETHER_MS;
    this.#postponed = 0;
    const nextDueAt = await outbox.nextDueAt();
    return soonest(lookAt(nextDueAt, now, togetherMs), now, this.#options.pollMs);
  }

  #handOn(claims: OutboxClaim[]): void {
    const { executor, completer, clock } = this.#options;
    const waiting = executor.waitingOfOutbox();
    let left = MAX_WAITING - total(waiting);
    const taken: OutboxClaim[] = [];
    for (const claim of claims) {
      const ofClient = waiting.get(claim.clientRowId) ?? 0;
      if (isOfDeleted(claim)) completer.endUnsent(claim);
      else if (ofClient >= left) completer.giveBack(claim, this.#postponedTo(clock.now()));
      else {
        taken.push(claim);
        waiting.set(claim.clientRowId, ofClient + 1);
        left -= 1;
      }
    }
    executor.executeOutboxJobs(taken);
  }

  /** The more there are, the later: they are not to be looked at all the time. */
  #postponedTo(now: number): number {
    this.#postponed += 1;
    return now + POSTPONED_MS + this.#postponed * POSTPONED_EACH_MS;
  }
}

function total(counts: Map<number, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}

function lookAt(nextDueAt: number | null, now: number, togetherMs: number): number | null {
  if (nextDueAt === null) return null;
  return Math.max(nextDueAt, now + (nextDueAt <= now ? LOOK_AGAIN_MS : togetherMs));
}
