import type { DestinationLimits } from '../../domain/destination/destination.ts';
import { RecentEnds, SOON_SECONDS } from './recent-ends.ts';
import { TokenBucket } from './token-bucket.ts';

/** How much later a job is due again that waits for a slot. */
const POSTPONED_MS = 5_000;
/** The same for one that waits for its turn by the second: as long as that takes, between these two. */
const LEAST_POSTPONED_MS = 1_000;
const MOST_POSTPONED_MS = 30_000;
/** For this long it remembers that it has held something back. */
const REMEMBERED_MS = 60_000;

/**
 * Throttle: keeps the requests to one destination within its limits, on this engine. They hold for the whole
 * installation, so each engine takes an equal share: of concurrent requests rounded up, of requests in a second exactly.
 *
 * Firings and manual runs count. Instants are epoch ms; `now` is handed in.
 */
export class Throttle {
  readonly #enginesOf: () => number;
  #limits: DestinationLimits = {};
  #bucket: TokenBucket | null = null;
  /** Jobs that wait here or are in flight. */
  #held = 0;
  #inFlight = 0;
  /** Null where a slot was free at the last look. */
  #ends: RecentEnds | null = null;
  #heldBackAt = Number.NEGATIVE_INFINITY;
  /** When the jobs are due again that were postponed. */
  #postponed: number[] = [];
  /** How many jobs stand before the next one that is postponed. */
  #place = 0;

  /** @param enginesOf how many engines share the limits */
  constructor(enginesOf: () => number) {
    this.#enginesOf = enginesOf;
  }

  setLimits(limits: DestinationLimits, now: number): void {
    this.#limits = limits;
    this.#adjust(now);
  }

  get hasLimits(): boolean {
    const { maxConcurrent, perSecond } = this.#limits;
    return maxConcurrent !== undefined || perSecond !== undefined;
  }

  /** Whether a request may start now; if not, it has held that one back. */
  mayStart(now: number): boolean {
    if (this.isOpen(now)) return true;
    this.#heldBackAt = now;
    return false;
  }

  isOpen(now: number): boolean {
    this.#adjust(now);
    return !this.#isFull && (this.#bucket?.has(now) ?? true);
  }

  /** When the next request may start; Infinity where it waits for one to end. */
  nextStartAt(now: number): number {
    this.#adjust(now);
    if (this.#isFull) return Number.POSITIVE_INFINITY;
    return this.#bucket?.nextAt(now) ?? now;
  }

  join(): void {
    this.#held += 1;
  }

  leave(): void {
    this.#held -= 1;
  }

  /** A request starts: `mayStart` has said that it may. */
  start(): void {
    this.#inFlight += 1;
    this.#bucket?.take();
  }

  /** @param wasSent false where no request was sent: it does not count */
  end(wasSent: boolean): void {
    this.#inFlight -= 1;
    if (!wasSent) this.#bucket?.putBack();
    else this.#ends?.count();
  }

  /**
   * To be called once a second while jobs wait.
   *
   * @param isFirst nothing is known of the seconds before
   */
  beginSecond(now: number, isFirst: boolean): void {
    this.#ends = RecentEnds.beginSecond(this.#ends, this.#isFull, isFirst);
    this.#place = 0;
    if (this.#postponed.length > 0) this.#postponed = this.#postponed.filter(until => until > now);
  }

  /** How many of the jobs that wait in one lane exceed what it may get through soon. */
  surplus(now: number, waiting: number): number {
    if (this.isOpen(now)) return 0;
    let kept = this.#bucket === null ? waiting : Math.floor(this.#perSecond * SOON_SECONDS);
    if (this.#isFull && this.#ends !== null) {
      kept = Math.min(kept, this.#ends.mostSoon(this.#mostInFlight));
    }
    this.#place = Math.max(this.#place, kept);
    return Math.max(0, waiting - kept);
  }

  /** A job makes room for others. @returns when it is due again */
  postpone(now: number): number {
    this.#heldBackAt = now;
    const until = now + this.#postponedMs(now);
    this.#place += 1;
    this.#postponed.push(until);
    return until;
  }

  /** How many jobs were postponed and are not due again. */
  postponedCount(now: number): number {
    return this.#postponed.filter(until => until > now).length;
  }

  /** Whether it has held back a request at or after `since`. */
  hasHeldBack(since: number): boolean {
    return this.#heldBackAt >= since;
  }

  /** Nothing is known that a new one would not know. */
  isFresh(now: number): boolean {
    const remembers = Math.abs(now - this.#heldBackAt) <= REMEMBERED_MS;
    return this.#held === 0 && !remembers && (this.#bucket?.isFull(now) ?? true);
  }

  get #isFull(): boolean {
    return this.#inFlight >= this.#mostInFlight;
  }

  get #mostInFlight(): number {
    const { maxConcurrent = Number.POSITIVE_INFINITY } = this.#limits;
    return Math.ceil(maxConcurrent / this.#enginesOf());
  }

  get #perSecond(): number {
    return this.#limits.perSecond! / this.#enginesOf();
  }

  #postponedMs(now: number): number {
    if (this.#bucket === null) return POSTPONED_MS;
    const turnMs = Math.max(
      (this.#place / this.#perSecond) * 1_000,
      this.#bucket.nextAt(now) - now,
    );
    return Math.min(Math.max(Math.ceil(turnMs), LEAST_POSTPONED_MS), MOST_POSTPONED_MS);
  }

  /** The limits or the number of engines may have changed. */
  #adjust(now: number): void {
    if (this.#limits.perSecond === undefined) this.#bucket = null;
    else if (this.#bucket === null) this.#bucket = new TokenBucket(this.#perSecond, now);
    else this.#bucket.setRate(this.#perSecond, now);
  }
}
