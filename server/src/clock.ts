/**
 * The only place that knows what time it is. Everything else is handed a clock, so that a test
 * moves it, also backwards, and nothing has to wait.
 */
export interface Clock {
  /** Epoch ms. May jump: it is the wall clock. */
  now(): number;
  /** Calls back once after `delayMs`; never for certain on time, so look at `now` again. */
  after(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
