import type { Clock } from '../../clock.ts';
import { mayBegin } from '../../domain/run/queue-row.ts';
import type { Outcome } from '../../domain/run/run.ts';
import type { LeaseDeadline } from '../../outbound/lease-deadline.ts';
import type { Send } from '../../outbound/send.ts';
import type { EngineLock } from '../../store/contract/engine-lock.ts';
import type { Claim, QueueStore } from '../../store/contract/queue.ts';
import type { BreakerLog } from '../fairness/breaker-log.ts';
import { ConcurrencyLimits } from '../fairness/concurrency.ts';
import { type EngineObserver, eachOf } from '../observer.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import { SentWatermark } from '../services/sent-watermark.ts';
import { attemptOf, refusedAttempt } from './attempt-record.ts';
import type { Completer } from './completer.ts';
import { DueQueue } from './due-queue.ts';
import { type Execution, executionOf, isClaimedAhead, requestAt } from './execution.ts';
import { InFlight } from './in-flight.ts';

/** Most executions that wait for their instant. One client holds at most as many as are left for the others. */
const MAX_HELD = 40_000;
/** Most overdue executions of one client: the next claim brings more of them within a tenth of a second. */
const MAX_READY = 2_000;
/** The same where nodes share a store: no other node can send what this one has claimed. */
const SHARED_MAX_READY = 500;
/** Where nodes share a store: a claim older than this is confirmed before it is sent. */
const SURE_MS = 100;
/** How long a run is put back into the queue when its host is at its limit. */
const POSTPONED_MS = 5_000;

export interface ExecutorOptions {
  queue: QueueStore;
  send: Send;
  clock: Clock;
  observer: EngineObserver;
  downtime: DowntimeDetector;
  completer: Completer;
  /** Looks at the clock. */
  look: (now: number) => void;
  breakers: BreakerLog;
  /** Most runs that are due and not settled. */
  maxInFlight: number;
  /** Of these to one host, for one client. */
  maxInFlightPerHost: number;
  /** Until when this node holds what it has claimed; undefined where the store is its own. */
  leaseDeadline: LeaseDeadline | undefined;
  /** Where the store is this engine's alone. */
  lock: Pick<EngineLock, 'sentUntil' | 'noteSentUntil'> | null | undefined;
}

/** Executor: sends the request of each claimed run at its instant, or gives the claim back. */
export class Executor {
  readonly #options: ExecutorOptions;
  /** By schedule id. */
  readonly #executions: InFlight<Claim, Execution>;
  readonly #dueQueue: DueQueue<Execution>;
  readonly #limits: ConcurrencyLimits;
  readonly #watermark: SentWatermark;
  #isWaking = false;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    const { clock, observer, look, maxInFlightPerHost, breakers, lock } = options;
    this.#watermark = new SentWatermark(lock);
    this.#limits = new ConcurrencyLimits({ maxPerHost: maxInFlightPerHost, breakers });
    this.#executions = new InFlight(execution => this.#giveBackIfHeld(execution));
    this.#dueQueue = new DueQueue({
      clock,
      room: () => this.#room,
      acquire: execution => this.#acquireSlot(execution),
      surplus: (clientHost, waiting) => this.#limits.surplus(clientHost, waiting),
      start: (executions, now) => this.#startDue(executions, now),
      postpone: (executions, now) => this.#postpone(executions, now),
      failed: error => observer.storeFailed(error),
      tick: now => {
        look(now);
        this.#executions.cancelStale(now);
      },
    });
  }

  /** Requests under way, or waiting for a connection. */
  get inFlight(): number {
    return this.#executions.size - this.#dueQueue.size;
  }

  /** Whether it holds no execution. */
  get isIdle(): boolean {
    return this.#executions.size === 0;
  }

  /** How many more claims it takes. */
  get capacityLeft(): number {
    return MAX_HELD - this.#dueQueue.size;
  }

  /** Whether a run is due and was not sent yet. */
  get isBehind(): boolean {
    return this.#dueQueue.isBehind;
  }

  /** The claims whose execution has not ended. */
  get claims(): Claim[] {
    return this.#executions.claims;
  }

  /** The clients that hold their share, or that have too many overdue executions. */
  saturatedClients(): number[] {
    const { capacityLeft: left } = this;
    const maxReady = this.#options.leaseDeadline === undefined ? MAX_READY : SHARED_MAX_READY;
    return [...this.#dueQueue.counts()]
      .filter(([, { held, ready }]) => held >= left || ready >= maxReady)
      .map(([clientRowId]) => clientRowId);
  }

  start(): void {
    this.#dueQueue.start();
  }

  /** The store is asked for claims: cancellations from here on may concern claims that are on their way. */
  expectClaims(): void {
    this.#executions.expectClaims();
  }

  /** Takes over claims that have begun. Requests are built now, so that only sending is left at the instant. */
  execute(claims: Claim[]): void {
    const { leaseDeadline, observer } = this.#options;
    const idOf = ({ schedule }: Claim) => schedule.id;
    const executions = eachOf(claims, idOf, claim => executionOf(claim, leaseDeadline), observer);
    const held: Execution[] = [];
    for (const execution of executions) {
      if (this.#executions.add(execution)) held.push(execution);
      else this.#giveBack(execution);
    }
    this.#dueQueue.addAll(held);
  }

  /** Slots may be free again. */
  wake(): void {
    this.#dueQueue.wake();
  }

  /** Cancels the request of a schedule unless it has started, and gives the claim back. */
  cancelSchedule(scheduleId: string): void {
    this.#executions.cancel(scheduleId);
  }

  cancelWhere(isMeant: (claim: Claim) => boolean): void {
    this.#executions.cancelWhere(isMeant);
  }

  /** A manual run comes first: an execution that waits for its instant is given back; one that is being sent goes on. */
  yieldToManualRun(scheduleId: string): void {
    const execution = this.#executions.find(scheduleId);
    if (execution) this.#giveBackIfHeld(execution);
  }

  /** Starts nothing more. Resolves when all executions have ended. */
  async stopAll(): Promise<void> {
    const ended = this.#executions.stopAll();
    await this.#dueQueue.stop();
    // The last step may have put executions back into the due queue.
    this.#executions.cancelWhere(() => true);
    await ended;
  }

  get #room(): number {
    const { maxInFlight, completer } = this.#options;
    return maxInFlight - this.inFlight - completer.pending;
  }

  /** It was cancelled: it is given back if it is still in the due queue. */
  #giveBackIfHeld(execution: Execution): void {
    if (this.#dueQueue.remove(execution)) this.#giveBack(execution);
  }

  #acquireSlot(execution: Execution): boolean {
    execution.host = this.#limits.acquire(execution, this.#room);
    return execution.host !== null;
  }

  /** Gives back executions whose host is at its limit, so that others have room. Their nominal time stays. */
  #postpone(executions: Execution[], now: number): void {
    for (const execution of executions) {
      this.#executions.remove(execution);
      this.#options.completer.giveBack(execution.claim, now + POSTPONED_MS);
    }
  }

  async #startDue(executions: Execution[], now: number): Promise<void> {
    const confirmed = await this.#prepare(executions, now);
    for (const execution of executions) {
      if (confirmed(execution.claim) && this.#isItsTime(execution, now)) this.#send(execution, now);
      else this.#giveBack(execution);
    }
  }

  /** Does all that can fail before the first request leaves: if it fails, none leaves. */
  async #prepare(executions: Execution[], now: number): Promise<(claim: Claim) => boolean> {
    try {
      const confirmed = await this.#confirm(executions, now);
      this.#watermark.raise(executions, now);
      return confirmed;
    } catch (error) {
      // Wakes nobody: the due queue tries again a little later.
      for (const execution of executions) this.#releaseSlot(execution, null);
      throw error;
    }
  }

  /** Whether it is still due: the clock may have been set since. */
  #isItsTime({ claim, dueAt }: Execution, now: number): boolean {
    if (dueAt > now) return false;
    const { unseenUntil } = this.#options.downtime;
    return !isClaimedAhead(claim) || mayBegin({ ...claim, state: claim.was }, now, unseenUntil);
  }

  /** Asks the store which old claims still hold: another node may have changed the schedule. */
  async #confirm(executions: Execution[], now: number): Promise<(claim: Claim) => boolean> {
    const { queue, leaseDeadline } = this.#options;
    const isOld = ({ claimedAt }: Claim) => now - claimedAt > SURE_MS;
    const old =
      leaseDeadline === undefined ? [] : executions.map(({ claim }) => claim).filter(isOld);
    if (old.length === 0) return () => true;
    const confirmed = new Set(await queue.confirm(old));
    return claim => !isOld(claim) || confirmed.has(claim.scheduleRowId);
  }

  #send(execution: Execution, now: number): void {
    const { claim, host } = execution;
    const refusal = host!.breaker.refuses(now);
    if (refusal !== null) {
      this.#refuse(execution, refusal, now);
      return;
    }
    execution.signedAt = now;
    const request = requestAt(execution, now);
    request.clientRowId = execution.clientRowId;
    request.permit = execution.permit;
    const { send, observer, completer } = this.#options;
    void send(request).then(result => {
      if (result.outcome === 'cancelled') return this.#giveBack(execution);
      this.#releaseAndWake(execution, result.outcome);
      this.#executions.remove(execution);
      if (claim.attempt === 1) observer.fired(result.startedAt - claim.scheduledFor);
      observer.attemptEnded('schedule', result.outcome, result.durationMs, claim.schedule.id);
      completer.complete(claim, attemptOf(claim.attempt, result));
    });
  }

  /** The breaker is open: the attempt fails without a request, and is retried like any other. */
  #refuse(execution: Execution, error: string, now: number): void {
    if (!execution.permit.start()) {
      this.#giveBack(execution);
      return;
    }
    const { observer, completer } = this.#options;
    observer.refused();
    this.#releaseAndWake(execution, null);
    this.#executions.remove(execution);
    completer.complete(execution.claim, refusedAttempt(execution.claim.attempt, error, now));
  }

  /** The request was not started: the claim goes back to the queue. */
  #giveBack(execution: Execution): void {
    this.#releaseAndWake(execution, null);
    this.#executions.remove(execution);
    this.#options.completer.giveBack(execution.claim);
  }

  #releaseAndWake(execution: Execution, outcome: Outcome | null): void {
    if (execution.host === null) return;
    this.#releaseSlot(execution, outcome);
    this.#wakeSoon();
  }

  #releaseSlot(execution: Execution, outcome: Outcome | null): void {
    this.#limits.release(execution.host!, outcome, this.#options.clock.now());
    execution.host = null;
  }

  /** Wakes the due queue once for all executions that end in this turn of the event loop. */
  #wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#dueQueue.wake();
    });
  }
}
