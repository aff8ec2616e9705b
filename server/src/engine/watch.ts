/**
 * Watches the clock for gaps in which nobody looked: before the start, while the machine was
 * suspended or the process stopped, or when the clock is set forward. Times in such a gap passed
 * unseen, and catch-up decides about them.
 */
export class Watch {
  /** Times before this instant (epoch ms) may have passed unseen. */
  unseenUntil: number;
  #lookedAt: number;
  readonly #onBlind: (from: number, until: number) => void;

  constructor(now: number, onBlind: (from: number, until: number) => void) {
    this.unseenUntil = now;
    this.#lookedAt = now;
    this.#onBlind = onBlind;
  }

  look(now: number): void {
    if (now - this.#lookedAt > BLIND_AFTER_MS) {
      this.#onBlind(this.#lookedAt, now);
      this.unseenUntil = now;
    }
    this.#lookedAt = now;
  }
}

/** Loops look once a second; a busy process may miss a few looks and still be awake. */
const BLIND_AFTER_MS = 5_000;
