import type { Logger } from 'pino';
import type { Clock, Timer } from '../clock.ts';

const USUAL_MOST = 100;
const PERIOD_MS = 60_000;

/**
 * Bounded log: warns of each event of one kind, but of 100 in a minute at most, where nothing else is said. The rest of that minute is
 * counted, and told in one line at its end.
 */
export class BoundedLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #summary: string;
  readonly #most: number;
  /** Of this minute; a minute begins with its first line. */
  #lines = 0;
  #left = 0;
  #timer: Timer | null = null;
  #began = Number.NEGATIVE_INFINITY;

  /**
   * @param summary what is said of those without a line of their own
   * @param most lines in a minute
   */
  constructor(log: Logger, clock: Clock, summary: string, most = USUAL_MOST) {
    this.#most = most;
    this.#log = log;
    this.#clock = clock;
    this.#summary = summary;
  }

  /** @param fields asked for only where a line is written */
  warn(fields: () => object, message: string, count = 1): void {
    if (!this.#log.isLevelEnabled('warn')) return;
    const now = this.#clock.monotonicMs();
    if (now - this.#began >= PERIOD_MS) {
      this.#began = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= this.#most) this.#log.warn(fields(), message);
    else this.#leave(count, this.#began + PERIOD_MS - now);
  }

  /** Tells at once of those that have no line of their own. A process that ends need not wait for the minute. */
  end(): void {
    if (this.#timer === null) return;
    this.#timer.cancel();
    this.#timer = null;
    this.#log.warn({ count: this.#left }, this.#summary);
    this.#left = 0;
  }

  #leave(count: number, endsInMs: number): void {
    this.#left += count;
    if (this.#timer !== null) return;
    this.#timer = this.#clock.after(endsInMs, () => this.end());
  }
}
