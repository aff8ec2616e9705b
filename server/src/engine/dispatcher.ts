import type { Clock } from '../clock.ts';
import { runId } from '../domain/id.ts';
import { afterAttempt, decide, giveBack, type Move } from '../domain/queue.ts';
import type { QueueRow } from '../domain/queue-row.ts';
import type { Attempt } from '../domain/run.ts';
import { POLICY_DEFAULTS } from '../domain/schedule.ts';
import { judge } from '../domain/verdict.ts';
import { buildFiring } from '../outbound/request.ts';
import type { Send } from '../outbound/send.ts';
import { monotonicMs, type Term } from '../outbound/ticket.ts';
import type { Claim, Firing, QueueStore, Standing } from '../store/work.ts';
import { attemptOf } from './attempt.ts';
import type { EngineEvents } from './events.ts';
import { Flights } from './flights.ts';
import { Loop, soonest } from './loop.ts';
import { settlementOf } from './settlement.ts';
import { Settler } from './settler.ts';
import { type Agree, Watch } from './watch.ts';

/** One claim is one commit: enough rows to share it. */
const CLAIM_BATCH = 500;
/** The first claim of a burst: few enough for the first request to leave soon. */
const FIRST_BATCH = 100;

export interface DispatcherOptions {
  queue: QueueStore;
  send: Send;
  clock: Clock;
  /** 0 to below 1. */
  random: () => number;
  events: EngineEvents;
  /** Firings claimed and not yet settled, at most. */
  maxInFlight: number;
  /** Where others write to the same store: how often to look whether something is due, ms. */
  pollMs: number | undefined;
  term: Term | undefined;
  agree: Agree | undefined;
  /** Told when rows were settled: callbacks may be due, and manual runs may have their turn. */
  settled: () => void;
}

/** How a flight ended: with an attempt, or without one that was ever started. */
interface Landing {
  claim: Claim;
  attempt: Attempt | null;
  endedAt: number;
}

/**
 * Dispatcher: carries due firings to their targets.
 *
 * Guarantee: every claimed firing is settled once. A target may still be called twice: if this
 * process dies after sending and before settling, the row is due again (docs/lifecycle.md, "lost").
 * Decides nothing: `domain/queue.ts` and `domain/verdict.ts` turn outcomes into moves.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** By the id of their schedule. */
  readonly #flights: Flights<Claim>;
  readonly #settler: Settler<Landing>;
  readonly #loop: Loop;
  readonly #watch: Watch;
  #starved = false;
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, events } = options;
    this.#flights = new Flights(options.term);
    this.#watch = new Watch(clock.now(), events.blind, options.agree);
    const wakeStarved = () => this.#starved && this.#loop.wake();
    this.#settler = new Settler(clock, events, {
      write: landings => this.#watch.agreed().then(() => this.#settle(landings)),
      writing: wakeStarved,
      written: () => {
        options.settled();
        wakeStarved();
      },
    });
    this.#loop = new Loop(
      clock,
      () => this.#step(),
      error => events.storeFailed(error),
      now => this.#watch.look(now),
    );
  }

  get inFlight(): number {
    return this.#flights.size;
  }

  start(): void {
    this.#loop.start();
  }

  /** Something is due at `dueAt` (epoch ms), or now. */
  wake(dueAt?: number): void {
    this.#loop.wake(dueAt);
  }

  /** The schedule was changed: a request not yet started stays here, to be claimed anew. */
  cancel(scheduleId: string): void {
    this.#flights.cancel(scheduleId);
  }

  /** Holds on to what is in flight; what this node no longer holds as it was claimed is called back. */
  async renew(): Promise<void> {
    const flying = this.#flights.claims;
    const landed = this.#settler.unwritten.map(({ claim }) => claim);
    const keys = [...flying, ...landed].map(({ scheduleKey }) => scheduleKey);
    const held = new Set(await this.#options.queue.renew(keys));
    const lost = new Set(flying.filter(claim => !held.has(claim.scheduleKey)));
    this.#flights.cancelWhere(claim => lost.has(claim));
  }

  /** Claims nothing more, gives back what was not started, and waits for what is in flight. */
  async stop(): Promise<void> {
    this.#stopping = true;
    // Before the last step ends: what it claims does not start any more.
    void this.#flights.ground();
    await this.#loop.stop();
    await this.#flights.ground();
    await this.#settler.drained();
  }

  /** What ends from now on is not recorded: the next start finds it in flight and sends it again. */
  abandon(): void {
    this.#settler.abandon();
  }

  async #step(): Promise<number | null> {
    const { queue, clock, maxInFlight } = this.#options;
    this.#flights.expect();
    const room = maxInFlight - this.#flights.size - this.#settler.pending;
    this.#starved = room <= 0 || this.#settler.failing;
    if (this.#starved || this.#stopping) return null;
    const now = clock.now();
    const limit = Math.min(room, this.#flights.size === 0 ? FIRST_BATCH : CLAIM_BATCH);
    await this.#watch.agreed();
    const askedAt = monotonicMs();
    const claims = await queue.claim(now, limit, this.#watch.unseenUntil);
    if (this.#options.term?.isOverSince(askedAt)) {
      this.#giveBack(claims);
      return now;
    }
    for (const claim of claims) if (claim.begun) this.#fire(claim);
    await this.#decide(claims.filter(claim => !claim.begun));
    if (claims.length === limit) return now;
    return soonest(await queue.nextDueAt(), now, this.#options.pollMs);
  }

  /** Rows whose time passed unseen, whose schedule changed, or that a manual run blocks. */
  async #decide(claims: Claim[]): Promise<void> {
    if (claims.length === 0) return;
    // A lost attempt is told by the instant of its claim: no time that came after it may begin here.
    const now = claims[0]!.claimedAt;
    const decided = this.#each(claims, claim => ({
      claim,
      move: decide(claim, claim.firing, now, this.#watch.unseenUntil),
    }));
    try {
      const settlements = decided.map(({ claim, move }) => settlementOf(claim, move, now));
      const overtaken = new Set(await this.#options.queue.settle(settlements));
      this.#giveBack(claims.filter(claim => overtaken.has(claim.scheduleKey)));
      for (const { claim, move } of decided) {
        if (!overtaken.has(claim.scheduleKey)) this.#decided(claim, move);
      }
    } catch (error) {
      // They are claimed, and nobody else will look at them: the settler gives them back.
      this.#giveBack(decided.map(({ claim }) => claim));
      throw error;
    }
  }

  #giveBack(claims: Claim[]): void {
    for (const claim of claims)
      this.#settler.add({ claim, attempt: null, endedAt: claim.claimedAt });
  }

  /** One bad row cannot stop the others: it is told of and left out. */
  #each<Item extends { firing: Firing }, Result>(
    items: Item[],
    work: (item: Item) => Result,
  ): Result[] {
    return items.flatMap(item => {
      try {
        return [work(item)];
      } catch (error) {
        this.#options.events.rowFailed(item.firing.id, error);
        return [];
      }
    });
  }

  #decided(claim: Claim, move: Move): void {
    this.#tell(move);
    if (move.row?.state === 'inFlight') {
      this.#fire({ ...claim, ...move.row, begun: true, changedAt: null });
    } else if (move.row) {
      this.wake(move.row.dueAt);
    }
    if (move.ended) this.#options.settled();
  }

  #fire(claim: Claim): void {
    const { send, events } = this.#options;
    const { firing, scheduledFor, attempt } = claim;
    const request = buildFiring(firing, {
      runId: runId(firing.id, scheduledFor),
      scheduleId: firing.id,
      scheduledFor,
      attempt,
      nowMs: claim.claimedAt,
      signingSecret: firing.signingSecret,
      timeoutMs: (firing.policy?.timeoutSeconds ?? POLICY_DEFAULTS.timeoutSeconds) * 1_000,
    });
    request.ticket = this.#flights.begin(firing.id, claim);
    void send(request).then(result => {
      this.#flights.end(firing.id, claim);
      const endedAt = this.#options.clock.now();
      if (result.outcome === 'cancelled') {
        this.#settler.add({ claim, attempt: null, endedAt });
      } else {
        if (attempt === 1) events.fired(result.startedAt - scheduledFor);
        events.attemptEnded('schedule', result.outcome, result.durationMs);
        this.#settler.add({ claim, attempt: attemptOf(attempt, result), endedAt });
      }
    });
  }

  async #settle(landings: Landing[]): Promise<void> {
    const { queue } = this.#options;
    let open = landings;
    while (open.length > 0) {
      const moved = this.#each(
        open.map(landing => ({ landing, firing: landing.claim.firing })),
        ({ landing }) => ({ landing, move: this.#moveOf(landing) }),
      );
      const now = this.#options.clock.now();
      const overtaken = new Set(
        await queue.settle(
          moved.map(({ landing, move }) => settlementOf(landing.claim, move, now)),
        ),
      );
      const isOvertaken = ({ landing }: { landing: Landing }) =>
        overtaken.has(landing.claim.scheduleKey);
      for (const each of moved) if (!isOvertaken(each)) this.#noteSettled(each.move);
      open = await this.#overtaken(moved.filter(isOvertaken).map(({ landing }) => landing));
    }
  }

  /** Landings whose schedule changed meanwhile, with the schedule as it is now. */
  async #overtaken(landings: Landing[]): Promise<Landing[]> {
    if (landings.length === 0) return [];
    const keys = landings.map(({ claim }) => claim.scheduleKey);
    const standings = new Map<number, Standing>();
    for (const standing of await this.#options.queue.reread(keys)) {
      standings.set(standing.scheduleKey, standing);
    }
    return landings.flatMap(landing => {
      const { claim } = landing;
      const standing = standings.get(claim.scheduleKey);
      const isOurs =
        standing?.scheduledFor === claim.scheduledFor && standing.attempt === claim.attempt;
      if (!isOurs) return [];
      const { nextFor, changedAt, firing } = standing;
      return [{ ...landing, claim: { ...claim, nextFor, changedAt, firing } }];
    });
  }

  #moveOf({ claim, attempt, endedAt }: Landing): Move {
    const { firing, nextFor } = claim;
    if (attempt === null) return giveBack(claim, firing, endedAt);
    const row: QueueRow = {
      state: claim.state,
      dueAt: claim.dueAt,
      scheduledFor: claim.scheduledFor,
      nextFor,
      attempt: claim.attempt,
      attempts: [...claim.attempts, attempt],
    };
    const random = this.#options.random();
    const verdict = judge(row.attempts, firing.policy, endedAt, nextFor, random);
    return afterAttempt(row, firing, verdict, endedAt, this.#watch.unseenUntil);
  }

  #noteSettled(move: Move): void {
    this.#tell(move);
    if (move.row && !this.#stopping) this.#loop.wake(move.row.dueAt);
  }

  #tell({ ended, passed }: Move): void {
    const { events } = this.#options;
    if (ended) events.runEnded(ended.status as 'succeeded' | 'failed');
    for (const record of passed) {
      events.passed(record.status as 'skipped' | 'missed', record.missed?.count ?? 1);
    }
  }
}
