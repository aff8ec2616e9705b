import { LRUCache } from 'lru-cache';
import type { Outcome } from '../domain/run.ts';
import { Breaker } from './breaker.ts';
import type { BreakerLog } from './breaker-log.ts';
import type { Bound } from './turns.ts';

export interface PlacesOptions {
  mostPerHost: number;
  breakers: Pick<BreakerLog, 'opened' | 'closed' | 'forgotten'>;
}

/** A host as one client knows it: what others make of it is not held against this one. */
export class Host {
  readonly clientKey: number;
  /** Scheme, name and port. */
  readonly origin: string;
  readonly breaker: Breaker;
  inFlight = 0;
  /** Requests that ended since the last look; null before the first. */
  ended: number | null = null;

  constructor({ clientKey, origin }: Bound) {
    this.clientKey = clientKey;
    this.origin = origin;
    this.breaker = new Breaker(origin);
  }
}

/** What a host gets through within this time need not go back to the queue, for about as long. */
const SOON_SECONDS = 5;
const MOST_FAULTY = 10_000;
/** What a client may have, in parts of what is left: three quarters where it is alone. */
const SHARE = 3;

/**
 * Places: how many requests of those in flight go to each host, and belong to each client.
 *
 * A host has a fixed number. A client takes at most three times as many as are left for all others, so
 * that there is a place for one that had none.
 */
export class Places {
  /** Those with requests in flight. */
  readonly #hosts = new Map<string, Host>();
  /** Those without, whose last request got no answer; there is no end to them. */
  readonly #faulty: LRUCache<string, Host>;
  readonly #clients = new Map<number, number>();
  readonly #options: PlacesOptions;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#faulty = new LRUCache({
      max: MOST_FAULTY,
      dispose: (host, _name, reason) => {
        if (reason === 'evict' && host.breaker.isOpen) options.breakers.forgotten(host);
      },
    });
  }

  /**
   * Asked once a second: how many of those that wait for a host are more than it will get through
   * soon, by what ended since the last time. None while it has a place left, and none at the first
   * look: a host is forgotten whenever nothing is in flight to it, and what ended with it.
   */
  surplus(bound: Bound, waiting: number): number {
    const host = this.#hosts.get(nameOf(bound));
    if (host === undefined) return 0;
    const { ended } = host;
    host.ended = 0;
    if (ended === null || host.inFlight < this.#options.mostPerHost) return 0;
    return Math.max(0, waiting - ended * SOON_SECONDS);
  }

  /**
   * @param room how many places are left in all
   * @returns null where there is none for this one
   */
  enter(bound: Bound, room: number): Host | null {
    const ofClient = this.#clients.get(bound.clientKey) ?? 0;
    if (ofClient >= SHARE * room) return null;
    const name = nameOf(bound);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = this.#faulty.get(name) ?? new Host(bound);
      this.#faulty.delete(name);
      this.#hosts.set(name, host);
    } else if (host.inFlight >= this.#options.mostPerHost) return null;
    host.inFlight += 1;
    this.#clients.set(bound.clientKey, ofClient + 1);
    return host;
  }

  /** @param outcome null where no request was sent */
  leave(host: Host, outcome: Outcome | null, now: number): void {
    host.inFlight -= 1;
    if (outcome !== null && host.ended !== null) host.ended += 1;
    const { clientKey, breaker } = host;
    const ofClient = this.#clients.get(clientKey)! - 1;
    if (ofClient === 0) this.#clients.delete(clientKey);
    else this.#clients.set(clientKey, ofClient);
    if (outcome !== null && breaker.ended(outcome, now)) {
      this.#options.breakers[breaker.isOpen ? 'opened' : 'closed'](host);
    }
    if (host.inFlight > 0) return;
    const name = nameOf(host);
    this.#hosts.delete(name);
    if (!breaker.isFresh) this.#faulty.set(name, host);
  }
}

function nameOf({ clientKey, origin }: Bound): string {
  return `${clientKey} ${origin}`;
}

/** Scheme, name and port of a url that was accepted. */
export function originOf(url: string): string {
  const length = url.slice(8).search(/[/?#]/);
  return (length === -1 ? url : url.slice(0, 8 + length)).toLowerCase();
}
