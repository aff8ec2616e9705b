import type { Clock } from '../clock.ts';
import { decide, type Move } from '../domain/queue.ts';
import { mayBegin } from '../domain/queue-row.ts';
import type { Send } from '../outbound/send.ts';
import { monotonicMs, type Term } from '../outbound/ticket.ts';
import type { Claim, QueueStore } from '../store/work.ts';
import { attemptOf } from './attempt.ts';
import { Departures } from './departures.ts';
import { type EngineEvents, eachOf } from './events.ts';
import { Flights } from './flights.ts';
import { Landings } from './landings.ts';
import { Loop, soonest } from './loop.ts';
import { settlementOf } from './settlement.ts';
import { isAhead, requestAt, type Trip, tripOf } from './trip.ts';
import { Watch } from './watch.ts';

/** One claim is one commit: enough rows to share it. */
const CLAIM_BATCH = 500;
/** The first claim of a burst: few enough for the first request to leave soon. */
const FIRST_BATCH = 100;
/** Claims are made this long ahead of their time at most, so that at their time they need only be sent. */
const AHEAD_MS = 1_000;
/** How long before its time a row is claimed at the latest; what is between the two is claimed together. */
const LEAD_MS = 500;
/** Firings held for their time, at most, beside those in flight. */
const MAX_AHEAD = 20_000;

export interface DispatcherOptions {
  queue: QueueStore;
  send: Send;
  clock: Clock;
  /** 0 to below 1. */
  random: () => number;
  events: EngineEvents;
  /** Firings whose time has come and that are not settled yet, at most. */
  maxInFlight: number;
  /** Where others write to the same store: how often to look whether something is due, ms. */
  pollMs: number | undefined;
  /** Set where they do: how long this node holds what it has claimed. */
  term: Term | undefined;
  /** Told when rows were settled: callbacks may be due, and manual runs may have their turn. */
  settled: () => void;
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
  readonly #flights: Flights<Claim, Trip>;
  readonly #departures: Departures<Trip>;
  readonly #landings: Landings;
  readonly #loop: Loop;
  readonly #watch: Watch;
  #starved = false;
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, events } = options;
    this.#watch = new Watch(clock.now(), events.blind);
    const looks = {
      failed: (error: unknown) => events.storeFailed(error),
      tick: (now: number) => this.#watch.look(now),
    };
    this.#flights = new Flights(trip => this.#dismiss(trip));
    this.#departures = new Departures({
      clock,
      room: () => this.#room,
      depart: (trips, now) => this.#depart(trips, now),
      ...looks,
    });
    const hooks = {
      writing: () => this.#moreRoom(),
      written: () => {
        options.settled();
        this.#moreRoom();
      },
    };
    const unseenUntil = () => this.#watch.unseenUntil;
    const moved = (move: Move) => this.#noteSettled(move);
    this.#landings = new Landings({ ...options, unseenUntil, moved }, hooks);
    this.#loop = new Loop(clock, () => this.#step(), looks.failed, looks.tick);
  }

  /** Requests under way, or waiting for a connection. */
  get inFlight(): number {
    return this.#flights.size - this.#departures.size;
  }

  start(): void {
    this.#loop.start();
    this.#departures.start();
  }

  /** Something is due at `dueAt` (epoch ms), or now. */
  wake(dueAt?: number): void {
    this.#loop.wake(dueAt === undefined ? undefined : dueAt - LEAD_MS);
  }

  /** The schedule was changed: a request not yet started stays here, to be claimed anew. */
  cancel(scheduleId: string): void {
    this.#flights.cancel(scheduleId);
  }

  /** A manual run waits: what is held for a later time makes way for it. */
  makeWay(scheduleId: string): void {
    const trip = this.#flights.find(scheduleId);
    if (trip) this.#dismiss(trip);
  }

  /**
   * Holds on to what was claimed before `claimedBefore`; what this node no longer holds as it was
   * claimed is called back.
   */
  async renew(claimedBefore: number): Promise<void> {
    const isOld = ({ claimedAt }: Claim) => claimedAt < claimedBefore;
    const flying = this.#flights.claims.filter(isOld);
    const landed = this.#landings.claims.filter(isOld);
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
    await Promise.all([this.#loop.stop(), this.#departures.stop()]);
    await this.#flights.ground();
    await this.#landings.drained();
  }

  /** What ends from now on is not recorded: the next start finds it in flight and sends it again. */
  abandon(): void {
    this.#landings.abandon();
  }

  get #room(): number {
    return this.#options.maxInFlight - this.inFlight - this.#landings.pending;
  }

  async #step(): Promise<number | null> {
    const { queue, clock, pollMs, term } = this.#options;
    this.#flights.expect();
    const now = clock.now();
    const limit = this.#limit(now);
    this.#starved = limit <= 0;
    if (this.#starved || this.#stopping) return null;
    const askedAt = monotonicMs();
    const claims = await queue.claim(now, limit, this.#watch.unseenUntil, AHEAD_MS);
    if (term?.isOverSince(askedAt)) {
      for (const claim of claims) this.#landings.giveBack(claim);
      return now;
    }
    this.#hold(claims.filter(claim => claim.begun));
    await this.#decide(claims.filter(claim => !claim.begun));
    if (claims.length === limit) return now;
    return soonest(lookAt(await queue.nextDueAt(), now), now, pollMs);
  }

  /** How many may be claimed: none while what was claimed before cannot depart. */
  #limit(now: number): number {
    const room = this.#room - this.#departures.overdue(now);
    if (room <= 0 || this.#landings.failing) return 0;
    const limit = this.#flights.size === 0 ? FIRST_BATCH : CLAIM_BATCH;
    return Math.min(limit, MAX_AHEAD + room - this.#departures.size);
  }

  /** Rows whose time passed unseen, whose schedule changed, or that a manual run blocks. */
  async #decide(claims: Claim[]): Promise<void> {
    if (claims.length === 0) return;
    // A lost attempt is told by the instant of its claim: no time that came after it may begin here.
    const now = claims[0]!.claimedAt;
    const decided = eachOf(
      claims,
      ({ firing }) => firing.id,
      claim => ({ claim, move: decide(claim, claim.firing, now, this.#watch.unseenUntil) }),
      this.#options.events,
    );
    try {
      const settlements = decided.map(({ claim, move }) => settlementOf(claim, move, now));
      const overtaken = new Set(await this.#options.queue.settle(settlements));
      for (const { claim, move } of decided) {
        if (overtaken.has(claim.scheduleKey)) this.#landings.giveBack(claim);
        else this.#decided(claim, move);
      }
    } catch (error) {
      // They are claimed, and nobody else will look at them: they are given back.
      for (const { claim } of decided) this.#landings.giveBack(claim);
      throw error;
    }
  }

  #decided(claim: Claim, move: Move): void {
    this.#tell(move);
    if (move.row?.state === 'inFlight') {
      this.#hold([{ ...claim, ...move.row, begun: true, changedAt: null }]);
    } else if (move.row) {
      this.wake(move.row.dueAt);
    }
    if (move.ended) this.#options.settled();
  }

  #hold(claims: Claim[]): void {
    const { term, events } = this.#options;
    const idOf = ({ firing }: Claim) => firing.id;
    const trips = eachOf(claims, idOf, claim => tripOf(claim, term), events);
    const [held, recalled] = partition(trips, trip => this.#flights.begin(trip));
    this.#departures.hold(held);
    for (const trip of recalled) this.#stay(trip);
  }

  /** Called back: if its time has not come, it does not depart. */
  #dismiss(trip: Trip): void {
    if (this.#departures.dismiss(trip)) this.#stay(trip);
  }

  async #depart(trips: Trip[], now: number): Promise<void> {
    const confirmed = await this.#confirm(trips);
    const { unseenUntil } = this.#watch;
    for (const trip of trips) {
      const { claim } = trip;
      const isMeant =
        !isAhead(claim) ||
        (confirmed(claim) && mayBegin({ ...claim, state: claim.was }, now, unseenUntil));
      if (isMeant) this.#send(trip, now);
      else this.#stay(trip);
    }
  }

  /** What other nodes changed since it was claimed is not sent. */
  async #confirm(trips: Trip[]): Promise<(claim: Claim) => boolean> {
    const { queue, term } = this.#options;
    const ahead = trips.map(({ claim }) => claim).filter(isAhead);
    if (term === undefined || ahead.length === 0) return () => true;
    const confirmed = new Set(await queue.confirm(ahead));
    return ({ scheduleKey }) => confirmed.has(scheduleKey);
  }

  #send(trip: Trip, now: number): void {
    const { send, events } = this.#options;
    const { claim, ticket } = trip;
    const request = requestAt(trip, now);
    request.ticket = ticket;
    void send(request).then(result => {
      if (result.outcome === 'cancelled') return this.#stay(trip);
      this.#flights.end(trip);
      if (claim.attempt === 1) events.fired(result.startedAt - claim.scheduledFor);
      events.attemptEnded('schedule', result.outcome, result.durationMs);
      this.#landings.add(claim, attemptOf(claim.attempt, result));
    });
  }

  /** It is not sent. */
  #stay(trip: Trip): void {
    this.#flights.end(trip);
    this.#landings.giveBack(trip.claim);
  }

  #moreRoom(): void {
    this.#departures.wake();
    if (this.#starved) this.#loop.wake();
  }

  #noteSettled(move: Move): void {
    this.#tell(move);
    if (move.row && !this.#stopping) this.wake(move.row.dueAt);
  }

  #tell({ ended, passed }: Move): void {
    const { events } = this.#options;
    if (ended) events.runEnded(ended.status as 'succeeded' | 'failed');
    for (const record of passed) {
      events.passed(record.status as 'skipped' | 'missed', record.missed?.count ?? 1);
    }
  }
}

/** When it is worth claiming again. What is due within reach and was left has to wait for its time. */
function lookAt(nextDueAt: number | null, now: number): number | null {
  if (nextDueAt === null || nextDueAt <= now + AHEAD_MS) return nextDueAt;
  return nextDueAt - LEAD_MS;
}

function partition<Item>(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  const parts: [Item[], Item[]] = [[], []];
  for (const item of items) parts[isFirst(item) ? 0 : 1].push(item);
  return parts;
}
