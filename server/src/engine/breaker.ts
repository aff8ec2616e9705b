import { iso } from '../domain/iso.ts';
import type { Outcome } from '../domain/run.ts';

/** Requests in a row that got no answer at all, and for how long at least, until the breaker opens. */
const FAULTS = 20;
const FAULTY_MS = 10_000;
/** How long an open breaker refuses before it lets one request through to see. */
const PROBE_MS = 5_000;

/**
 * The circuit breaker of one host: where nothing answers any more, requests are refused here instead
 * of waiting for their time limit, but for one now and then that looks whether it is back.
 *
 * Any answer counts as one, 500 too: who answers holds up nobody.
 */
export class Breaker {
  #faults = 0;
  #faultySince = 0;
  /** When the next probe may leave; null while the breaker is closed. */
  #probeAt: number | null = null;

  get isOpen(): boolean {
    return this.#probeAt !== null;
  }

  /** Nothing is remembered: as good as a new one. */
  get isFresh(): boolean {
    return this.#faults === 0;
  }

  /** @returns why no request may leave now, in one sentence; null where one may */
  refuses(now: number): string | null {
    if (this.#probeAt === null) return null;
    // A clock that was set back does not keep it shut.
    if (now >= this.#probeAt || this.#probeAt - now > PROBE_MS) {
      this.#probeAt = now + PROBE_MS;
      return null;
    }
    return (
      `It was not sent: the last ${this.#faults} requests to this host, since ` +
      `${iso(this.#faultySince)}, got no answer. One is let through every ${PROBE_MS / 1_000} s.`
    );
  }

  /** @returns whether it opened or closed by this */
  ended(outcome: Outcome, now: number): boolean {
    const wasOpen = this.isOpen;
    if (outcome === 'timeout' || outcome === 'connectionError') this.#fault(now);
    else if (outcome === 'response') {
      this.#faults = 0;
      this.#probeAt = null;
    }
    return this.isOpen !== wasOpen;
  }

  #fault(now: number): void {
    this.#faults += 1;
    // A clock that was set back begins the time anew.
    if (this.#faults === 1 || now < this.#faultySince) this.#faultySince = now;
    const isFaulty = this.#faults >= FAULTS && now - this.#faultySince >= FAULTY_MS;
    if (isFaulty && this.#probeAt === null) this.#probeAt = now + PROBE_MS;
  }
}
