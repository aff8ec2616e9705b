import { LRUCache } from 'lru-cache';
import type { Outcome } from '../../domain/run/run.ts';
import { Breaker } from './breaker.ts';
import type { BreakerLog } from './breaker-log.ts';
import type { ClientHost } from './fair-queue.ts';

export interface ConcurrencyOptions {
  maxPerHost: number;
  breakers: Pick<BreakerLog, 'opened' | 'closed' | 'forgotten'>;
}

/** The state of one host for one client. Clients do not share it: one client's failures do not count for another. */
export class HostState {
  readonly clientRowId: number;
  /** Scheme, name and port. */
  readonly origin: string;
  readonly breaker: Breaker;
  inFlight = 0;
  /** Requests that ended since the last sweep; null before the first. */
  ended: number | null = null;

  constructor({ clientRowId, origin }: ClientHost) {
    this.clientRowId = clientRowId;
    this.origin = origin;
    this.breaker = new Breaker(origin);
  }
}

/** Executions that a host will get through within this time are not postponed. */
const SOON_SECONDS = 5;
const MOST_FAULTY = 10_000;
/** A client may take this many times the slots that are left: three quarters of all where it is alone. */
const SHARE = 3;

/**
 * Concurrency limits: how many requests may be in flight to each host and for each client.
 *
 * A host has a fixed number of slots. A client takes at most three times as many slots as are left for all others, so
 * that a client without requests in flight always finds one.
 */
export class ConcurrencyLimits {
  /** Hosts with requests in flight. */
  readonly #hosts = new Map<string, HostState>();
  /** Hosts without requests in flight whose last request failed. Their number has no bound of its own. */
  readonly #faulty: LRUCache<string, HostState>;
  readonly #clients = new Map<number, number>();
  readonly #options: ConcurrencyOptions;

  constructor(options: ConcurrencyOptions) {
    this.#options = options;
    this.#faulty = new LRUCache({
      max: MOST_FAULTY,
      dispose: (host, _name, reason) => {
        if (reason === 'evict' && host.breaker.isOpen) options.breakers.forgotten(host);
      },
    });
  }

  /**
   * How many of the executions that wait for a host exceed what it will get through soon. Asked once a second; the
   * estimate is the number of requests that ended since the last call. It is 0 while the host has a free slot, and at
   * the first call: a host is forgotten, with its counts, whenever nothing is in flight to it.
   */
  surplus(clientHost: ClientHost, waiting: number): number {
    const host = this.#hosts.get(nameOf(clientHost));
    if (host === undefined) return 0;
    const { ended } = host;
    host.ended = 0;
    if (ended === null || host.inFlight < this.#options.maxPerHost) return 0;
    return Math.max(0, waiting - ended * SOON_SECONDS);
  }

  /**
   * @param room how many slots are free in all
   * @returns null where no slot is free for this client and host
   */
  acquire(clientHost: ClientHost, room: number): HostState | null {
    const ofClient = this.#clients.get(clientHost.clientRowId) ?? 0;
    if (ofClient >= SHARE * room) return null;
    const name = nameOf(clientHost);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = this.#faulty.get(name) ?? new HostState(clientHost);
      this.#faulty.delete(name);
      this.#hosts.set(name, host);
    } else if (host.inFlight >= this.#options.maxPerHost) return null;
    host.inFlight += 1;
    this.#clients.set(clientHost.clientRowId, ofClient + 1);
    return host;
  }

  /** @param outcome null where no request was sent */
  release(host: HostState, outcome: Outcome | null, now: number): void {
    host.inFlight -= 1;
    if (outcome !== null && host.ended !== null) host.ended += 1;
    const { clientRowId, breaker } = host;
    const ofClient = this.#clients.get(clientRowId)! - 1;
    if (ofClient === 0) this.#clients.delete(clientRowId);
    else this.#clients.set(clientRowId, ofClient);
    if (outcome !== null && breaker.ended(outcome, now)) {
      this.#options.breakers[breaker.isOpen ? 'opened' : 'closed'](host);
    }
    if (host.inFlight > 0) return;
    const name = nameOf(host);
    this.#hosts.delete(name);
    if (!breaker.isFresh) this.#faulty.set(name, host);
  }
}

function nameOf({ clientRowId, origin }: ClientHost): string {
  return `${clientRowId} ${origin}`;
}

/** Scheme, name and port of a url that was accepted. */
export function originOf(url: string): string {
  const length = url.slice(8).search(/[/?#]/);
  return (length === -1 ? url : url.slice(0, 8 + length)).toLowerCase();
}
