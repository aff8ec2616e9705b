/** Less than this is missing by rounding alone. */
const ROUNDING = 1e-9;

/**
 * Token bucket: lets a number of requests through in a second. It holds what one second brings, but at least one, and starts
 * full. A clock that is set back brings nothing and takes nothing.
 */
export class TokenBucket {
  #perSecond: number;
  #tokens: number;
  #at: number;

  /** @param perSecond above 0 @param now epoch ms, here and below */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond;
    this.#tokens = this.#most;
    this.#at = now;
  }

  /** From now on. */
  setRate(perSecond: number, now: number): void {
    if (perSecond === this.#perSecond) return;
    this.#fill(now);
    this.#perSecond = perSecond;
    this.#tokens = Math.min(this.#tokens, this.#most);
  }

  has(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= 1 - ROUNDING;
  }

  isFull(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= this.#most - ROUNDING;
  }

  take(): void {
    this.#tokens -= 1;
  }

  /** The last one was not used. */
  putBack(): void {
    this.#tokens = Math.min(this.#tokens + 1, this.#most);
  }

  /** When it has one. */
  nextAt(now: number): number {
    this.#fill(now);
    return now + Math.ceil((Math.max(0, 1 - ROUNDING - this.#tokens) / this.#perSecond) * 1_000);
  }

  get #most(): number {
    return Math.max(1, this.#perSecond);
  }

  #fill(now: number): void {
    const passedMs = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#most, this.#tokens + (passedMs * this.#perSecond) / 1_000);
    this.#at = now;
  }
}
