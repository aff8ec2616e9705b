import type { Clock } from '../../clock.ts';
import { loadVersions, unknownVersions } from '../../domain/calendar/load-calendars.ts';
import { decide, type Move, notBegun } from '../../domain/run/queue.ts';
import type { Unseen } from '../../domain/run/unseen.ts';
import { type LeaseDeadline, monotonicMs } from '../../outbound/lease-deadline.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type { Claim, QueueStore } from '../../store/contract/queue.ts';
import type { RunStore } from '../../store/contract/runs.ts';
import type { Throttles } from '../fairness/throttles.ts';
import type { Identities } from '../identity/identities.ts';
import { Loop, soonest } from '../loop.ts';
import { type EngineObserver, eachOf, tellMove } from '../observer.ts';
import type { ClockWatch } from '../services/clock-watch.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import type { Recounter } from '../services/recounter.ts';
import type { Suspensions } from '../services/suspensions.ts';
import type { Wake } from '../wake.ts';
import { maySay } from './awaited.ts';
import { unblockEnded, withAwaited } from './behind-manual.ts';
import type { Completer } from './completer.ts';
import type { Executor } from './executor.ts';
import { resend, withKnown } from './known-times.ts';
import { namingPrevious, readPrevious } from './previous-runs.ts';
import { settlementOf } from './settlement.ts';
import { forgetSkipped } from './taken-back.ts';
import { TakenClaims } from './taken-claims.ts';

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
  calendars: Pick<CalendarStore, 'versions'>;
  runs: Pick<RunStore, 'previous'>;
  clock: Clock;
  observer: EngineObserver;
  /** How often to look for due rows, ms. Set where nodes share the store. */
  pollMs: number | undefined;
  /** Until when this node holds its claims. Set where nodes share the store. */
  leaseDeadline: LeaseDeadline | undefined;
  downtime: DowntimeDetector;
  clockWatch: ClockWatch;
  recounter: Pick<Recounter, 'checksFrom' | 'during'>;
  identities: Pick<Identities, 'load'>;
  suspensions: Pick<Suspensions, 'sift'>;
  throttles: Pick<Throttles, 'whyHeldBack'>;
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
    const { queue, clock, pollMs, leaseDeadline } = this.#options;
    const { executor, completer, clockWatch, downtime } = this.#options;
    executor.expectFirings();
    const batch = leaseDeadline === undefined ? CLAIM_BATCH : SHARED_CLAIM_BATCH;
    const limit = Math.min(executor.isIdle ? FIRST_BATCH : batch, executor.capacityLeft);
    this.#starved = limit <= 0 || completer.isQueueFailing;
    if (this.#starved || this.#stopping) return null;
    // Its claims would go back unsent, and the others could not have them meanwhile. The next renewal wakes it.
    if (leaseDeadline?.isOver) return null;
    const now = clock.now();
    clockWatch.look(now);
    await downtime.agreed();
    const askedAt = monotonicMs();
    this.#saturated = executor.saturatedClients();
    const mayBeSent = this.#mayBeSent(now);
    // Then none of them begins before it is looked up.
    const unseenUntil = mayBeSent ? Number.MAX_SAFE_INTEGER : downtime.unseenUntil;
    const taken = await queue.claim(now, limit, unseenUntil, AHEAD_MS, this.#saturated);
    const { claims, nextDueAt } = taken;
    const giveBack = (claim: Claim) => completer.giveBack(claim);
    // The clock was set back meanwhile: rows may have been moved back to times that were sent.
    const isSetBack = !mayBeSent && this.#mayBeSent(now);
    if (isSetBack || leaseDeadline?.isOverSince(askedAt)) {
      claims.forEach(giveBack);
      return now;
    }
    await TakenClaims.during(claims, giveBack, held => this.#handOn(held, claims, mayBeSent));
    if (claims.length === limit) return now;
    if (this.#saturated.length > 0) return now + LOOK_FOR_OTHERS_MS;
    return soonest(lookAt(nextDueAt, now), now, pollMs);
  }

  /** Whether times that a claim at `now` takes may have been sent before the clock was set back. */
  #mayBeSent(now: number): boolean {
    return this.#options.recounter.checksFrom <= now + AHEAD_MS;
  }

  async #handOn(held: TakenClaims<Claim>, claims: Claim[], mayBeSent: boolean): Promise<void> {
    const { suspensions, identities } = this.#options;
    const { free, putOff } = await suspensions.sift(this.#withoutAwaited(held, claims));
    held.passAll(putOff);
    await identities.load(free);
    await this.#executeAll(
      held,
      free.filter(claim => claim.begun),
    );
    const taken = free.filter(claim => !claim.begun);
    if (taken.length > 0)
      await this.#options.recounter.during(() => this.#decide(held, taken, mayBeSent));
  }

  /**
   * Runs that await their completion are decided about. No request starts with that, so a suspended client's run ends as
   * well.
   *
   * @returns the other claims
   */
  #withoutAwaited(held: TakenClaims<Claim>, claims: Claim[]): Claim[] {
    if (!claims.some(isAwaited)) return claims;
    const { awaited = [], others = [] } = Object.groupBy(claims, claim =>
      isAwaited(claim) ? 'awaited' : 'others',
    );
    for (const claim of awaited) this.#options.completer.lookAtAwaited(held.pass(claim));
    return others;
  }

  async #executeAll(held: TakenClaims<Claim>, claims: Claim[]): Promise<void> {
    for (let at = 0; at < claims.length; at += HAND_OVER_BATCH) {
      if (at > 0) await new Promise(setImmediate);
      const batch = claims.slice(at, at + HAND_OVER_BATCH);
      const naming = namingPrevious(batch);
      // Their requests cannot be built before it is there.
      if (naming !== null) await readPrevious(this.#options.runs, naming);
      this.#options.executor.executeFirings(held.passAll(batch));
    }
  }

  /** Rows whose time passed unseen, whose schedule changed, or that a manual run blocks. */
  async #decide(held: TakenClaims<Claim>, taken: Claim[], mayBeSent: boolean): Promise<void> {
    const { queue, calendars, clock, observer, completer } = this.#options;
    const unknown = unknownVersions(taken, scheduleOf);
    if (unknown !== null) await loadVersions(calendars, unknown);
    // A lost attempt is told by the instant of its claim: no time that came after it may begin here.
    const now = Math.min(taken[0]!.claimedAt, clock.now());
    const blocked = await withAwaited(queue, taken);
    const { unseenUntil } = this.#options.downtime;
    const claims = await withKnown(queue, blocked, now, { unseenUntil, mayBeSent });
    const decided = eachOf(
      claims,
      ({ schedule }) => schedule.id,
      claim => ({ claim, move: decide(claim, claim.schedule, now, this.#unseenOf(claim)) }),
      observer,
      claim => completer.setAside(held.pass(claim)),
    );
    await forgetSkipped(queue, taken, now);
    // The store may have been slow, and a run that its target asked for may have ended since: the schedule completes after it.
    const writtenAt = Math.max(now, clock.now());
    const settlements = decided.map(({ claim, move }) => settlementOf(claim, move, now, writtenAt));
    const overtaken = new Set(await queue.settle(settlements));
    const moved = decided.filter(({ claim }) => !overtaken.has(claim.scheduleRowId));
    const begun = moved.flatMap(({ claim, move }) => this.#moved(held, claim, move));
    await resend(queue, moved);
    if (await unblockEnded(queue, moved)) this.wake();
    // Callbacks may be due, and a manual run may have its turn.
    this.#options.wake.outbox();
    await this.#executeAll(held, begun);
  }

  /** The times that passed unseen, and why others have not begun. */
  #unseenOf({ clientRowId, schedule, scheduledFor }: Claim): Unseen {
    const { downtime, throttles } = this.#options;
    const name = schedule.delivery?.destination;
    if (name === undefined) return downtime.unseen;
    const busy = throttles.whyHeldBack(clientRowId, name, scheduledFor);
    return busy === null ? downtime.unseen : { ...downtime.unseen, busy };
  }

  /** @returns the claim as it begins, if it does */
  #moved(held: TakenClaims<Claim>, claim: Claim, move: Move): Claim[] {
    const { row } = move;
    tellMove(move, claim.schedule.id, this.#options.observer);
    if (row?.state === 'inFlight') {
      const begun = { ...claim, ...row, was: notBegun(row.attempts), begun: true, changedAt: null };
      held.update(begun);
      return [begun];
    }
    held.pass(claim);
    if (row) this.wake(row.dueAt);
    return [];
  }
}

const scheduleOf = ({ schedule }: Claim) => schedule;
const isAwaited = (claim: Claim) => maySay(claim, null);

/** When to claim again. A row within reach that the claim left has to wait for its time. */
function lookAt(nextDueAt: number | null, now: number): number | null {
  if (nextDueAt === null || nextDueAt <= now + AHEAD_MS) return nextDueAt;
  return nextDueAt - LEAD_MS;
}
