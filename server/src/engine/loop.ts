import type { Clock, Timer } from '../clock.ts';

/** The longest sleep, mostly: a clock that is set forward is seen within it, and a tick costs little. */
const MAX_SLEEP_MS = 1_000;
const RETRY_AFTER_FAILURE_MS = 250;

/** When to look again: at `dueAt`, and where others write to the same store, soon in any case. */
export function soonest(dueAt: number | null, now: number, pollMs?: number): number | null {
  return pollMs === undefined ? dueAt : Math.min(dueAt ?? Number.POSITIVE_INFINITY, now + pollMs);
}

/**
 * One loop of the engine: does its step, sleeps until the instant that the step names, or until it
 * is woken. A step that throws is tried again; it cannot end the loop.
 *
 * Start and stop are idempotent. `stop` resolves when no step is under way and none will follow.
 */
export class Loop {
  readonly #clock: Clock;
  readonly #step: () => Promise<number | null>;
  readonly #failed: (error: unknown) => void;
  /**
   * Called at least once in `maxSleepMs` while the loop runs, also while a step waits for the store: somebody looks at the
   * clock.
   */
  readonly #tick: (now: number) => void;
  readonly #maxSleepMs: number;
  #running = false;
  #isStepping = false;
  /** The end of the last step. */
  #stepped = Promise.resolve();
  #wakeAgain = false;
  #timer: Timer | null = null;
  /** When the next step is due; Infinity: only when woken. */
  #dueAt = Number.POSITIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param step does what is due; resolves to when it wants to be called again, null: when woken
   * @param maxSleepMs how late it may be where the clock is set forward
   */
  constructor(
    clock: Clock,
    step: () => Promise<number | null>,
    failed: (error: unknown) => void,
    tick: (now: number) => void = () => {},
    maxSleepMs = MAX_SLEEP_MS,
  ) {
    this.#clock = clock;
    this.#step = step;
    this.#failed = failed;
    this.#tick = tick;
    this.#maxSleepMs = maxSleepMs;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.wake();
  }

  /** Something is due at `dueAt` (epoch ms), or now. */
  wake(dueAt = Number.NEGATIVE_INFINITY): void {
    if (!this.#running) return;
    if (this.#isStepping) {
      this.#wakeAgain = true;
      return;
    }
    if (dueAt >= this.#dueAt) return;
    this.#dueAt = dueAt;
    this.#look();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#timer?.cancel();
    this.#timer = null;
    await this.#stepped;
  }

  /** Steps if it is time, else sleeps. Timers may call back early: only the clock decides. */
  #look(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (!this.#running) return;
    const now = this.#clock.now();
    // If the clock was set back, the next step keeps its distance and does not wait for that hour to come again.
    if (now < this.#lookedAt) this.#dueAt -= this.#lookedAt - now;
    this.#lookedAt = now;
    this.#tick(now);
    if (now >= this.#dueAt) {
      this.#isStepping = true;
      this.#tickLater();
      this.#stepped = this.#steps();
      return;
    }
    const sleepMs = Math.min(this.#dueAt - now, this.#maxSleepMs);
    this.#timer = this.#clock.after(sleepMs, () => this.#look());
  }

  /** While a step is under way. Whether the clock was set back is seen when it has ended. */
  #tickLater(): void {
    this.#timer = this.#clock.after(this.#maxSleepMs, () => {
      this.#tickLater();
      this.#tick(this.#clock.now());
    });
  }

  async #steps(): Promise<void> {
    do {
      this.#wakeAgain = false;
      try {
        this.#dueAt = (await this.#step()) ?? Number.POSITIVE_INFINITY;
      } catch (error) {
        this.#failed(error);
        this.#dueAt = this.#clock.now() + RETRY_AFTER_FAILURE_MS;
        break;
      }
      this.#tick(this.#clock.now());
    } while (this.#running && (this.#wakeAgain || this.#clock.now() >= this.#dueAt));
    // At once, and not when the promise has resolved: who wakes it in between would not be heard.
    this.#isStepping = false;
    this.#look();
  }
}
