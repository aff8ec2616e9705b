import type { Landing } from './wall-maths.ts';

/** The distance of the clocks is the smallest one of this span and of the one before it. */
const CLOCK_SPAN_MS = 120_000;
/** The feed reads the same seconds some times: gaps so close together are one. */
const ONE_GAP_MS = 15_000;
const MOST_GAPS = 1_000;

/** The latest landings. An event costs the same whatever came before it, and memory has a bound. */
export class WallMemory {
  readonly #most: number;
  readonly #ring: Landing[] = [];
  readonly #known = new Set<string>();
  #next = 0;
  #aheadMs = Number.POSITIVE_INFINITY;
  #aheadBeforeMs = Number.POSITIVE_INFINITY;
  #spanFrom = Number.NEGATIVE_INFINITY;
  /** Epoch ms, the oldest first. */
  #gaps: number[] = [];
  #wholeFrom = Number.NEGATIVE_INFINITY;

  /** @param most landings that are kept: a further one takes the place of the oldest */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#ring.length;
  }

  /** Nothing is missing that ended after this instant, epoch ms. */
  get wholeFrom(): number {
    return this.#wholeFrom;
  }

  /** Some firings up to the instant are not known. */
  missesUntil(at: number): void {
    this.#wholeFrom = Math.max(this.#wholeFrom, at);
  }

  /** Keeps a landing once, however often it is told. */
  add(landing: Landing): void {
    if (this.#known.has(landing.id)) return;
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) {
      this.#known.delete(oldest.id);
      this.missesUntil(oldest.endedAt);
    }
    this.#known.add(landing.id);
    this.#ring[this.#next] = landing;
    this.#next = (this.#next + 1) % this.#most;
  }

  /** Events up to the instant were not told, epoch ms. */
  addGap(until: number): void {
    this.missesUntil(until);
    this.#gaps.push(until);
    if (this.#gaps.length > MOST_GAPS) this.#gaps.shift();
  }

  /** Whether firings are missing again and again since the instant: to count from the last gap on would help little. */
  isSampledSince(at: number): boolean {
    const first = this.#gaps.find(gap => gap >= at);
    return first !== undefined && this.#gaps.at(-1)! - first > ONE_GAP_MS;
  }

  /**
   * Learns how far the browser's clock is ahead of the service's. An event is never heard before it happens, so the
   * smallest distance of the last minutes is the nearest to the truth. An older one may be of before a step of a clock.
   */
  learnClock(happenedAt: number, heardAt: number): void {
    if (Math.abs(heardAt - this.#spanFrom) >= CLOCK_SPAN_MS) {
      this.#aheadBeforeMs = this.#aheadMs;
      this.#aheadMs = Number.POSITIVE_INFINITY;
      this.#spanFrom = heardAt;
    }
    this.#aheadMs = Math.min(this.#aheadMs, heardAt - happenedAt);
  }

  /** @returns the instant by the service's clock, as far as it is known */
  serviceTime(browserTime: number): number {
    const aheadMs = Math.min(this.#aheadMs, this.#aheadBeforeMs);
    return Number.isFinite(aheadMs) ? browserTime - aheadMs : browserTime;
  }

  /** Landings that ended at the instant or later, newest first. */
  since(at: number, most = this.#most): Landing[] {
    const found: Landing[] = [];
    for (let back = 1; back <= this.#ring.length && found.length < most; back += 1) {
      const place = (this.#next - back + this.#most) % this.#most;
      const landing = this.#ring[place]!;
      if (landing.endedAt >= at) found.push(landing);
    }
    return found;
  }
}
