import type { Clock } from '../clock.ts';
import { Loop } from './loop.ts';

/** The first of a burst are few, so that the first request leaves soon; then the event loop has its turn. */
const FIRST_BATCH = 100;
const BATCH = 500;

export interface DeparturesOptions<Item> {
  clock: Clock;
  /** How many may depart now. */
  room: () => number;
  /** Sends them off. If it throws, they stay, and depart again a little later. */
  depart: (items: Item[], now: number) => Promise<void>;
  failed: (error: unknown) => void;
  /** Called at least once a second: somebody looks at the clock. */
  tick: (now: number) => void;
}

/**
 * Departures: holds what was claimed ahead until its time, and sends it off then: earliest first, and
 * not before.
 */
export class Departures<Item extends { dueAt: number }> {
  readonly #options: DeparturesOptions<Item>;
  readonly #loop: Loop;
  /** By `dueAt`. Mostly there are few: many schedules are due at the same instant. */
  readonly #held = new Map<number, Set<Item>>();
  /** The keys of `#held`, in order. */
  readonly #instants: number[] = [];
  #size = 0;

  constructor(options: DeparturesOptions<Item>) {
    this.#options = options;
    const { clock, failed, tick } = options;
    this.#loop = new Loop(clock, () => this.#step(), failed, tick);
  }

  get size(): number {
    return this.#size;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** There may be room again. */
  wake(): void {
    if (this.#size > 0) this.#loop.wake(this.#instants[0]);
  }

  hold(items: Item[]): void {
    for (const item of items) this.#bucketOf(item.dueAt).add(item);
    this.#size += items.length;
    this.wake();
  }

  /** @returns whether it was held, and is no longer: it does not depart */
  dismiss(item: Item): boolean {
    const bucket = this.#held.get(item.dueAt);
    if (!bucket?.delete(item)) return false;
    this.#size -= 1;
    if (bucket.size === 0) this.#drop(item.dueAt);
    return true;
  }

  /** How many could not depart at their time yet. */
  overdue(now: number): number {
    let count = 0;
    for (const instant of this.#instants) {
      if (instant > now) break;
      count += this.#held.get(instant)!.size;
    }
    return count;
  }

  async #step(): Promise<number | null> {
    const { clock, room, depart } = this.#options;
    let limit = FIRST_BATCH;
    for (;;) {
      const now = clock.now();
      const items = this.#take(now, Math.min(limit, room()));
      if (items.length === 0) break;
      try {
        await depart(items, now);
      } catch (error) {
        this.hold(items);
        throw error;
      }
      limit = BATCH;
      await new Promise(setImmediate);
    }
    const next = this.#instants[0];
    // What is overdue waits for room.
    return next === undefined || next <= clock.now() ? null : next;
  }

  #take(now: number, limit: number): Item[] {
    const taken: Item[] = [];
    while (taken.length < limit && this.#instants.length > 0 && this.#instants[0]! <= now) {
      const bucket = this.#held.get(this.#instants[0]!)!;
      for (const item of bucket) {
        if (taken.length === limit) break;
        bucket.delete(item);
        taken.push(item);
      }
      if (bucket.size === 0) this.#drop(this.#instants[0]!);
    }
    this.#size -= taken.length;
    return taken;
  }

  #bucketOf(instant: number): Set<Item> {
    let bucket = this.#held.get(instant);
    if (bucket === undefined) {
      bucket = new Set();
      this.#held.set(instant, bucket);
      const at = this.#instants.findIndex(other => other > instant);
      this.#instants.splice(at === -1 ? this.#instants.length : at, 0, instant);
    }
    return bucket;
  }

  #drop(instant: number): void {
    this.#held.delete(instant);
    this.#instants.splice(this.#instants.indexOf(instant), 1);
  }
}
