import type { Clock } from '../../clock.ts';
import type { ControlReading } from '../../domain/run/control.ts';
import { mayBegin } from '../../domain/run/queue-row.ts';
import type { Outcome } from '../../domain/run/run.ts';
import { whyTooLate } from '../../domain/run/verdict.ts';
import { readControlHeader } from '../../outbound/control-header.ts';
import type { LeaseDeadline } from '../../outbound/lease-deadline.ts';
import { attemptOf, refusedAttempt, type Send, type SendResult } from '../../outbound/send.ts';
import type { EngineLock } from '../../store/contract/engine-lock.ts';
import type { Claim, OutboxClaim, OutboxStore, QueueStore } from '../../store/contract/queue.ts';
import type { ConcurrencyLimits } from '../fairness/concurrency.ts';
import type { Throttles } from '../fairness/throttles.ts';
import type { Identities } from '../identity/identities.ts';
import { Loop } from '../loop.ts';
import { type EngineObserver, eachOf, type JobKind } from '../observer.ts';
import type { ClockWatch } from '../services/clock-watch.ts';
import type { DowntimeDetector } from '../services/downtime.ts';
import { SentWatermark } from '../services/sent-watermark.ts';
import type { Completer } from './completer.ts';
import { confirmClaims } from './confirm-claims.ts';
import { DueQueue } from './due-queue.ts';
import { InFlight } from './in-flight.ts';
import {
  type CompletionUrlOf,
  type FiringJob,
  firingJob,
  isAhead,
  type Job,
  type OutboxJob,
  outboxJob,
  reportedId,
  withCompletionUrl,
} from './job.ts';
import { renewClaims } from './renew-claims.ts';
import { isTold, sendJob } from './send-job.ts';
import { isOvertaken, Slots } from './slots.ts';

/** Most jobs that wait for their instant. One client holds at most as many firings as are left for the others. */
const MAX_HELD = 40_000;
/** Most overdue firings of one client: the next claim brings more of them within a tenth of a second. */
const MAX_READY = 2_000;
/** The same where nodes share a store: no other node can send what this one has claimed. */
const SHARED_MAX_READY = 500;
/** The first batch of a burst is small, so that its first request leaves soon. */
const FIRST_BATCH = 20;
const BATCH = 200;

export interface ExecutorOptions {
  queue: Pick<QueueStore, 'confirm' | 'renew'>;
  outbox: Pick<OutboxStore, 'renew'>;
  send: Send;
  clock: Clock;
  observer: EngineObserver;
  downtime: DowntimeDetector;
  clockWatch: ClockWatch;
  limits: ConcurrencyLimits;
  throttles: Throttles;
  completer: Completer;
  /** Until when this node holds what it has claimed; undefined where the store is its own. */
  leaseDeadline: LeaseDeadline | undefined;
  /** The destinations of the claims, which were loaded before. */
  identities: Pick<Identities, 'of' | 'limitsFor'>;
  /** Undefined where targets cannot call this installation. */
  completionUrl?: CompletionUrlOf | undefined;
  /** Set if the store belongs to this engine alone. */
  lock: Pick<EngineLock, 'sentUntil' | 'noteSentUntil'> | null | undefined;
}

/**
 * Executor: sends the request of each job at its instant, or gives the claim back.
 *
 * Firings, manual runs and callbacks pass here alike: they wait in one due queue, share the concurrency limits, and end in
 * one completer.
 */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #firings: InFlight<Claim, FiringJob>;
  readonly #outboxJobs: InFlight<OutboxClaim, OutboxJob>;
  readonly #dueQueue = new DueQueue<Job>();
  readonly #slots: Slots;
  readonly #watermark: SentWatermark;
  readonly #loop: Loop;
  #isWaking = false;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    const { clock, observer, clockWatch, lock } = options;
    this.#slots = new Slots(options);
    this.#firings = new InFlight(job => this.#giveBackIfHeld(job));
    this.#outboxJobs = new InFlight(job => this.#giveBackIfHeld(job));
    this.#watermark = new SentWatermark(lock);
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
      now => {
        clockWatch.look(now);
        this.#firings.cancelStale(now);
        this.#outboxJobs.cancelStale(now);
      },
    );
  }

  /** Requests under way, or waiting for a connection. */
  get inFlight(): number {
    return this.#options.limits.inFlight;
  }

  /** Whether it holds no firing. */
  get isIdle(): boolean {
    return this.#firings.size === 0;
  }

  /** How many more firings it takes. */
  get capacityLeft(): number {
    return MAX_HELD - this.#dueQueue.size;
  }

  /** Whether a firing is due and was not sent yet. */
  get isBehind(): boolean {
    return this.#dueQueue.readyCount('schedule') > 0;
  }

  /** The clients that hold their share of firings, or that have too many overdue ones. */
  saturatedClients(): number[] {
    const { capacityLeft: left } = this;
    const maxReady = this.#options.leaseDeadline === undefined ? MAX_READY : SHARED_MAX_READY;
    return [...this.#dueQueue.counts('schedule')]
      .filter(([, { held, ready }]) => held >= left || ready >= maxReady)
      .map(([clientRowId]) => clientRowId);
  }

  /** By client: its manual runs and callbacks that wait for a slot. */
  waitingOfOutbox(): Map<number, number> {
    const waiting = new Map<number, number>();
    for (const kind of ['manual', 'callback'] as const) {
      for (const [clientRowId, { held }] of this.#dueQueue.counts(kind)) {
        waiting.set(clientRowId, (waiting.get(clientRowId) ?? 0) + held);
      }
    }
    return waiting;
  }

  /** How many jobs wait for a limit of their destination, in all. */
  get waitingForDestinations(): number {
    return this.#slots.waitingForDestinations(this.#dueQueue.ready);
  }

  start(): void {
    this.#options.throttles.onEnded = () => this.wake();
    this.#loop.start();
  }

  /** Starts nothing more. Resolves when all jobs have ended. */
  async stopAll(): Promise<void> {
    const ended = Promise.all([this.#firings.stopAll(), this.#outboxJobs.stopAll()]);
    await this.#loop.stop();
    // The last step may have put jobs back into the due queue.
    this.cancelWhere(() => true);
    await ended;
  }

  /** The next start sends all again that is in flight: nothing of it may leave after that. */
  abandon(): void {
    this.#firings.abandon();
    this.#outboxJobs.abandon();
  }

  /** Slots may be free again, or jobs have come. */
  wake(): void {
    if (this.#dueQueue.size > 0) this.#loop.wake(this.#dueQueue.nextDueAt);
  }

  /** The queue is asked for claims: cancellations from here on may concern claims that are on their way. */
  expectFirings(): void {
    this.#firings.expectClaims();
  }

  /** The same for the outbox. */
  expectOutboxJobs(): void {
    this.#outboxJobs.expectClaims();
  }

  /** Takes over claims that have begun. Requests are built now, so that only sending is left at the instant. */
  executeFirings(claims: Claim[]): void {
    this.#hold(this.#jobsOf(claims, firingJob), this.#firings);
  }

  executeOutboxJobs(claims: OutboxClaim[]): void {
    this.#hold(this.#jobsOf(claims, outboxJob), this.#outboxJobs);
  }

  /** Cancels the requests of a schedule unless they have started, and gives the claims back. */
  cancelSchedule(scheduleId: string): void {
    this.#firings.cancel(scheduleId);
    this.#outboxJobs.cancelWhere(
      ({ claim }) => 'schedule' in claim && claim.schedule.id === scheduleId,
    );
  }

  cancelWhere(isMeant: (job: Job) => boolean): void {
    this.#firings.cancelWhere(isMeant);
    this.#outboxJobs.cancelWhere(isMeant);
  }

  /** A manual run comes first: a firing that waits for its instant is given back; one that is being sent goes on. */
  yieldToManualRun(scheduleId: string): void {
    const job = this.#firings.find(scheduleId);
    if (job) this.#giveBackIfHeld(job);
  }

  /** Renews the leases of claims made before `claimedBefore`. Jobs whose claim this node has lost are cancelled. */
  async renew(claimedBefore: number): Promise<void> {
    const now = this.#options.clock.now();
    // By a clock that was set back since, a claim may be of an instant to come.
    const isOld = ({ claimedAt }: { claimedAt: number }) =>
      claimedAt < claimedBefore || claimedAt > now;
    const going = { firings: this.#firings.claims, ofOutbox: this.#outboxJobs.claims };
    const lost = await renewClaims(going, isOld, this.#options);
    this.cancelWhere(({ claim }) => lost.has(claim));
  }

  #jobsOf<One extends Claim | OutboxClaim, Made>(
    claims: One[],
    jobOf: (claim: One, leaseDeadline: LeaseDeadline | undefined) => Made,
  ): Made[] {
    const { leaseDeadline, observer, completer, completionUrl } = this.#options;
    const made = (claim: One) => jobOf(withCompletionUrl(claim, completionUrl), leaseDeadline);
    return eachOf(claims, reportedId, made, observer, claim => completer.setAside(claim));
  }

  #hold<One extends Job>(jobs: One[], inFlight: { add(job: One): boolean }): void {
    const held: Job[] = [];
    const hold = (job: One) => {
      this.#slots.join(job);
      if (inFlight.add(job)) held.push(job);
      else this.#giveBack(job);
    };
    eachOf(jobs, reportedIdOf, hold, this.#options.observer, job => this.#setAside(job));
    this.#dueQueue.addAll(held);
    this.wake();
  }

  #room(kind: JobKind): number {
    return this.#options.limits.room(kind) - this.#options.completer.pending(kind);
  }

  /** It was cancelled: it is given back if it is still in the due queue. */
  #giveBackIfHeld(job: Job): void {
    if (this.#dueQueue.remove(job)) this.#giveBack(job);
  }

  async #step(): Promise<number> {
    const { clock } = this.#options;
    let now = clock.now();
    const room = (kind: JobKind) => this.#room(kind);
    const acquire = (job: Job) => this.#slots.acquire(job, room(job.kind), now);
    for (let limit = FIRST_BATCH; ; limit = BATCH) {
      now = clock.now();
      this.#slots.beginLook();
      const jobs = this.#dueQueue.take(now, limit, room, acquire);
      if (jobs.length === 0) break;
      await this.#startAll(jobs, now);
      await new Promise(setImmediate);
    }
    now = clock.now();
    for (const job of this.#slots.overtaken(this.#dueQueue.ready, now)) this.#giveBackIfHeld(job);
    for (const job of this.#dueQueue.takeSurplus(now, this.#slots)) this.#postpone(job, now);
    return Math.min(this.#dueQueue.nextLookAt(), this.#slots.nextStartAt);
  }

  async #startAll(jobs: Job[], now: number): Promise<void> {
    const isConfirmed = await this.#prepare(jobs, now);
    const start = (job: Job) => {
      if (isConfirmed(job) && this.#isItsTime(job, now)) this.#send(job, now);
      else this.#giveBack(job);
    };
    eachOf(jobs, reportedIdOf, start, this.#options.observer, job => this.#setAside(job));
  }

  /** Does all that can fail before the first request leaves: if it fails, none leaves, and all wait a little longer. */
  async #prepare(jobs: Job[], now: number): Promise<(job: Job) => boolean> {
    try {
      const firings = jobs.filter(job => job.kind === 'schedule');
      const isConfirmed = await confirmClaims(firings, now, this.#options);
      this.#watermark.raise(firings, now);
      return isConfirmed;
    } catch (error) {
      for (const job of jobs) this.#slots.release(job, null);
      this.#dueQueue.addAll(jobs);
      throw error;
    }
  }

  /** Whether it is still due: the clock may have been set since, and a retry may have waited too long. */
  #isItsTime(job: Job, now: number): boolean {
    const { kind, claim, dueAt } = job;
    if (isAhead(job, now) || isOvertaken(job, now)) return false;
    if (kind !== 'callback' && whyTooLate(claim, claim.schedule.policy, now) !== null) return false;
    const isClaimedAhead = claim.claimedAt < dueAt;
    if (kind !== 'schedule' || !isClaimedAhead) return true;
    return mayBegin({ ...claim, state: claim.was }, now, this.#options.downtime.unseenUntil);
  }

  #send(job: Job, now: number): void {
    const refusal = job.host!.breaker.refuses(now, job);
    if (refusal !== null) {
      this.#refuse(job, refusal, now);
      return;
    }
    void sendJob(job, now, this.#options).then(
      result =>
        isTold(job, result) ? this.#told(job, result, result.control!) : this.#sent(job, result),
      error => {
        this.#options.observer.rowFailed(reportedIdOf(job), error);
        this.#setAside(job);
      },
    );
  }

  async #told(job: Job, result: SendResult, control: string): Promise<void> {
    this.#sent(job, result, await readControlHeader(control));
  }

  /** @param reading of what the target said about its schedule */
  #sent(job: Job, result: SendResult, reading?: ControlReading): void {
    const { outcome, startedAt, durationMs } = result;
    if (outcome === 'cancelled') {
      this.#giveBack(job);
      return;
    }
    const { observer, completer } = this.#options;
    const { kind, claim } = job;
    // Of what was never sent nothing is learned about the host.
    this.#end(job, result.unsent ? null : outcome);
    if (result.unsent === 'noDescriptor') observer.noDescriptor();
    const isFirst = kind === 'schedule' && claim.attempt === 1 && !result.unsent;
    if (isFirst) observer.fired(startedAt - claim.scheduledFor);
    observer.attemptEnded(kind, outcome, durationMs, reportedId(claim));
    const attempt = attemptOf(claim.attempt, result, job.request.success);
    completer.complete(claim, reading === undefined ? attempt : { ...attempt, ...reading });
  }

  /** The breaker is open: the attempt fails without a request, and is retried like any other. */
  #refuse(job: Job, error: string, now: number): void {
    if (!job.permit.start()) {
      this.#giveBack(job);
      return;
    }
    this.#options.observer.refused();
    this.#end(job, null);
    this.#options.completer.complete(job.claim, refusedAttempt(job.claim.attempt, error, now));
  }

  /** The request was not started: the claim goes back to its store. */
  #giveBack(job: Job): void {
    this.#end(job, null);
    this.#options.completer.giveBack(job.claim);
  }

  /** Its request could not be built or sent. */
  #setAside(job: Job): void {
    this.#end(job, null);
    this.#options.completer.setAside(job.claim);
  }

  /** Its host will not get through it soon: it makes room for others. Its nominal time stays. */
  #postpone(job: Job, now: number): void {
    const dueAt = this.#slots.postpone(job, now);
    this.#end(job, null);
    this.#options.completer.giveBack(job.claim, dueAt);
  }

  #end(job: Job, outcome: Outcome | null): void {
    if (job.host !== null) {
      this.#slots.release(job, outcome);
      this.#wakeSoon();
    }
    this.#slots.leave(job);
    if (job.kind === 'schedule') this.#firings.remove(job);
    else this.#outboxJobs.remove(job);
  }

  /**
   * Wakes the loop once for all jobs that end in this turn of the event loop. If this engine has abandoned them, the loop of the next
   * one waits for their slots.
   */
  #wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#options.throttles.onEnded();
    });
  }
}

const reportedIdOf = ({ claim }: Job) => reportedId(claim);
