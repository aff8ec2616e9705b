/** From here on the clock was set, and not only steered. */
export const STEP_MS = 1_000;

/** Sees when the clock is set: it goes on by more or less than a clock that nobody sets. */
export class ClockSteps {
  #now: number;
  #monotonicMs: number;

  constructor(now: number, monotonicMs: number) {
    this.#now = now;
    this.#monotonicMs = monotonicMs;
  }

  /** @returns how the clock was set since the last look, or null where it was not, by more than a second */
  look(now: number, monotonicMs: number): ClockStep | null {
    const elapsedMs = monotonicMs - this.#monotonicMs;
    const byMs = now - this.#now - elapsedMs;
    this.#now = now;
    this.#monotonicMs = monotonicMs;
    return Math.abs(byMs) > STEP_MS ? { byMs, since: Math.floor(now - elapsedMs) } : null;
  }
}

export interface ClockStep {
  /** Ahead, or back where it is negative. */
  byMs: number;
  /** The earliest instant that the clock may have shown after the step: it was set between two looks. */
  since: number;
}
