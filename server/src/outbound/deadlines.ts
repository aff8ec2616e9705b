import type { Exchange } from './exchange.ts';

/**
 * The time limits of all exchanges under way, looked at together.
 *
 * One pass over all exchanges every 50 ms costs less than a timer for each request. An exchange is
 * cut at most that much after its limit, never before it.
 *
 * The event loop calls its timers before it reads its sockets. So the exchanges are judged only
 * after it has read all data that had arrived by then. A process that was suspended for longer has
 * half a second to catch up before it judges any of them. In that time it can finish a connection,
 * or read the rest of a long answer.
 */
export class Deadlines {
  readonly #running: Exchange[] = [];
  #timer: NodeJS.Timeout | null = null;
  #lookedAt = 0;
  #judgesFrom = 0;

  get size(): number {
    return this.#running.length;
  }

  add(exchange: Exchange): void {
    exchange.slot = this.#running.length;
    this.#running.push(exchange);
    if (this.#timer === null) this.#start();
  }

  /** The last one takes the empty place. */
  remove(exchange: Exchange): void {
    const { slot } = exchange;
    if (slot === -1) return;
    exchange.slot = -1;
    const last = this.#running.pop()!;
    if (last === exchange) return;
    last.slot = slot;
    this.#running[slot] = last;
  }

  /** Hands out everything under way, and stops. */
  drain(): Exchange[] {
    this.#stop();
    return [...this.#running];
  }

  #start(): void {
    this.#lookedAt = performance.now();
    this.#timer = setInterval(() => {
      // Of before the sockets are read: what arrives while the process is stopped in between is read next time.
      const now = performance.now();
      setImmediate(() => this.#look(now));
    }, TICK_MS);
  }

  #look(now: number): void {
    if (this.#running.length === 0) this.#stop();
    if (now - this.#lookedAt > SUSPENDED_MS) this.#judgesFrom = now + CATCH_UP_MS;
    this.#lookedAt = now;
    if (now >= this.#judgesFrom) this.#judge(now);
  }

  #judge(now: number): void {
    // From the end: one that times out is replaced by one that has been looked at.
    for (let i = this.#running.length - 1; i >= 0; i--) {
      this.#running[i]?.judge(now);
    }
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

const TICK_MS = 50;
/** After a gap of this many ms between two passes, the process was suspended or overloaded. */
const SUSPENDED_MS = 500;
const CATCH_UP_MS = 500;
