import type { Clock } from '../../clock.ts';
import { decide, type Move } from '../../domain/run/queue.ts';
import type { UnseenSpan } from '../../domain/run/unseen.ts';
import { type LeaseDeadline, monotonicMs } from '../../outbound/lease-deadline.ts';
import type { Send } from '../../outbound/send.ts';
import type { EngineLock } from '../../store/contract/engine-lock.ts';
import type { Claim, QueueStore } from '../../store/contract/queue.ts';
import type { BreakerLog } from '../fairness/breaker-log.ts';
import { Loop, soonest } from '../loop.ts';
import { type EngineObserver, eachOf } from '../observer.ts';
import { ClockSteps } from '../services/clock-steps.ts';
import { type AgreeOnDowntime, DowntimeDetector } from '../services/downtime.ts';
import type { Recounter } from '../services/recounter.ts';
import type { Suspensions } from '../services/suspensions.ts';
import { Completer } from './completer.ts';
import { Executor } from './executor.ts';
import { type CheckedClaim, resend, withKnown } from './known-times.ts';
import { settlementOf } from './settlement.ts';

/** One claim is one commit, and waits for others: enough rows to share it. */
const CLAIM_BATCH = 1_000;
/** Where others write to the same store: what one node takes, the others cannot. */
const SHARED_CLAIM_BATCH = 500;
/** So many are taken over before the event loop has its turn: callers of the API wait for no more. */
const CARRY_BATCH = 100;
/** The first claim of a burst: few enough for the first request to leave soon. */
const FIRST_BATCH = 100;
/** Claims are made this long ahead of their time at most, so that at their time they need only be sent. */
const AHEAD_MS = 1_000;
/**
 * How long before its time a row is claimed at the latest: 20,000 of one client take half a second, and those
 * of another that are due with them may be the last. What is between the two is claimed together.
 */
const LEAD_MS = 800;
/** Where some clients have had their share: how often to look for the firings of the others. */
const LOOK_FOR_OTHERS_MS = 250;

export interface DispatcherOptions {
  queue: QueueStore;
  send: Send;
  clock: Clock;
  /** 0 to below 1. */
  random: () => number;
  observer: EngineObserver;
  /** Firings whose time has come and that are not settled yet, at most. */
  maxInFlight: number;
  /** Of these to one host, for one client. */
  maxInFlightPerHost: number;
  breakers: BreakerLog;
  /** Where others write to the same store: how often to look whether something is due, ms. */
  pollMs: number | undefined;
  /** Set where they do: how long this node holds what it has claimed. */
  leaseDeadline: LeaseDeadline | undefined;
  lock: Pick<EngineLock, 'sentUntil' | 'noteSentUntil'> | null | undefined;
  /** Where others share the store: what they say of the times that passed. */
  agree: AgreeOnDowntime | undefined;
  /** `EngineOptions.unseenSpans`. */
  unseenSpans: readonly UnseenSpan[] | undefined;
  recounter: Pick<Recounter, 'checksFrom' | 'begin'>;
  suspensions: Pick<Suspensions, 'free'>;
  /** Told when the clock was set back. */
  setBack: () => void;
  /** Told when rows were settled: callbacks may be due, and manual runs may have their turn. */
  settled: () => void;
}

/**
 * Dispatcher: claims firings, a little ahead of their time, and has them executing to their targets.
 *
 * Guarantee: every claimed firing is settled once. A target may still be called twice: if this
 * process dies after sending and before settling, the row is due again (docs/lifecycle.md, "lost").
 * Decides nothing: `domain/run/queue.ts` and `domain/run/verdict.ts` turn outcomes into moves.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #executor: Executor;
  readonly #completer: Completer;
  readonly #loop: Loop;
  readonly #downtime: DowntimeDetector;
  readonly #clockSteps: ClockSteps;
  #starved = false;
  /** Clients that had their share at the last look: none of theirs were claimed. */
  #saturated: number[] = [];
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, observer } = options;
    this.#downtime = new DowntimeDetector(
      clock.now(),
      observer.blind,
      options.agree,
      options.unseenSpans,
    );
    this.#clockSteps = new ClockSteps(clock.now(), clock.monotonicMs());
    const hooks = {
      writing: () => this.#moreRoom(),
      written: () => {
        options.settled();
        this.#moreRoom();
      },
    };
    const moved = (move: Move, scheduleId: string) => this.#noteSettled(move, scheduleId);
    this.#completer = new Completer({ ...options, downtime: this.#downtime, moved }, hooks);
    const look = (now: number) => this.#look(now);
    this.#executor = new Executor({
      ...options,
      downtime: this.#downtime,
      completer: this.#completer,
      look,
    });
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => observer.storeFailed(error),
      now => this.#look(now),
    );
  }

  /** Requests under way, or waiting for a connection. */
  get inFlight(): number {
    return this.#executor.inFlight;
  }

  /** `Executor.isBehind`. */
  get isBehind(): boolean {
    return this.#executor.isBehind;
  }

  start(): void {
    this.#loop.start();
    this.#executor.start();
  }

  /** Something is due at `dueAt` (epoch ms), or now. */
  wake(dueAt?: number): void {
    this.#loop.wake(dueAt === undefined ? undefined : dueAt - LEAD_MS);
  }

  /** The schedule was changed: a request not yet started stays here, to be claimed anew. */
  cancelSchedule(scheduleId: string): void {
    this.#executor.cancelSchedule(scheduleId);
  }

  /** The client signs with other secrets, or is suspended: a request not yet started is claimed anew. */
  cancelClient(clientRowId: number): void {
    this.#executor.cancelWhere(claim => claim.clientRowId === clientRowId);
  }

  /** A manual run waits: what is held for a later time makes way for it. */
  yieldToManualRun(scheduleId: string): void {
    this.#executor.yieldToManualRun(scheduleId);
  }

  /**
   * Holds on to what was claimed before `claimedBefore`; what this node no longer holds as it was
   * claimed is cancelled.
   */
  async renew(claimedBefore: number): Promise<void> {
    const now = this.#options.clock.now();
    // By a clock that was set back since, a claim may be of an instant to come.
    const isOld = ({ claimedAt }: Claim) => claimedAt < claimedBefore || claimedAt > now;
    const executing = this.#executor.claims.filter(isOld);
    const ended = this.#completer.claims.filter(isOld);
    const held = new Set(await this.#options.queue.renew([...executing, ...ended]));
    const lost = new Set(executing.filter(claim => !held.has(claim.scheduleRowId)));
    this.#executor.cancelWhere(claim => lost.has(claim));
  }

  /** Claims nothing more, gives back what was not started, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping = true;
    // Before the last step ends: what it claims does not start any more.
    void this.#executor.stopAll();
    await this.#loop.stop();
    await this.#executor.stopAll();
    await this.#completer.drained();
  }

  /** What ends from now on is not recorded: the next start finds it in flight and sends it again. */
  abandon(): void {
    this.#completer.abandon();
  }

  async #step(): Promise<number | null> {
    const { queue, clock, pollMs, leaseDeadline, suspensions } = this.#options;
    this.#executor.expectClaims();
    const batch = leaseDeadline === undefined ? CLAIM_BATCH : SHARED_CLAIM_BATCH;
    const limit = Math.min(
      this.#executor.isIdle ? FIRST_BATCH : batch,
      this.#executor.capacityLeft,
    );
    this.#starved = limit <= 0 || this.#completer.failing;
    if (this.#starved || this.#stopping) return null;
    const now = clock.now();
    this.#look(now);
    await this.#downtime.agreed();
    const askedAt = monotonicMs();
    this.#saturated = this.#executor.saturatedClients();
    const mayBeSent = this.#options.recounter.checksFrom <= now + AHEAD_MS;
    // Then none of them begins before it is looked up.
    const unseenUntil = mayBeSent ? Number.MAX_SAFE_INTEGER : this.#downtime.unseenUntil;
    const claims = await queue.claim(now, limit, unseenUntil, AHEAD_MS, this.#saturated);
    if (leaseDeadline?.isOverSince(askedAt)) {
      for (const claim of claims) this.#completer.giveBack(claim);
      return now;
    }
    const free = await suspensions.free(claims, claim => this.#completer.giveBack(claim));
    await this.#executeAll(free.filter(claim => claim.begun));
    await this.#decide(
      free.filter(claim => !claim.begun),
      mayBeSent,
    );
    if (claims.length === limit) return now;
    if (this.#saturated.length > 0) return now + LOOK_FOR_OTHERS_MS;
    return soonest(lookAt(await queue.nextDueAt(), now), now, pollMs);
  }

  async #executeAll(claims: Claim[]): Promise<void> {
    for (let at = 0; at < claims.length; at += CARRY_BATCH) {
      if (at > 0) await new Promise(setImmediate);
      this.#executor.execute(claims.slice(at, at + CARRY_BATCH));
    }
  }

  /** Rows whose time passed unseen, whose schedule changed, or that a manual run blocks. */
  async #decide(taken: Claim[], mayBeSent: boolean): Promise<void> {
    if (taken.length === 0) return;
    const { queue } = this.#options;
    // A lost attempt is told by the instant of its claim: no time that came after it may begin here.
    const now = Math.min(taken[0]!.claimedAt, this.#options.clock.now());
    const claims: CheckedClaim[] = mayBeSent ? await withKnown(queue, taken, now) : taken;
    const decided = eachOf(
      claims,
      ({ schedule }) => schedule.id,
      claim => ({ claim, move: decide(claim, claim.schedule, now, this.#downtime.unseen) }),
      this.#options.observer,
    );
    try {
      const settlements = decided.map(({ claim, move }) => settlementOf(claim, move, now));
      const overtaken = new Set(await queue.settle(settlements));
      for (const { claim, move } of decided) {
        if (overtaken.has(claim.scheduleRowId)) this.#completer.giveBack(claim);
        else this.#decided(claim, move);
      }
      await resend(
        queue,
        decided.filter(({ claim }) => !overtaken.has(claim.scheduleRowId)),
      );
    } catch (error) {
      // They are claimed, and nobody else will look at them: they are given back.
      for (const { claim } of decided) this.#completer.giveBack(claim);
      throw error;
    }
  }

  /** Looks at the clock, at least once a second: whether it was set, and how long nobody looked. */
  #look(now: number): void {
    const { clock, observer, recounter, setBack } = this.#options;
    const step = this.#clockSteps.look(now, clock.monotonicMs());
    this.#downtime.look(now);
    if (step === null) return;
    observer.clockStepped(step.byMs);
    if (step.byMs > 0) return;
    recounter.begin(step.since);
    // What is held for an instant that is to come again is claimed anew.
    this.#executor.cancelWhere(({ dueAt }) => dueAt > now);
    setBack();
  }

  #decided(claim: Claim, move: Move): void {
    this.#tell(move, claim.schedule.id);
    if (move.row?.state === 'inFlight') {
      this.#executor.execute([{ ...claim, ...move.row, begun: true, changedAt: null }]);
    } else if (move.row) {
      this.wake(move.row.dueAt);
    }
    if (move.ended) this.#options.settled();
  }

  #moreRoom(): void {
    this.#executor.wake();
    const isRelieved =
      this.#saturated.length > 0 &&
      this.#executor.saturatedClients().length < this.#saturated.length;
    if (this.#starved || isRelieved) this.#loop.wake();
  }

  #noteSettled(move: Move, scheduleId: string): void {
    this.#tell(move, scheduleId);
    if (move.row && !this.#stopping) this.wake(move.row.dueAt);
  }

  #tell({ ended, passed }: Move, scheduleId: string): void {
    const { observer } = this.#options;
    if (ended) observer.runEnded(scheduleId, ended);
    for (const record of passed) observer.passed(scheduleId, record);
  }
}

/** When it is worth claiming again. What is due within reach and was left has to wait for its time. */
function lookAt(nextDueAt: number | null, now: number): number | null {
  if (nextDueAt === null || nextDueAt <= now + AHEAD_MS) return nextDueAt;
  return nextDueAt - LEAD_MS;
}
