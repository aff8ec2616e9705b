import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { crc32 } from 'node:zlib';

/**
 * The only place that knows what time it is. Everything else is handed a clock, so that a test
 * moves it, also backwards, and nothing has to wait.
 */
export interface Clock {
  /** Epoch ms. May jump: it is the wall clock. */
  now(): number;
  /** Ms since some instant, by a clock that nobody sets; it rests while the machine is suspended. */
  monotonicMs(): number;
  /** Calls back once after `delayMs`; never for certain on time, so look at `now` again. */
  after(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/**
 * This start of the machine: when it was, by its own clock (epoch ms), and a number of 32 bits that Linux
 * draws at each start; 0 elsewhere.
 */
export function thisBoot(): { at: number; id: number } {
  return { at: Date.now() - uptime() * 1_000, id: bootId() };
}

function bootId(): number {
  try {
    return crc32(readFileSync('/proc/sys/kernel/random/boot_id')) | 0;
  } catch {
    return 0;
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** A reading that took longer says too little. */
const LONG_MS = 100;
const STEER_MS = 5_000;
/** While the clock goes by a reading that took long, and may be behind by that. */
const STEER_SOON_MS = 250;

/**
 * A clock that goes by another one, which is read from afar. Between two readings it runs by the
 * machine's monotonic clock, so that nothing here that sets the wall clock moves it.
 */
export class SteeredClock implements Clock {
  readonly #read: () => Promise<number>;
  /** The other clock at the zero of `performance.now()`. */
  #base = Number.NaN;
  /** Whether the reading that it goes by took long. */
  #isBehind = false;

  /** @param read the other clock, epoch ms */
  private constructor(read: () => Promise<number>) {
    this.#read = read;
  }

  static async start(read: () => Promise<number>): Promise<SteeredClock> {
    const clock = new SteeredClock(read);
    await clock.steer();
    return clock;
  }

  now(): number {
    return Math.floor(this.#base + performance.now());
  }

  monotonicMs(): number {
    return performance.now();
  }

  after(delayMs: number, callback: () => void): Timer {
    return systemClock.after(delayMs, callback);
  }

  /** By how many ms the machine's own clock is ahead. */
  get machineAheadMs(): number {
    return Date.now() - this.now();
  }

  /** When to steer it again. */
  get steerAgainMs(): number {
    return this.#isBehind ? STEER_SOON_MS : STEER_MS;
  }

  /**
   * Reads the other clock three times and uses the shortest reading. If even that one took long, it
   * says little, and the clock stays unchanged.
   */
  async steer(): Promise<void> {
    let shortest = Number.isNaN(this.#base) ? Number.POSITIVE_INFINITY : LONG_MS;
    let base = this.#base;
    for (let reading = 0; reading < 3; reading += 1) {
      const askedAt = performance.now();
      const answer = await this.#read();
      const tookMs = performance.now() - askedAt;
      if (tookMs >= shortest) continue;
      shortest = tookMs;
      this.#isBehind = tookMs >= LONG_MS;
      // The other clock was read during the round trip, probably halfway, and gives whole ms. After
      // a long round trip it counts as read at the end: rather late than early.
      base = answer + 0.5 - (askedAt + (tookMs < LONG_MS ? tookMs / 2 : tookMs + 0.5));
    }
    this.#base = base;
  }
}
