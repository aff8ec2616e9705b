import type { Clock, Timer } from '../clock.ts';
import type { EngineObserver } from './observer.ts';

/** Under load a batch collects items for this long; the first one after a pause is written at once. */
const GATHER_MS = 20;
const MAX_BATCH = 1_000;
const RETRY_AFTER_FAILURE_MS = 250;

/** Implemented by the owner of a batch writer. */
export interface BatchWriterHooks<Item> {
  /** If it fails, it gets the items that it left in `items` again. */
  write(items: Item[]): Promise<void>;
  /**
   * Called when a batch is on its way to the store. Its slots are free, and further calls of the store share its commit.
   */
  writing(): void;
  /** Called when a batch was written. */
  written(): void;
}

/**
 * Writes items in batches with one commit each, one batch at a time and in order.
 *
 * Guarantee: every item is written, however often the store fails in between.
 */
export class BatchWriter<Item> {
  readonly #clock: Clock;
  readonly #observer: EngineObserver;
  readonly #hooks: BatchWriterHooks<Item>;
  #items: Item[] = [];
  #batch: Item[] = [];
  #failing = false;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;
  #onDrained: (() => void)[] = [];
  #abandoned = false;

  constructor(clock: Clock, observer: EngineObserver, hooks: BatchWriterHooks<Item>) {
    this.#clock = clock;
    this.#observer = observer;
    this.#hooks = hooks;
  }

  /** Items that wait for their batch. */
  get pending(): number {
    return this.#items.length;
  }

  /** Items that are not written yet. */
  get unwritten(): Item[] {
    return [...this.#batch, ...this.#items];
  }

  /** True from a failed write to the next one that succeeds. */
  get failing(): boolean {
    return this.#failing;
  }

  add(item: Item): void {
    if (this.#abandoned) return;
    this.#items.push(item);
    this.#plan();
  }

  /** Resolves when nothing is left to write. */
  drained(): Promise<void> {
    if (this.#items.length + this.#batch.length === 0) return Promise.resolve();
    return new Promise(resolve => this.#onDrained.push(resolve));
  }

  /** Writes nothing more: the store keeps what it has of these items. */
  abandon(): void {
    this.#abandoned = true;
    this.#timer?.cancel();
    this.#items = [];
    for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  #plan(): void {
    if (this.#abandoned || this.#batch.length > 0 || this.#timer || this.#items.length === 0)
      return;
    this.#timer = this.#clock.after(this.#delayMs(), () => {
      this.#timer = null;
      void this.#writeBatch();
    });
  }

  #delayMs(): number {
    if (this.#failing) return RETRY_AFTER_FAILURE_MS;
    if (this.#items.length >= MAX_BATCH) return 0;
    const since = this.#clock.now() - this.#wroteAt;
    return since >= 0 && since < GATHER_MS ? GATHER_MS - since : 0;
  }

  async #writeBatch(): Promise<void> {
    const startedAt = this.#clock.now();
    this.#batch = this.#items.splice(0, MAX_BATCH);
    const { length } = this.#batch;
    try {
      const written = this.#hooks.write(this.#batch);
      if (!this.#failing) this.#hooks.writing();
      await written;
      this.#note(length, this.#clock.now() - startedAt);
    } catch (error) {
      this.#items = [...this.#batch, ...this.#items];
      this.#failing = true;
      this.#observer.storeFailed(error);
    }
    this.#batch = [];
    if (!this.#failing) this.#hooks.written();
    if (this.#items.length === 0) for (const resolve of this.#onDrained.splice(0)) resolve();
    this.#plan();
  }

  #note(count: number, tookMs: number): void {
    this.#failing = false;
    this.#wroteAt = this.#clock.now();
    this.#observer.settled(count, tookMs);
  }
}
