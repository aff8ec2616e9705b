import type { Clock } from '../clock.ts';
import { decide, type Move } from '../domain/queue.ts';
import type { UnseenSpan } from '../domain/unseen.ts';
import type { Send } from '../outbound/send.ts';
import { monotonicMs, type Term } from '../outbound/ticket.ts';
import type { EngineLock } from '../store/store.ts';
import type { Claim, QueueStore } from '../store/work.ts';
import type { BreakerLog } from './breaker-log.ts';
import { Carrier } from './carrier.ts';
import { type EngineEvents, eachOf } from './events.ts';
import { type Looked, resend, withKnown } from './known-times.ts';
import { Landings } from './landings.ts';
import { Loop, soonest } from './loop.ts';
import type { Recounter } from './recounter.ts';
import { settlementOf } from './settlement.ts';
import { Steps } from './steps.ts';
import type { Suspensions } from './suspensions.ts';
import { type Agree, Watch } from './watch.ts';

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
  events: EngineEvents;
  /** Firings whose time has come and that are not settled yet, at most. */
  maxInFlight: number;
  /** Of these to one host, for one client. */
  maxInFlightPerHost: number;
  breakers: BreakerLog;
  /** Where others write to the same store: how often to look whether something is due, ms. */
  pollMs: number | undefined;
  /** Set where they do: how long this node holds what it has claimed. */
  term: Term | undefined;
  lock: Pick<EngineLock, 'sentUntil' | 'mark'> | null | undefined;
  /** Where others share the store: what they say of the times that passed. */
  agree: Agree | undefined;
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
 * Dispatcher: claims firings, a little ahead of their time, and has them carried to their targets.
 *
 * Guarantee: every claimed firing is settled once. A target may still be called twice: if this
 * process dies after sending and before settling, the row is due again (docs/lifecycle.md, "lost").
 * Decides nothing: `domain/queue.ts` and `domain/verdict.ts` turn outcomes into moves.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #carrier: Carrier;
  readonly #landings: Landings;
  readonly #loop: Loop;
  readonly #watch: Watch;
  readonly #steps: Steps;
  #starved = false;
  /** Clients that had their share at the last look: none of theirs were claimed. */
  #sated: number[] = [];
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, events } = options;
    this.#watch = new Watch(clock.now(), events.blind, options.agree, options.unseenSpans);
    this.#steps = new Steps(clock.now(), clock.monotonicMs());
    const hooks = {
      writing: () => this.#moreRoom(),
      written: () => {
        options.settled();
        this.#moreRoom();
      },
    };
    const moved = (move: Move, scheduleId: string) => this.#noteSettled(move, scheduleId);
    this.#landings = new Landings({ ...options, watch: this.#watch, moved }, hooks);
    const look = (now: number) => this.#look(now);
    this.#carrier = new Carrier({ ...options, watch: this.#watch, landings: this.#landings, look });
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => events.storeFailed(error),
      now => this.#look(now),
    );
  }

  /** Requests under way, or waiting for a connection. */
  get inFlight(): number {
    return this.#carrier.inFlight;
  }

  /** `Carrier.isBehind`. */
  get isBehind(): boolean {
    return this.#carrier.isBehind;
  }

  start(): void {
    this.#loop.start();
    this.#carrier.start();
  }

  /** Something is due at `dueAt` (epoch ms), or now. */
  wake(dueAt?: number): void {
    this.#loop.wake(dueAt === undefined ? undefined : dueAt - LEAD_MS);
  }

  /** The schedule was changed: a request not yet started stays here, to be claimed anew. */
  cancel(scheduleId: string): void {
    this.#carrier.cancel(scheduleId);
  }

  /** The client signs with other secrets, or is suspended: a request not yet started is claimed anew. */
  cancelClient(clientKey: number): void {
    this.#carrier.cancelWhere(claim => claim.clientKey === clientKey);
  }

  /** A manual run waits: what is held for a later time makes way for it. */
  makeWay(scheduleId: string): void {
    this.#carrier.makeWay(scheduleId);
  }

  /**
   * Holds on to what was claimed before `claimedBefore`; what this node no longer holds as it was
   * claimed is called back.
   */
  async renew(claimedBefore: number): Promise<void> {
    const now = this.#options.clock.now();
    // By a clock that was set back since, a claim may be of an instant to come.
    const isOld = ({ claimedAt }: Claim) => claimedAt < claimedBefore || claimedAt > now;
    const carried = this.#carrier.claims.filter(isOld);
    const landed = this.#landings.claims.filter(isOld);
    const held = new Set(await this.#options.queue.renew([...carried, ...landed]));
    const lost = new Set(carried.filter(claim => !held.has(claim.scheduleKey)));
    this.#carrier.cancelWhere(claim => lost.has(claim));
  }

  /** Claims nothing more, gives back what was not started, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping = true;
    // Before the last step ends: what it claims does not start any more.
    void this.#carrier.ground();
    await this.#loop.stop();
    await this.#carrier.ground();
    await this.#landings.drained();
  }

  /** What ends from now on is not recorded: the next start finds it in flight and sends it again. */
  abandon(): void {
    this.#landings.abandon();
  }

  async #step(): Promise<number | null> {
    const { queue, clock, pollMs, term, suspensions } = this.#options;
    this.#carrier.expect();
    const batch = term === undefined ? CLAIM_BATCH : SHARED_CLAIM_BATCH;
    const limit = Math.min(this.#carrier.isIdle ? FIRST_BATCH : batch, this.#carrier.left);
    this.#starved = limit <= 0 || this.#landings.failing;
    if (this.#starved || this.#stopping) return null;
    const now = clock.now();
    this.#look(now);
    await this.#watch.agreed();
    const askedAt = monotonicMs();
    this.#sated = this.#carrier.sated();
    const mayBeSent = this.#options.recounter.checksFrom <= now + AHEAD_MS;
    // Then none of them begins before it is looked up.
    const unseenUntil = mayBeSent ? Number.MAX_SAFE_INTEGER : this.#watch.unseenUntil;
    const claims = await queue.claim(now, limit, unseenUntil, AHEAD_MS, this.#sated);
    if (term?.isOverSince(askedAt)) {
      for (const claim of claims) this.#landings.giveBack(claim);
      return now;
    }
    const free = await suspensions.free(claims, claim => this.#landings.giveBack(claim));
    await this.#carry(free.filter(claim => claim.begun));
    await this.#decide(
      free.filter(claim => !claim.begun),
      mayBeSent,
    );
    if (claims.length === limit) return now;
    if (this.#sated.length > 0) return now + LOOK_FOR_OTHERS_MS;
    return soonest(lookAt(await queue.nextDueAt(), now), now, pollMs);
  }

  async #carry(claims: Claim[]): Promise<void> {
    for (let at = 0; at < claims.length; at += CARRY_BATCH) {
      if (at > 0) await new Promise(setImmediate);
      this.#carrier.carry(claims.slice(at, at + CARRY_BATCH));
    }
  }

  /** Rows whose time passed unseen, whose schedule changed, or that a manual run blocks. */
  async #decide(taken: Claim[], mayBeSent: boolean): Promise<void> {
    if (taken.length === 0) return;
    const { queue } = this.#options;
    // A lost attempt is told by the instant of its claim: no time that came after it may begin here.
    const now = Math.min(taken[0]!.claimedAt, this.#options.clock.now());
    const claims: Looked[] = mayBeSent ? await withKnown(queue, taken, now) : taken;
    const decided = eachOf(
      claims,
      ({ firing }) => firing.id,
      claim => ({ claim, move: decide(claim, claim.firing, now, this.#watch.unseen) }),
      this.#options.events,
    );
    try {
      const settlements = decided.map(({ claim, move }) => settlementOf(claim, move, now));
      const overtaken = new Set(await queue.settle(settlements));
      for (const { claim, move } of decided) {
        if (overtaken.has(claim.scheduleKey)) this.#landings.giveBack(claim);
        else this.#decided(claim, move);
      }
      await resend(
        queue,
        decided.filter(({ claim }) => !overtaken.has(claim.scheduleKey)),
      );
    } catch (error) {
      // They are claimed, and nobody else will look at them: they are given back.
      for (const { claim } of decided) this.#landings.giveBack(claim);
      throw error;
    }
  }

  /** Looks at the clock, at least once a second: whether it was set, and how long nobody looked. */
  #look(now: number): void {
    const { clock, events, recounter, setBack } = this.#options;
    const step = this.#steps.look(now, clock.monotonicMs());
    this.#watch.look(now);
    if (step === null) return;
    events.clockStepped(step.byMs);
    if (step.byMs > 0) return;
    recounter.begin(step.since);
    // What is held for an instant that is to come again is claimed anew.
    this.#carrier.cancelWhere(({ dueAt }) => dueAt > now);
    setBack();
  }

  #decided(claim: Claim, move: Move): void {
    this.#tell(move, claim.firing.id);
    if (move.row?.state === 'inFlight') {
      this.#carrier.carry([{ ...claim, ...move.row, begun: true, changedAt: null }]);
    } else if (move.row) {
      this.wake(move.row.dueAt);
    }
    if (move.ended) this.#options.settled();
  }

  #moreRoom(): void {
    this.#carrier.wake();
    const isRelieved = this.#sated.length > 0 && this.#carrier.sated().length < this.#sated.length;
    if (this.#starved || isRelieved) this.#loop.wake();
  }

  #noteSettled(move: Move, scheduleId: string): void {
    this.#tell(move, scheduleId);
    if (move.row && !this.#stopping) this.wake(move.row.dueAt);
  }

  #tell({ ended, passed }: Move, scheduleId: string): void {
    const { events } = this.#options;
    if (ended) events.runEnded(scheduleId, ended);
    for (const record of passed) events.passed(scheduleId, record);
  }
}

/** When it is worth claiming again. What is due within reach and was left has to wait for its time. */
function lookAt(nextDueAt: number | null, now: number): number | null {
  if (nextDueAt === null || nextDueAt <= now + AHEAD_MS) return nextDueAt;
  return nextDueAt - LEAD_MS;
}
