import type { Clock } from '../../clock.ts';
import { loadVersions, unknownVersions } from '../../domain/calendar/load-calendars.ts';
import { endsFurtherRuns } from '../../domain/schedule/service-change.ts';
import { type LeaseDeadline, monotonicMs } from '../../outbound/lease-deadline.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type { CompletionStore } from '../../store/contract/completions.ts';
import type { ManualClaim, OutboxClaim, OutboxStore } from '../../store/contract/queue.ts';
import type { RunStore } from '../../store/contract/runs.ts';
import type { Identities } from '../identity/identities.ts';
import { Loop, soonest } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';
import { isOfDeleted, type Suspensions } from '../services/suspensions.ts';
import { isAwaited, saidOf } from './awaited.ts';
import type { Completer } from './completer.ts';
import type { Executor } from './executor.ts';
import { namingPrevious, readPrevious } from './previous-runs.ts';
import { TakenClaims } from './taken-claims.ts';

const CLAIM_BATCH = 100;
/** Most claims that wait here for a slot. One client has at most as many as are left for the others. */
const MAX_WAITING = 200;
/** How much later a row is due again if its client already has its share of waiting claims. */
const POSTPONED_MS = 1_000;
/** This much is added for each row that was postponed before it in the same pass. */
const POSTPONED_EACH_MS = 10;
/**
 * How soon to look again while all due rows wait for another run of their schedule. This is only a safety net: the end of
 * that run wakes the loop. Each look that finds nothing doubles it, up to a bound, for a run may await its completion for
 * days.
 */
const LOOK_AGAIN_MS = 250;
const MOST_LOOK_AGAIN_MS = 30_000;
/** Rows that are due within this time of each other are claimed together. The second value counts after a postponement. */
const TOGETHER_MS = 20;
const TOGETHER_WHERE_FULL_MS = 1_000;

export interface OutboxOptions {
  outbox: OutboxStore;
  completions: Pick<CompletionStore, 'of'>;
  calendars: Pick<CalendarStore, 'versions'>;
  runs: Pick<RunStore, 'previous'>;
  clock: Clock;
  observer: EngineObserver;
  /** How often to look for due rows, ms. Set where nodes share the store. */
  pollMs: number | undefined;
  leaseDeadline: LeaseDeadline | undefined;
  identities: Pick<Identities, 'load' | 'secretsToward'>;
  suspensions: Pick<Suspensions, 'siftEntries'>;
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
  /** Whether something is likely to be due. Else the next step looks before it claims: that costs a tenth. */
  #isExpected = true;
  #postponed = 0;
  #lookAgainMs = LOOK_AGAIN_MS;
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

  /** Something is due. */
  wake(): void {
    this.#isExpected = true;
    this.#loop.wake();
  }

  /** Something may be due. */
  look(): void {
    this.#loop.wake();
  }

  /** Slots are free again: claims that did not fit may fit now. */
  roomFreed(): void {
    if (this.#starved) this.#loop.wake();
  }

  /** Claims what is due. @returns when it is worth looking again, null: when woken */
  async #step(): Promise<number | null> {
    const { outbox, clock, executor, completer, leaseDeadline } = this.#options;
    executor.expectOutboxJobs();
    const room = MAX_WAITING - total(executor.waitingOfOutbox());
    this.#starved = room <= 0 || completer.isOutboxFailing;
    // As in the dispatcher: its claims could not start.
    if (this.#starved || this.#stopping || leaseDeadline?.isOver) return null;
    const limit = Math.min(CLAIM_BATCH, room);
    const now = clock.now();
    const isExpected = this.#isExpected;
    this.#isExpected = false;
    if (!isExpected) {
      const dueAt = await outbox.nextDueAt();
      if (!isDue(dueAt, now)) return this.#sleepUntil(dueAt, now);
    }
    const askedAt = monotonicMs();
    const claims = await outbox.claim(now, limit);
    const giveBack = (claim: OutboxClaim) => completer.giveBack(claim);
    if (leaseDeadline?.isOverSince(askedAt)) {
      claims.forEach(giveBack);
      return now;
    }
    await TakenClaims.during(claims, giveBack, held => this.#handOn(held, claims));
    if (claims.length === limit) return now;
    if (claims.length > 0) this.#lookAgainMs = LOOK_AGAIN_MS;
    return this.#sleepUntil(await outbox.nextDueAt(), now);
  }

  /** @param dueAt of the next row. Rows that are due already wait for another run */
  async #sleepUntil(dueAt: number | null, now: number): Promise<number | null> {
    const { outbox, pollMs } = this.#options;
    const togetherMs = this.#postponed > 0 ? TOGETHER_WHERE_FULL_MS : TOGETHER_MS;
    this.#postponed = 0;
    const together = (at: number | null) => (at === null ? null : Math.max(at, now + togetherMs));
    if (!isDue(dueAt, now)) {
      this.#lookAgainMs = LOOK_AGAIN_MS;
      return soonest(together(dueAt), now, pollMs);
    }
    const againAt = now + this.#lookAgainMs;
    this.#lookAgainMs = Math.min(this.#lookAgainMs * 2, MOST_LOOK_AGAIN_MS);
    const later = together(await outbox.nextDueAt(now));
    return soonest(Math.min(againAt, later ?? againAt), now, pollMs);
  }

  async #handOn(held: TakenClaims<OutboxClaim>, claims: OutboxClaim[]): Promise<void> {
    const { calendars, identities, runs, suspensions } = this.#options;
    const awaited = claims.filter(isAwaited);
    const rest = awaited.length === 0 ? claims : claims.filter(claim => !isAwaited(claim));
    // The retries of a manual run give way to its schedule's next time, which its calendars may move.
    const unknown = unknownVersions(claims, scheduleOf);
    if (unknown !== null) await loadVersions(calendars, unknown);
    await identities.load(claims);
    const naming = namingPrevious(rest);
    if (naming !== null) await readPrevious(runs, naming);
    if (awaited.length > 0) await this.#decideAwaited(held, awaited);
    const { free, putOff } = await suspensions.siftEntries(rest);
    held.passAll(putOff);
    this.#execute(held, free);
  }

  /** Nothing of them starts: a suspended client's run ends as well. */
  async #decideAwaited(held: TakenClaims<OutboxClaim>, claims: ManualClaim[]): Promise<void> {
    const { completer } = this.#options;
    const said = await saidOf(this.#options, claims);
    for (const claim of claims) completer.decideAwaited(held.pass(claim), said);
  }

  /** Those that find room become jobs. */
  #execute(held: TakenClaims<OutboxClaim>, claims: OutboxClaim[]): void {
    const { executor, completer, clock } = this.#options;
    const waiting = executor.waitingOfOutbox();
    let left = MAX_WAITING - total(waiting);
    const taken: OutboxClaim[] = [];
    for (const claim of claims) {
      const ofClient = waiting.get(claim.clientRowId) ?? 0;
      if (isOfDeleted(claim) || isDropped(claim, clock.now())) {
        completer.endUnsent(held.pass(claim));
      } else if (ofClient >= left) {
        completer.giveBack(held.pass(claim), this.#postponedTo(clock.now()));
      } else {
        taken.push(claim);
        waiting.set(claim.clientRowId, ofClient + 1);
        left -= 1;
      }
    }
    executor.executeOutboxJobs(held.passAll(taken));
  }

  /** The more there are, the later: they are not to be looked at all the time. */
  #postponedTo(now: number): number {
    this.#postponed += 1;
    return now + POSTPONED_MS + this.#postponed * POSTPONED_EACH_MS;
  }
}

function isDue(dueAt: number | null, now: number): boolean {
  return dueAt !== null && dueAt <= now;
}

/** A run that the target asked for does not come where its schedule was paused or disabled since. */
function isDropped(claim: OutboxClaim, now: number): boolean {
  if (claim.kind === 'callback' || claim.trigger !== 'target') return false;
  return claim.isDropped || endsFurtherRuns(claim.schedule, now);
}

const PLAIN = {};
const scheduleOf = (claim: OutboxClaim) => (claim.kind === 'manual' ? claim.schedule : PLAIN);

function total(counts: Map<number, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}
