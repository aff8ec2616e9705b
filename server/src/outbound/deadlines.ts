import type { Attempt } from './attempt.ts';

/**
 * The time limits of all attempts under way, looked at together.
 *
 * One pass over what is in flight every 50 ms costs less than a timer for each request, and an
 * attempt is cut at most that much after its limit, never before it.
 */
export class Deadlines {
  readonly #running: Attempt[] = [];
  #timer: NodeJS.Timeout | null = null;

  get size(): number {
    return this.#running.length;
  }

  add(attempt: Attempt): void {
    attempt.slot = this.#running.length;
    this.#running.push(attempt);
    this.#timer ??= setInterval(() => this.#look(), TICK_MS);
  }

  /** The last one takes the empty place. */
  remove(attempt: Attempt): void {
    const { slot } = attempt;
    if (slot === -1) return;
    attempt.slot = -1;
    const last = this.#running.pop()!;
    if (last === attempt) return;
    last.slot = slot;
    this.#running[slot] = last;
  }

  /** Hands out everything under way, and stops. */
  drain(): Attempt[] {
    this.#stop();
    return [...this.#running];
  }

  #look(): void {
    if (this.#running.length === 0) this.#stop();
    const now = performance.now();
    // From the end: one that times out is replaced by one that has been looked at.
    for (let i = this.#running.length - 1; i >= 0; i--) {
      const attempt = this.#running[i];
      if (attempt !== undefined && now >= attempt.deadlineAt) attempt.timeOut();
    }
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

const TICK_MS = 50;
