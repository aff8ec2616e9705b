import type { Clock, Timer } from '../clock.ts';
import type { EngineEvents } from './events.ts';

/** Under load a batch gathers for this long; the first after a pause is written at once. */
const GATHER_MS = 10;
const MAX_BATCH = 500;
const RETRY_AFTER_FAILURE_MS = 250;

/**
 * Writes what ended, in batches with one commit each, one batch at a time and in order.
 *
 * Guarantee: what was handed in is written, however often the store fails in between; until then it
 * counts as `pending`, and the loops claim nothing new.
 */
export class Settler<Item> {
  readonly #clock: Clock;
  readonly #write: (items: Item[]) => Promise<void>;
  readonly #events: EngineEvents;
  /** Told after each batch that was written: there is room for more. */
  readonly #written: () => void;
  #items: Item[] = [];
  #writing = false;
  #failing = false;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;
  #onDrained: (() => void)[] = [];

  constructor(
    clock: Clock,
    write: (items: Item[]) => Promise<void>,
    events: EngineEvents,
    written: () => void,
  ) {
    this.#written = written;
    this.#clock = clock;
    this.#write = write;
    this.#events = events;
  }

  get pending(): number {
    return this.#items.length;
  }

  /** True from a failed write to the next one that succeeds. */
  get failing(): boolean {
    return this.#failing;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#plan();
  }

  /** Resolves when nothing is left to write. */
  drained(): Promise<void> {
    if (this.#items.length === 0 && !this.#writing) return Promise.resolve();
    return new Promise(resolve => this.#onDrained.push(resolve));
  }

  #plan(delayMs = this.#delayMs()): void {
    if (this.#writing || this.#timer || this.#items.length === 0) return;
    this.#timer = this.#clock.after(delayMs, () => {
      this.#timer = null;
      void this.#writeBatch();
    });
  }

  #delayMs(): number {
    const since = this.#clock.now() - this.#wroteAt;
    return since >= 0 && since < GATHER_MS ? GATHER_MS - since : 0;
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#items.slice(0, MAX_BATCH);
    const startedAt = this.#clock.now();
    this.#writing = true;
    try {
      await this.#write(batch);
      this.#items.splice(0, batch.length);
      this.#failing = false;
      this.#wroteAt = this.#clock.now();
      this.#events.settled(batch.length, this.#wroteAt - startedAt);
      this.#written();
    } catch (error) {
      this.#failing = true;
      this.#events.storeFailed(error);
    }
    this.#writing = false;
    if (this.#items.length === 0) for (const resolve of this.#onDrained.splice(0)) resolve();
    else if (this.#failing) this.#plan(RETRY_AFTER_FAILURE_MS);
    else this.#plan(this.#items.length >= MAX_BATCH ? 0 : this.#delayMs());
  }
}
