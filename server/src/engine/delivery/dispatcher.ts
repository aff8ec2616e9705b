import type { Clock } from '../../clock.ts';
import { decide, type Move } from '../../domain/run/queue.ts';
import { type LeaseDeadline, monotonicMs } from '../../outbound/lease-deadline.ts';
import type { Claim, QueueStore } from '../../store/contract/queue.ts';
import { Loop, soonest } from '../loop.ts';
import { type EngineObserver, eachOf, tellMove } from '../observer.ts';
import type { ClockWatch } from '../services/clock-watch.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import type { Recounter } from '../services/recounter.ts';
import type { Suspensions } from '../services/suspensions.ts';
import type { Wake } from '../wake.ts';
import type { Completer } from './completer.ts';
import type { Executor } from './executor.ts';
import { type CheckedClaim, resend, withKnown } from './known-times.ts';
import { settlementOf } from './settlement.ts';

/** One claim is one commit, and waits for others: enough rows to share it. */
const CLAIM_BATCH = 1_000;
/** If nodes share the store: a row that one node takes is out of reach of the others. */
const SHARED_CLAIM_BATCH = 500;
/** The executor takes this many claims between two turns of the event loop, so that callers of the API do not wait. */
const HAND_OVER_BATCH = 100;
/** The first claim of a burst is small, so that its first request leaves soon. */
const FIRST_BATCH = 100;
/** Rows are claimed at most this long before their time, so that at their time only sending is left. */
const AHEAD_MS = 1_000;
/**
 * The dispatcher claims at this distance from the earliest row, and takes all rows up to `AHEAD_MS` with it. To claim
 * 20,000 rows of one client takes half a second, and another client's row of the same instant may be the last of them.
 */
const LEAD_MS = 800;
/** While some clients have their share: how often to look for the firings of the others. */
const LOOK_FOR_OTHERS_MS = 250;

export interface DispatcherOptions {
  queue: QueueStore;
  clock: Clock;
  observer: EngineObserver;
  /** How often to look for due rows, ms. Set where nodes share the store. */
  pollMs: number | undefined;
  /** Until when this node holds its claims. Set where nodes share the store. */
  leaseDeadline: LeaseDeadline | undefined;
  downtime: DowntimeDetector;
  clockWatch: ClockWatch;
  recounter: Pick<Recounter, 'checksFrom'>;
  suspensions: Pick<Suspensions, 'free'>;
  executor: Executor;
  completer: Completer;
  wake: Wake;
}

/**
 * Dispatcher: claims the rows of the queue a little ahead of their time, and hands them to the executor.
 *
 * Guarantee: every claimed firing is settled once. A target may still be called twice: if this
 * process dies after sending and before settling, the row is due again (docs/lifecycle.md, "lost").
 * Decides nothing: `domain/run/queue.ts` and `domain/run/verdict.ts` turn outcomes into moves.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #loop: Loop;
  #starved = false;
  /** Clients that had their share at the last look: none of theirs were claimed. */
  #saturated: number[] = [];
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, observer, clockWatch } = options;
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
      now => clockWatch.look(now),
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

  /** Something is due at `dueAt` (epoch ms), or now. */
  wake(dueAt?: number): void {
    this.#loop.wake(dueAt === undefined ? undefined : dueAt - LEAD_MS);
  }

  /** Slots are free again: claims that did not fit may fit now. */
  roomFreed(): void {
    const isRelieved =
      this.#saturated.length > 0 &&
      this.#options.executor.saturatedClients().length < this.#saturated.length;
    if (this.#starved || isRelieved) this.#loop.wake();
  }

  async #step(): Promise<number | null> {
    const { queue, clock, pollMs, leaseDeadline, suspensions } = this.#options;
    const { executor, completer, clockWatch, downtime } = this.#options;
    executor.expectFirings();
    const batch = leaseDeadline === undefined ? CLAIM_BATCH : SHARED_CLAIM_BATCH;
    const limit = Math.min(executor.isIdle ? FIRST_BATCH : batch, executor.capacityLeft);
    this.#starved = limit <= 0 || completer.isQueueFailing;
    if (this.#starved || this.#stopping) return null;
    const now = clock.now();
    clockWatch.look(now);
    await downtime.agreed();
    const askedAt = monotonicMs();
    this.#saturated = executor.saturatedClients();
    const mayBeSent = this.#options.recounter.checksFrom <= now + AHEAD_MS;
    // Then none of them begins before it is looked up.
    const unseenUntil = mayBeSent ? Number.MAX_SAFE_INTEGER : downtime.unseenUntil;
    const taken = await queue.claim(now, limit, unseenUntil, AHEAD_MS, this.#saturated);
    const { claims, nextDueAt } = taken;
    if (leaseDeadline?.isOverSince(askedAt)) {
      for (const claim of claims) completer.giveBack(claim);
      return now;
    }
    const free = await suspensions.free(claims, claim => completer.giveBack(claim));
    await this.#executeAll(free.filter(claim => claim.begun));
    await this.#decide(
      free.filter(claim => !claim.begun),
      mayBeSent,
    );
    if (claims.length === limit) return now;
    if (this.#saturated.length > 0) return now + LOOK_FOR_OTHERS_MS;
    return soonest(lookAt(nextDueAt, now), now, pollMs);
  }

  async #executeAll(claims: Claim[]): Promise<void> {
    for (let at = 0; at < claims.length; at += HAND_OVER_BATCH) {
      if (at > 0) await new Promise(setImmediate);
      this.#options.executor.executeFirings(claims.slice(at, at + HAND_OVER_BATCH));
    }
  }

  /** Rows whose time passed unseen, whose schedule changed, or that a manual run blocks. */
  async #decide(taken: Claim[], mayBeSent: boolean): Promise<void> {
    if (taken.length === 0) return;
    const { queue, clock, observer, downtime, completer } = this.#options;
    // A lost attempt is told by the instant of its claim: no time that came after it may begin here.
    const now = Math.min(taken[0]!.claimedAt, clock.now());
    const claims: CheckedClaim[] = mayBeSent ? await withKnown(queue, taken, now) : taken;
    const decided = eachOf(
      claims,
      ({ schedule }) => schedule.id,
      claim => ({ claim, move: decide(claim, claim.schedule, now, downtime.unseen) }),
      observer,
    );
    try {
      const settlements = decided.map(({ claim, move }) => settlementOf(claim, move, now));
      const overtaken = new Set(await queue.settle(settlements));
      for (const { claim, move } of decided) {
        if (overtaken.has(claim.scheduleRowId)) completer.giveBack(claim);
        else this.#decided(claim, move);
      }
      await resend(
        queue,
        decided.filter(({ claim }) => !overtaken.has(claim.scheduleRowId)),
      );
    } catch (error) {
      // They are claimed, and nobody else will look at them: they are given back.
      for (const { claim } of decided) completer.giveBack(claim);
      throw error;
    }
  }

  #decided(claim: Claim, move: Move): void {
    const { observer, executor, wake } = this.#options;
    tellMove(move, claim.schedule.id, observer);
    if (move.row?.state === 'inFlight') {
      executor.executeFirings([{ ...claim, ...move.row, begun: true, changedAt: null }]);
    } else if (move.row) {
      this.wake(move.row.dueAt);
    }
    if (move.ended) wake.outbox();
  }
}

/** When to claim again. A row within reach that the claim left has to wait for its time. */
function lookAt(nextDueAt: number | null, now: number): number | null {
  if (nextDueAt === null || nextDueAt <= now + AHEAD_MS) return nextDueAt;
  return nextDueAt - LEAD_MS;
}
