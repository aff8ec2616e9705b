import { iso } from '../../domain/iso.ts';
import type { Outcome } from '../../domain/run/run.ts';

/** Requests in a row that got no answer at all, and for how long at least, until the breaker opens. */
const FAULTS = 20;
const FAULTY_MS = 10_000;
/** How long an open breaker refuses before it lets one request through to see. */
const PROBE_MS = 5_000;

/**
 * The circuit breaker of one host. While the host does not respond, requests are refused here instead of waiting for their
 * time limit. One probe now and then looks whether the host is back.
 *
 * Any answer counts, 500 too: a host that answers holds up nobody.
 */
export class Breaker {
  readonly #origin: string;
  #faults = 0;
  #faultySince = 0;
  /** When the next probe may leave; null while the breaker is closed. */
  #probeAt: number | null = null;
  #askedAt = 0;
  /** The request that was let through to see, until it ends. */
  #probe: object | null = null;

  /** @param origin scheme, name and port of the host */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The first of the requests in a row that got no answer. */
  get since(): number {
    return this.#faultySince;
  }

  /** When something was last to be sent. */
  get askedAt(): number {
    return this.#askedAt;
  }

  get isOpen(): boolean {
    return this.#probeAt !== null;
  }

  /** Nothing is remembered: as good as a new one. */
  get isFresh(): boolean {
    return this.#faults === 0;
  }

  /** @returns why the request may not leave now, in one sentence; null where it may */
  refuses(now: number, request: object): string | null {
    if (this.#probeAt === null) return null;
    this.#askedAt = now;
    // A clock that was set back does not keep it shut.
    if (now >= this.#probeAt || this.#probeAt - now > PROBE_MS) {
      this.#probeAt = now + PROBE_MS;
      this.#probe = request;
      return null;
    }
    return (
      `It was not sent: the breaker of ${this.#origin} is open. The last ${this.#faults} requests ` +
      `to it, since ${iso(this.#faultySince)}, got no answer; one is let through every ` +
      `${PROBE_MS / 1_000} s.`
    );
  }

  /** A request is over. A probe that was never sent has seen nothing: the next request may leave at once. */
  over(request: object, wasSent: boolean): void {
    if (request !== this.#probe) return;
    this.#probe = null;
    if (!wasSent && this.#probeAt !== null) this.#probeAt = this.#askedAt;
  }

  /** @returns whether it opened or closed by this */
  ended(outcome: Outcome, now: number): boolean {
    const wasOpen = this.isOpen;
    this.#askedAt = now;
    if (outcome === 'timeout' || outcome === 'connectionError') this.#fault(now);
    else if (outcome === 'response') this.forget();
    return this.isOpen !== wasOpen;
  }

  /** The host begins anew. */
  forget(): void {
    this.#faults = 0;
    this.#probeAt = null;
  }

  #fault(now: number): void {
    this.#faults += 1;
    // A clock that was set back begins the time anew.
    if (this.#faults === 1 || now < this.#faultySince) this.#faultySince = now;
    const isFaulty = this.#faults >= FAULTS && now - this.#faultySince >= FAULTY_MS;
    if (isFaulty && this.#probeAt === null) this.#probeAt = now + PROBE_MS;
  }
}
