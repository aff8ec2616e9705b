import type { Clock } from '../clock.ts';
import { mayBegin } from '../domain/queue-row.ts';
import type { Outcome } from '../domain/run.ts';
import type { Send } from '../outbound/send.ts';
import type { Term } from '../outbound/ticket.ts';
import type { EngineLock } from '../store/store.ts';
import type { Claim, QueueStore } from '../store/work.ts';
import { attemptOf, refusedAttempt } from './attempt.ts';
import type { BreakerLog } from './breaker-log.ts';
import { Departures } from './departures.ts';
import { type EngineEvents, eachOf } from './events.ts';
import { Flights } from './flights.ts';
import type { Landings } from './landings.ts';
import { Mark } from './mark.ts';
import { Places } from './places.ts';
import { isAhead, requestAt, type Trip, tripOf } from './trip.ts';
import type { Watch } from './watch.ts';

/** Firings held, at most, beside those in flight. A client holds at most as many as are left for others. */
const MAX_HELD = 40_000;
/** So many of a client that could not depart yet are enough: the next claim takes as long as a tenth of a second. */
const MAX_READY = 2_000;
/** Where nodes share a store: what one node has claimed, another one that has room cannot send. */
const SHARED_MAX_READY = 500;
/** Where nodes share a store: for how long a claim stands for what the schedule says. */
const SURE_MS = 100;
/** How much later a firing is due again whose host had no place for it. */
const POSTPONED_MS = 5_000;

export interface CarrierOptions {
  queue: QueueStore;
  send: Send;
  clock: Clock;
  events: EngineEvents;
  watch: Watch;
  landings: Landings;
  /** Looks at the clock. */
  look: (now: number) => void;
  breakers: BreakerLog;
  /** Firings whose time has come and that are not settled yet, at most. */
  maxInFlight: number;
  /** Of these to one host, for one client. */
  maxInFlightPerHost: number;
  /** Where others write to the same store: how long this node holds what it has claimed. */
  term: Term | undefined;
  /** Where the store is this engine's alone. */
  lock: Pick<EngineLock, 'sentUntil' | 'mark'> | null | undefined;
}

/** Carrier: takes each claimed firing to its target at its time, or gives it back. */
export class Carrier {
  readonly #options: CarrierOptions;
  /** By the id of their schedule. */
  readonly #flights: Flights<Claim, Trip>;
  readonly #departures: Departures<Trip>;
  readonly #places: Places;
  readonly #mark: Mark;
  #isWaking = false;

  constructor(options: CarrierOptions) {
    this.#options = options;
    const { clock, events, look, maxInFlightPerHost, breakers, lock } = options;
    this.#mark = new Mark(lock);
    this.#places = new Places({ mostPerHost: maxInFlightPerHost, breakers });
    this.#flights = new Flights(trip => this.#dismiss(trip));
    this.#departures = new Departures({
      clock,
      room: () => this.#room,
      admit: trip => this.#admit(trip),
      surplus: (bound, waiting) => this.#places.surplus(bound, waiting),
      depart: (trips, now) => this.#depart(trips, now),
      postpone: (trips, now) => this.#postpone(trips, now),
      failed: error => events.storeFailed(error),
      tick: now => {
        look(now);
        this.#flights.callBackStale(now);
      },
    });
  }

  /** Requests under way, or waiting for a connection. */
  get inFlight(): number {
    return this.#flights.size - this.#departures.size;
  }

  /** Whether it has nothing at all. */
  get isIdle(): boolean {
    return this.#flights.size === 0;
  }

  /** How many more claims it can hold. */
  get left(): number {
    return MAX_HELD - this.#departures.size;
  }

  /** Whether there is a firing whose time has come and that could not depart yet. */
  get isBehind(): boolean {
    return this.#departures.isBehind;
  }

  /** All that have not ended. */
  get claims(): Claim[] {
    return this.#flights.claims;
  }

  /** The clients that hold their share, or of which too many could not depart yet. */
  sated(): number[] {
    const { left } = this;
    const maxReady = this.#options.term === undefined ? MAX_READY : SHARED_MAX_READY;
    return [...this.#departures.counts()]
      .filter(([, { held, ready }]) => held >= left || ready >= maxReady)
      .map(([clientKey]) => clientKey);
  }

  start(): void {
    this.#departures.start();
  }

  /** Claims are asked for: what is called back from here on may be among them. */
  expect(): void {
    this.#flights.expect();
  }

  /** Takes over what was claimed and begun. Requests are made now, so that they need only be sent. */
  carry(claims: Claim[]): void {
    const { term, events } = this.#options;
    const idOf = ({ firing }: Claim) => firing.id;
    const trips = eachOf(claims, idOf, claim => tripOf(claim, term), events);
    const held: Trip[] = [];
    for (const trip of trips) {
      if (this.#flights.begin(trip)) held.push(trip);
      else this.#stay(trip);
    }
    this.#departures.hold(held);
  }

  /** There may be room again. */
  wake(): void {
    this.#departures.wake();
  }

  /** What has not started is given back. */
  cancel(scheduleId: string): void {
    this.#flights.cancel(scheduleId);
  }

  cancelWhere(isMeant: (claim: Claim) => boolean): void {
    this.#flights.cancelWhere(isMeant);
  }

  /** What is held for a later time is given back; what has its turn goes on. */
  makeWay(scheduleId: string): void {
    const trip = this.#flights.find(scheduleId);
    if (trip) this.#dismiss(trip);
  }

  /** Nothing departs any more. @returns when all have ended */
  async ground(): Promise<void> {
    const ended = this.#flights.ground();
    await this.#departures.stop();
    // What could not depart in the last step was held again.
    this.#flights.cancelWhere(() => true);
    await ended;
  }

  get #room(): number {
    const { maxInFlight, landings } = this.#options;
    return maxInFlight - this.inFlight - landings.pending;
  }

  /** Called back: if its turn has not come, it does not depart. */
  #dismiss(trip: Trip): void {
    if (this.#departures.dismiss(trip)) this.#stay(trip);
  }

  #admit(trip: Trip): boolean {
    trip.host = this.#places.enter(trip, this.#room);
    return trip.host !== null;
  }

  /** They make room for others; their time stays what it was. */
  #postpone(trips: Trip[], now: number): void {
    for (const trip of trips) {
      this.#flights.end(trip);
      this.#options.landings.giveBack(trip.claim, now + POSTPONED_MS);
    }
  }

  async #depart(trips: Trip[], now: number): Promise<void> {
    const confirmed = await this.#prepare(trips, now);
    for (const trip of trips) {
      if (confirmed(trip.claim) && this.#isItsTime(trip, now)) this.#send(trip, now);
      else this.#stay(trip);
    }
  }

  /** What may fail comes before the first of them is sent: then all of them stay. */
  async #prepare(trips: Trip[], now: number): Promise<(claim: Claim) => boolean> {
    try {
      const confirmed = await this.#confirm(trips, now);
      this.#mark.raise(trips, now);
      return confirmed;
    } catch (error) {
      // Nobody is woken: they depart again a little later, with whoever waits for their places.
      for (const trip of trips) this.#vacate(trip, null);
      throw error;
    }
  }

  /** The clock may have been set since, either way. */
  #isItsTime({ claim, dueAt }: Trip, now: number): boolean {
    if (dueAt > now) return false;
    const { unseenUntil } = this.#options.watch;
    return !isAhead(claim) || mayBegin({ ...claim, state: claim.was }, now, unseenUntil);
  }

  /** What other nodes changed since it was claimed is not sent. */
  async #confirm(trips: Trip[], now: number): Promise<(claim: Claim) => boolean> {
    const { queue, term } = this.#options;
    const isOld = ({ claimedAt }: Claim) => now - claimedAt > SURE_MS;
    const old = term === undefined ? [] : trips.map(({ claim }) => claim).filter(isOld);
    if (old.length === 0) return () => true;
    const confirmed = new Set(await queue.confirm(old));
    return claim => !isOld(claim) || confirmed.has(claim.scheduleKey);
  }

  #send(trip: Trip, now: number): void {
    const { claim, host } = trip;
    const refusal = host!.breaker.refuses(now);
    if (refusal !== null) {
      this.#refuse(trip, refusal, now);
      return;
    }
    trip.signedAt = now;
    const request = requestAt(trip, now);
    request.clientKey = trip.clientKey;
    request.ticket = trip.ticket;
    const { send, events, landings } = this.#options;
    void send(request).then(result => {
      if (result.outcome === 'cancelled') return this.#stay(trip);
      this.#leave(trip, result.outcome);
      this.#flights.end(trip);
      if (claim.attempt === 1) events.fired(result.startedAt - claim.scheduledFor);
      events.attemptEnded('schedule', result.outcome, result.durationMs, claim.firing.id);
      landings.add(claim, attemptOf(claim.attempt, result));
    });
  }

  /** An attempt that failed before it began: it is tried again like any other. */
  #refuse(trip: Trip, error: string, now: number): void {
    if (!trip.ticket.start()) {
      this.#stay(trip);
      return;
    }
    const { events, landings } = this.#options;
    events.refused();
    this.#leave(trip, null);
    this.#flights.end(trip);
    landings.add(trip.claim, refusedAttempt(trip.claim.attempt, error, now));
  }

  /** It is not sent. */
  #stay(trip: Trip): void {
    this.#leave(trip, null);
    this.#flights.end(trip);
    this.#options.landings.giveBack(trip.claim);
  }

  #leave(trip: Trip, outcome: Outcome | null): void {
    if (trip.host === null) return;
    this.#vacate(trip, outcome);
    this.#wakeSoon();
  }

  #vacate(trip: Trip, outcome: Outcome | null): void {
    this.#places.leave(trip.host!, outcome, this.#options.clock.now());
    trip.host = null;
  }

  /** Once for all that end together. */
  #wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#departures.wake();
    });
  }
}
