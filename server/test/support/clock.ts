import type { Clock, Timer } from '../../src/clock.ts';

interface Pending {
  at: number;
  callback: () => void;
}

/**
 * A clock that only a test moves. Timers call back in order when the clock passes them, and each
 * of them is given the time to finish what it sets off before the clock goes on.
 */
export class ManualClock implements Clock {
  #now: number;
  #timers: Pending[] = [];
  /** By how much the clock was set, in all. */
  #setMs = 0;

  constructor(start: string | number) {
    this.#now = typeof start === 'string' ? Date.parse(start) : start;
  }

  now(): number {
    return this.#now;
  }

  monotonicMs(): number {
    // It is not of whole milliseconds.
    return this.#now - this.#setMs + ((this.#now * 0.618_033_988) % 1);
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer: Pending = { at: this.#now + Math.max(0, delayMs), callback };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter(other => other !== timer);
      },
    };
  }

  /** Passes `ms` of time, stopping at every timer. */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.#now + ms);
  }

  async advanceTo(instant: string | number): Promise<void> {
    const target = typeof instant === 'string' ? Date.parse(instant) : instant;
    await quiet();
    for (;;) {
      const next = this.#timers.reduce<Pending | null>(
        (first, timer) => (first === null || timer.at < first.at ? timer : first),
        null,
      );
      if (next === null || next.at > target) break;
      this.#timers = this.#timers.filter(timer => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await quiet();
    }
    this.#now = target;
    await quiet();
  }

  /**
   * Sets the clock, as an operator or a suspended machine does: nothing in between happens. Timers run by a
   * clock that nobody sets: set back, it does not put them off.
   */
  async jump(instant: string | number): Promise<void> {
    const before = this.#now;
    this.#now = typeof instant === 'string' ? Date.parse(instant) : instant;
    this.#setMs += this.#now - before;
    const backMs = Math.max(0, before - this.#now);
    for (const timer of this.#timers) timer.at -= backMs;
    await quiet();
  }

  /** Sets the clock for a moment: no timer comes sooner by that. */
  set(instant: string): void {
    const byMs = Date.parse(instant) - this.#now;
    this.#now += byMs;
    this.#setMs += byMs;
    for (const timer of this.#timers) timer.at += byMs;
  }
}

const MOST_TURNS = 12;
const LEAST_TURNS = 3;

/** Lets promises and group commits that are under way come to their end. */
export function quiet(): Promise<void> {
  return new Promise(resolve => {
    const turn = (count: number) => {
      if (count === MOST_TURNS || (count >= LEAST_TURNS && !isAnyUnderWay())) resolve();
      else setImmediate(turn, count + 1);
    };
    turn(0);
  });
}

/** Each turn costs more than the look, for the test runner watches each. */
function isAnyUnderWay(): boolean {
  return process.getActiveResourcesInfo().includes('Immediate');
}
