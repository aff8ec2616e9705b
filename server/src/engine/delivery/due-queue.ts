import type { Clock } from '../../clock.ts';
import { type ClientHost, FairQueue } from '../fairness/fair-queue.ts';
import type { LinkedItem } from '../fairness/linked-list.ts';
import { Loop } from '../loop.ts';

/** The first batch of a burst is small, so that its first request leaves soon. */
const FIRST_BATCH = 20;
const BATCH = 200;
/** How often executions in excess for one host are postponed. */
const SWEEP_MS = 1_000;

export interface DueQueueOptions<Item> {
  clock: Clock;
  /** How many may start now. */
  room: () => number;
  /** Takes a slot for this item; false where none is free for it. */
  acquire: (item: Item) => boolean;
  /** How many of the items that wait for one host are in excess. */
  surplus: (clientHost: ClientHost, waiting: number) => number;
  /** Starts the items. If it throws, they go back into the queue and start a little later. */
  start: (items: Item[], now: number) => Promise<void>;
  /** Told of the items in excess, which left the queue. */
  postpone: (items: Item[], now: number) => void;
  failed: (error: unknown) => void;
  /** Called at least once a second. */
  tick: (now: number) => void;
}

/**
 * Due queue: holds claimed items until their instant and starts them then, never before. Clients take turns, and so do
 * the hosts of each client.
 */
export class DueQueue<Item extends ClientHost & LinkedItem<Item> & { dueAt: number }> {
  readonly #options: DueQueueOptions<Item>;
  readonly #loop: Loop;
  /** By `dueAt`. There are few instants: many schedules are due at the same one. */
  readonly #upcoming = new Map<number, FairQueue<Item>>();
  /** The keys of `#upcoming`, in order. */
  readonly #instants: number[] = [];
  /** Items that are due. */
  #ready = new FairQueue<Item>();
  /** How many items are not due yet. */
  #upcomingSize = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: DueQueueOptions<Item>) {
    this.#options = options;
    const { clock, failed, tick } = options;
    this.#loop = new Loop(clock, () => this.#step(), failed, tick);
  }

  get size(): number {
    return this.#upcomingSize + this.#ready.size;
  }

  /** Whether an item is due. */
  get isBehind(): boolean {
    return this.#ready.size > 0;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Slots may be free again. */
  wake(): void {
    if (this.#ready.size > 0) this.#loop.wake();
    else if (this.#upcomingSize > 0) this.#loop.wake(this.#instants[0]);
  }

  addAll(items: Item[]): void {
    for (const item of items) this.#queueAt(item.dueAt).add(item);
    this.#upcomingSize += items.length;
    this.wake();
  }

  /** @returns whether it was in the queue; it does not start then */
  remove(item: Item): boolean {
    if (this.#ready.remove(item)) return true;
    const queue = this.#upcoming.get(item.dueAt);
    if (!queue?.remove(item)) return false;
    this.#upcomingSize -= 1;
    if (queue.size === 0) this.#drop(item.dueAt);
    return true;
  }

  /** By client: how many items are held, and how many of these are overdue. */
  counts(): Map<number, { held: number; ready: number }> {
    const counts = new Map<number, { held: number; ready: number }>();
    for (const queue of [this.#ready, ...this.#upcoming.values()]) {
      for (const [clientRowId, count] of queue.counts()) {
        const { held, ready } = counts.get(clientRowId) ?? { held: 0, ready: 0 };
        const isReady = queue === this.#ready;
        counts.set(clientRowId, { held: held + count, ready: isReady ? count : ready });
      }
    }
    return counts;
  }

  async #step(): Promise<number | null> {
    const { clock, room, acquire, start } = this.#options;
    for (let limit = FIRST_BATCH; ; limit = BATCH) {
      const now = clock.now();
      this.#makeReady(now);
      const items = this.#ready.take(Math.min(limit, room()), acquire);
      if (items.length === 0) break;
      try {
        await start(items, now);
      } catch (error) {
        this.addAll(items);
        throw error;
      }
      await new Promise(setImmediate);
    }
    return this.#nextStep(clock.now());
  }

  /** Due items wait for slots: whoever frees one calls `wake`. */
  #nextStep(now: number): number | null {
    const next = this.#instants[0] ?? Number.POSITIVE_INFINITY;
    if (this.#ready.size === 0) return next;
    this.#sweep(now);
    return Math.min(next, this.#sweptAt + SWEEP_MS);
  }

  #sweep(now: number): void {
    if (now >= this.#sweptAt && now < this.#sweptAt + SWEEP_MS) return;
    // The first look after a pause only begins a second: nothing is known about that second yet.
    const isNew = now < this.#sweptAt || now >= this.#sweptAt + 2 * SWEEP_MS;
    this.#sweptAt = now;
    const { surplus, postpone } = this.#options;
    const items = this.#ready.takeLast((clientHost, waiting) => {
      const count = surplus(clientHost, waiting);
      return isNew ? 0 : count;
    });
    if (items.length > 0) postpone(items, now);
  }

  #makeReady(now: number): void {
    while (this.#instants.length > 0 && this.#instants[0]! <= now) {
      const instant = this.#instants[0]!;
      const queue = this.#upcoming.get(instant)!;
      this.#drop(instant);
      this.#upcomingSize -= queue.size;
      if (this.#ready.size === 0) this.#ready = queue;
      else for (const item of queue) this.#ready.add(item);
    }
  }

  #queueAt(instant: number): FairQueue<Item> {
    let queue = this.#upcoming.get(instant);
    if (queue === undefined) {
      queue = new FairQueue();
      this.#upcoming.set(instant, queue);
      const at = this.#instants.findIndex(other => other > instant);
      this.#instants.splice(at === -1 ? this.#instants.length : at, 0, instant);
    }
    return queue;
  }

  #drop(instant: number): void {
    this.#upcoming.delete(instant);
    this.#instants.splice(this.#instants.indexOf(instant), 1);
  }
}
