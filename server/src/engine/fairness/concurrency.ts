import { LRUCache } from 'lru-cache';
import type { Outcome } from '../../domain/run/run.ts';
import { JOB_KINDS, type JobKind } from '../observer.ts';
import { Breaker } from './breaker.ts';
import type { BreakerLog } from './breaker-log.ts';
import type { ClientHost, FairItem } from './fair-queue.ts';
import { RecentEnds } from './recent-ends.ts';

export interface ConcurrencySettings {
  /** Slots of firings: those whose time has come and that are not settled yet. */
  maxInFlight: number;
  /** Of these, to one host for one client. */
  maxInFlightPerHost: number;
  /** Slots that manual runs and callbacks share, besides those of firings; a quarter is kept for each of the two. */
  outboxSlots?: number;
}

export interface ConcurrencyOptions extends ConcurrencySettings {
  breakers: Pick<BreakerLog, 'opened' | 'closed' | 'forgotten'>;
}

/** The state of one host for one client. Clients do not share it: one client's failures do not count for another. */
export class HostState {
  readonly clientRowId: number;
  /** Scheme, name and port. */
  readonly origin: string;
  readonly breaker: Breaker;
  readonly inFlight: Record<JobKind, number> = { schedule: 0, manual: 0, callback: 0 };
  /** Null where a slot was free at the last look. */
  readonly ends: Record<JobKind, RecentEnds | null> = {
    schedule: null,
    manual: null,
    callback: null,
  };

  constructor({ clientRowId, origin }: ClientHost) {
    this.clientRowId = clientRowId;
    this.origin = origin;
    this.breaker = new Breaker(origin);
  }

  get isIdle(): boolean {
    return totalOf(this.inFlight) === 0;
  }
}

const OUTBOX_SLOTS = 200;
/** Manual runs, and callbacks, to one host for one client; fewer where it has fewer slots for firings. */
const OUTBOX_SLOTS_PER_HOST = 50;
const MOST_FAULTY = 10_000;
/** A client may take this many times the slots that are left: three quarters of all where it is alone. */
const SHARE = 3;

/**
 * Concurrency limits: how many requests may be in flight, of each kind, to each host and for each client.
 *
 * Firings, manual runs and callbacks each have their own slots, in all and at each host. A client takes at most three times
 * as many slots of a kind as are left for all others. So a client without requests in flight always finds one
 * (docs/decisions/0023-one-pipeline.md).
 */
export class ConcurrencyLimits {
  /** Hosts with requests in flight. */
  readonly #hosts = new Map<string, HostState>();
  /** Hosts without requests in flight whose last request failed. Their number has no bound of its own. */
  readonly #faulty: LRUCache<string, HostState>;
  readonly #inFlight: Record<JobKind, number> = { schedule: 0, manual: 0, callback: 0 };
  readonly #clients: Record<JobKind, Map<number, number>> = {
    schedule: new Map(),
    manual: new Map(),
    callback: new Map(),
  };
  readonly #options: ConcurrencyOptions;

  constructor(options: ConcurrencyOptions) {
    this.#options = options;
    this.#faulty = new LRUCache({
      // With `max` its tables would be made at once, for a millisecond of each start.
      maxSize: MOST_FAULTY,
      sizeCalculation: () => 1,
      dispose: (host, _name, reason) => {
        if (reason === 'evict' && host.breaker.isOpen) options.breakers.forgotten(host);
      },
    });
  }

  /** Requests in flight, of all kinds. */
  get inFlight(): number {
    return totalOf(this.#inFlight);
  }

  /** How many more requests of the kind may be in flight. */
  room(kind: JobKind): number {
    const { schedule, manual, callback } = this.#inFlight;
    if (kind === 'schedule') return this.#options.maxInFlight - schedule;
    const ofOther = kind === 'manual' ? callback : manual;
    const { outboxSlots = OUTBOX_SLOTS } = this.#options;
    // A flood of one cannot take the kept slots from the other.
    const kept = Math.floor(outboxSlots / 4);
    return outboxSlots - manual - callback - Math.max(0, kept - ofOther);
  }

  /**
   * To be called once a second while jobs wait for hosts.
   *
   * @param isFirst nothing is known of the seconds before
   */
  beginSecond(isFirst: boolean): void {
    for (const { inFlight, ends } of this.#hosts.values()) {
      for (const kind of JOB_KINDS) {
        const isFull = inFlight[kind] >= this.#mostPerHost(kind);
        ends[kind] = RecentEnds.beginSecond(ends[kind], isFull, isFirst);
      }
    }
  }

  /**
   * How many of the jobs that wait for a host exceed what it may get through soon, by the requests that ended in the last
   * seconds. It is 0 while the host has a free slot, and in its first second without one.
   */
  surplus(item: FairItem, waiting: number): number {
    const { kind } = item;
    const host = this.#hosts.get(nameOf(item));
    const ends = host?.ends[kind] ?? null;
    const slots = this.#mostPerHost(kind);
    if (ends === null || host!.inFlight[kind] < slots) return 0;
    return Math.max(0, waiting - ends.mostSoon(slots));
  }

  /**
   * @param room how many slots the kind has left
   * @returns null where no slot is free for this kind, client and host
   */
  acquire(item: FairItem, room: number): HostState | null {
    const { kind, clientRowId } = item;
    const clients = this.#clients[kind];
    const ofClient = clients.get(clientRowId) ?? 0;
    if (ofClient >= SHARE * room) return null;
    const name = nameOf(item);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = this.#faulty.get(name) ?? new HostState(item);
      this.#faulty.delete(name);
      this.#hosts.set(name, host);
    } else if (host.inFlight[kind] >= this.#mostPerHost(kind)) return null;
    host.inFlight[kind] += 1;
    this.#inFlight[kind] += 1;
    clients.set(clientRowId, ofClient + 1);
    return host;
  }

  /** @param outcome null where no request was sent */
  release(kind: JobKind, host: HostState, outcome: Outcome | null, now: number): void {
    const { clientRowId, breaker } = host;
    host.inFlight[kind] -= 1;
    this.#inFlight[kind] -= 1;
    if (outcome !== null) host.ends[kind]?.count();
    const clients = this.#clients[kind];
    const ofClient = clients.get(clientRowId)! - 1;
    if (ofClient === 0) clients.delete(clientRowId);
    else clients.set(clientRowId, ofClient);
    if (outcome !== null && breaker.ended(outcome, now)) {
      this.#options.breakers[breaker.isOpen ? 'opened' : 'closed'](host);
    }
    if (!host.isIdle) return;
    for (const each of JOB_KINDS) host.ends[each] = null;
    const name = nameOf(host);
    this.#hosts.delete(name);
    if (!breaker.isFresh) this.#faulty.set(name, host);
  }

  #mostPerHost(kind: JobKind): number {
    const { maxInFlightPerHost } = this.#options;
    return kind === 'schedule'
      ? maxInFlightPerHost
      : Math.min(OUTBOX_SLOTS_PER_HOST, maxInFlightPerHost);
  }
}

function totalOf({ schedule, manual, callback }: Record<JobKind, number>): number {
  return schedule + manual + callback;
}

function nameOf({ clientRowId, origin }: ClientHost): string {
  return `${clientRowId} ${origin}`;
}

/** Scheme, name and port of a url that was accepted. */
export function originOf(url: string): string {
  const length = url.slice(8).search(/[/?#]/);
  return (length === -1 ? url : url.slice(0, 8 + length)).toLowerCase();
}
