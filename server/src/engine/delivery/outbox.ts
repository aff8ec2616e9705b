import type { Clock } from '../../clock.ts';
import type { Attempt } from '../../domain/run/run.ts';
import { judge } from '../../domain/run/verdict.ts';
import { type LeaseDeadline, monotonicMs } from '../../outbound/lease-deadline.ts';
import type { Send } from '../../outbound/send.ts';
import { StartPermit } from '../../outbound/start-permit.ts';
import type { OutboxClaim, OutboxSettlement, OutboxStore } from '../../store/contract/queue.ts';
import type { BreakerLog } from '../fairness/breaker-log.ts';
import { ConcurrencyLimits, originOf } from '../fairness/concurrency.ts';
import { Loop, soonest } from '../loop.ts';
import { type EngineObserver, eachOf } from '../observer.ts';
import { isOfDeleted, type Suspensions } from '../services/suspensions.ts';
import { attemptOf, refusedAttempt } from './attempt-record.ts';
import { BatchWriter } from './batch-writer.ts';
import { InFlight } from './in-flight.ts';
import { baseOf, endUnsent, nextOf, recordOf, requestOf, scheduleOf } from './outbox-entry.ts';
import { newCallbacks } from './settlement.ts';

const CLAIM_BATCH = 100;
/** Requests in flight to one host, for one client. */
const MAX_PER_HOST = 50;
/** How much later an entry is due again whose host had no place for it. */
const POSTPONED_MS = 1_000;
/** And for each that was postponed before it, since all that is due was last looked at. */
const POSTPONED_EACH_MS = 10;
/**
 * How soon to look again where all that is due waits for another request of its schedule. Only a
 * net: the end of that request wakes the loop. What is due later than it waits for this look, too.
 */
const LOOK_AGAIN_MS = 250;
/** What is due within so much of each other is looked for together; and where a host has no place for some. */
const TOGETHER_MS = 20;
const TOGETHER_WHERE_FULL_MS = 1_000;

export interface OutboxOptions {
  outbox: OutboxStore;
  send: Send;
  clock: Clock;
  random: () => number;
  observer: EngineObserver;
  maxInFlight: number;
  breakers: BreakerLog;
  /** Where others write to the same store: how often to look whether something is due, ms. */
  pollMs: number | undefined;
  leaseDeadline: LeaseDeadline | undefined;
  suspensions: Pick<Suspensions, 'freeEntries'>;
  /** Told when a manual run's request has ended: its schedule's row may have waited for it. */
  settled: () => void;
}

/**
 * Outbox: sends callbacks and manual runs, by the same send and the same verdict as firings.
 *
 * Guarantee: an entry leaves the outbox only when it has ended for good. Its `webhook-id` is the
 * entry's, the same over all its attempts.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #inFlightEntries: InFlight<OutboxClaim>;
  readonly #writer: BatchWriter<OutboxSettlement>;
  readonly #limits: ConcurrencyLimits;
  readonly #loop: Loop;
  #starved = false;
  #postponed = 0;
  #stopping = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    const { clock, observer, outbox, breakers } = options;
    this.#inFlightEntries = new InFlight();
    this.#limits = new ConcurrencyLimits({ maxPerHost: MAX_PER_HOST, breakers });
    this.#writer = new BatchWriter(clock, observer, {
      async write(settlements) {
        await outbox.settle(settlements);
      },
      writing() {},
      written: () => {
        this.#loop.wake();
        options.settled();
      },
    });
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
      now => this.#inFlightEntries.cancelStale(now),
    );
  }

  get inFlight(): number {
    return this.#inFlightEntries.size;
  }

  start(): void {
    this.#loop.start();
  }

  wake(dueAt?: number): void {
    this.#loop.wake(dueAt);
  }

  /** The schedule was changed: its manual runs that have not started go back, to be looked at anew. */
  cancelSchedule(scheduleId: string): void {
    this.#inFlightEntries.cancelWhere(
      claim => claim.kind === 'manual' && claim.schedule.id === scheduleId,
    );
  }

  /** The clock was set back: what has not started goes back, to be signed anew. */
  cancelAll(): void {
    this.#inFlightEntries.cancelWhere(() => true);
  }

  /** The client signs with other secrets, or is suspended: what has not started goes back, to be claimed anew. */
  cancelClient(clientRowId: number): void {
    this.#inFlightEntries.cancelWhere(claim => claim.clientRowId === clientRowId);
  }

  /** As the dispatcher does, but for all: they are few. */
  async renew(): Promise<void> {
    const inFlight = this.#inFlightEntries.claims.map(({ id }) => id);
    const ended = this.#writer.unwritten.map(({ id }) => id);
    const held = new Set(await this.#options.outbox.renew([...inFlight, ...ended]));
    const lost = new Set(inFlight.filter(id => !held.has(id)));
    this.#inFlightEntries.cancelWhere(({ id }) => lost.has(id));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    // Before the last step ends: what it claims does not start any more.
    void this.#inFlightEntries.stopAll();
    await this.#loop.stop();
    await this.#inFlightEntries.stopAll();
    await this.#writer.drained();
  }

  abandon(): void {
    this.#writer.abandon();
  }

  /** Claims and sends what is due. @returns when it is worth looking again, null: when woken */
  async #step(): Promise<number | null> {
    const { outbox, clock, maxInFlight, suspensions } = this.#options;
    this.#inFlightEntries.expectClaims();
    const limit = Math.min(
      maxInFlight - this.#inFlightEntries.size - this.#writer.pending,
      CLAIM_BATCH,
    );
    this.#starved = limit <= 0 || this.#writer.failing;
    if (this.#starved || this.#stopping) return null;
    const now = clock.now();
    const askedAt = monotonicMs();
    const claims = await outbox.claim(now, limit);
    if (this.#options.leaseDeadline?.isOverSince(askedAt)) {
      for (const claim of claims) this.#settle(this.#giveBack(claim));
      return now;
    }
    const free = await suspensions.freeEntries(claims, claim =>
      this.#settle(this.#giveBack(claim)),
    );
    eachOf(free, scheduleOf, claim => this.#begin(claim), this.#options.observer);
    if (claims.length === limit) return now;
    const togetherMs = this.#postponed > 0 ? TOGETHER_WHERE_FULL_MS : TOGETHER_MS;
    this.#postponed = 0;
    const nextDueAt = await outbox.nextDueAt();
    return soonest(lookAt(nextDueAt, now, togetherMs), now, this.#options.pollMs);
  }

  #begin(claim: OutboxClaim): void {
    const now = this.#options.clock.now();
    if (isOfDeleted(claim)) {
      this.#endUnsent(claim, now);
      return;
    }
    const request = requestOf(claim);
    const clientHost = { clientRowId: claim.clientRowId, origin: originOf(request.url) };
    const host = this.#limits.acquire(
      clientHost,
      this.#options.maxInFlight - this.#inFlightEntries.size,
    );
    if (host === null) {
      this.#settle({
        ...baseOf(claim),
        attempts: claim.attempts,
        next: { dueAt: this.#postponedTo(now) },
      });
      return;
    }
    const refusal = host.breaker.refuses(now);
    if (refusal !== null) {
      this.#limits.release(host, null, now);
      this.#options.observer.refused();
      this.#settle(this.#settlementOf(claim, refusedAttempt(claim.attempt, refusal, now)));
      return;
    }
    const permit = new StartPermit(this.#options.leaseDeadline);
    const entry = { id: claim.id, claim, permit, signedAt: claim.claimedAt };
    request.clientRowId = claim.clientRowId;
    request.permit = permit;
    this.#inFlightEntries.add(entry);
    void this.#options.send(request).then(result => {
      this.#inFlightEntries.remove(entry);
      const ended = result.outcome === 'cancelled' ? null : result.outcome;
      this.#limits.release(host, ended, this.#options.clock.now());
      if (ended === null) {
        this.#settle(this.#giveBack(claim));
        return;
      }
      const { observer } = this.#options;
      observer.attemptEnded(claim.kind, ended, result.durationMs, scheduleOf(claim));
      const attempt = attemptOf(claim.attempt, result);
      eachOf([claim], scheduleOf, () => this.#settle(this.#settlementOf(claim, attempt)), observer);
    });
  }

  #endUnsent(claim: OutboxClaim, now: number): void {
    const { observer } = this.#options;
    if (claim.kind === 'callback') {
      observer.callbackEnded('failed', claim.runId);
      this.#settle({ ...baseOf(claim), attempts: claim.attempts, next: 'failed' });
      return;
    }
    const unsent = endUnsent(claim, now);
    if (unsent.record.status === 'failed') observer.runEnded(claim.schedule.id, unsent.record);
    else observer.passed(claim.schedule.id, unsent.record);
    this.#settle(unsent);
  }

  /** The more there are, the later: they are not to be looked at all the time. */
  #postponedTo(now: number): number {
    this.#postponed += 1;
    return now + POSTPONED_MS + this.#postponed * POSTPONED_EACH_MS;
  }

  /** Not started: due again at once, and a deleted schedule's run is ended by the next look. */
  #giveBack(claim: OutboxClaim): OutboxSettlement {
    return { ...baseOf(claim), attempts: claim.attempts, next: { dueAt: claim.claimedAt } };
  }

  #settlementOf(claim: OutboxClaim, attempt: Attempt): OutboxSettlement {
    const now = this.#options.clock.now();
    const attempts = [...claim.attempts, attempt];
    const policy = claim.kind === 'manual' ? claim.schedule.policy : undefined;
    const nextFor = claim.kind === 'manual' ? nextOf(claim, now) : null;
    const verdict = judge(attempts, policy, now, nextFor, this.#options.random());
    if (verdict.kind === 'retry') {
      return { ...baseOf(claim), attempts, next: { dueAt: verdict.at } };
    }
    const ended = { ...baseOf(claim), attempts, next: verdict.kind };
    if (claim.kind === 'callback') {
      this.#options.observer.callbackEnded(verdict.kind, claim.runId);
      return ended;
    }
    const record = recordOf(claim, attempts, verdict, now);
    this.#options.observer.runEnded(claim.schedule.id, record);
    return { ...ended, record, callbacks: newCallbacks(claim.schedule, record, now) };
  }

  #settle(settlement: OutboxSettlement): void {
    this.#writer.add(settlement);
    if (this.#starved) this.#loop.wake();
  }
}

function lookAt(nextDueAt: number | null, now: number, togetherMs: number): number | null {
  if (nextDueAt === null) return null;
  return Math.max(nextDueAt, now + (nextDueAt <= now ? LOOK_AGAIN_MS : togetherMs));
}
