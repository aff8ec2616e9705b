import { type FairItem, FairQueue } from '../fairness/fair-queue.ts';
import type { LinkedItem } from '../fairness/linked-list.ts';
import type { JobKind } from '../observer.ts';

/** How often jobs in excess for one host are taken out. */
const SWEEP_MS = 1_000;

/** Says which of the jobs that wait exceed what may be got through soon. */
interface SurplusRule<Item> {
  /** @param isFirst jobs have not waited in the second before, or nobody looked */
  beginSecond(isFirst: boolean): void;
  surplus(item: Item, waiting: number): number;
}

/**
 * Due queue: holds jobs until their instant, and never gives one out before. Due jobs leave in the turns of the fair queue.
 */
export class DueQueue<Item extends FairItem & LinkedItem<Item> & { dueAt: number }> {
  /** By `dueAt`. There are few instants: many schedules are due at the same one. */
  readonly #upcoming = new Map<number, FairQueue<Item>>();
  /** The keys of `#upcoming`, in order. */
  readonly #instants: number[] = [];
  /** Items that are due. */
  #ready = new FairQueue<Item>();
  /** How many items are not due yet. */
  #upcomingSize = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#upcomingSize + this.#ready.size;
  }

  /** When the next item is due, epoch ms: -Infinity where one is, Infinity where there is none. */
  get nextDueAt(): number {
    if (this.#ready.size > 0) return Number.NEGATIVE_INFINITY;
    return this.#instants[0] ?? Number.POSITIVE_INFINITY;
  }

  addAll(items: Item[]): void {
    for (const item of items) this.#queueAt(item.dueAt).add(item);
    this.#upcomingSize += items.length;
  }

  /** @returns whether it was in the queue */
  remove(item: Item): boolean {
    if (this.#ready.remove(item)) return true;
    const queue = this.#upcoming.get(item.dueAt);
    if (!queue?.remove(item)) return false;
    this.#upcomingSize -= 1;
    if (queue.size === 0) this.#drop(item.dueAt);
    return true;
  }

  /** Takes up to `limit` items that are due; `room` and `acquire` as for the fair queue. */
  take(
    now: number,
    limit: number,
    room: (kind: JobKind) => number,
    acquire: (item: Item) => boolean,
  ): Item[] {
    this.#makeReady(now);
    return this.#ready.take(limit, room, acquire);
  }

  /** Takes out the items that wait for a host and exceed what it may get through soon. Looks once a second. */
  takeSurplus(now: number, limits: SurplusRule<Item>): Item[] {
    const isSwept = now >= this.#sweptAt && now < this.#sweptAt + SWEEP_MS;
    if (this.#ready.size === 0 || isSwept) return [];
    // The first look after a pause only begins a second: nothing is known about that second yet.
    const isNew = now < this.#sweptAt || now >= this.#sweptAt + 2 * SWEEP_MS;
    this.#sweptAt = now;
    limits.beginSecond(isNew);
    if (isNew) return [];
    return this.#ready.takeLast((item, waiting) => limits.surplus(item, waiting));
  }

  /** When to look again, where nothing is taken before: at the next instant, and while items wait for slots each second. */
  nextLookAt(): number {
    const next = this.#instants[0] ?? Number.POSITIVE_INFINITY;
    return this.#ready.size === 0 ? next : Math.min(next, this.#sweptAt + SWEEP_MS);
  }

  /** The items that are due. */
  get ready(): Iterable<Item> {
    return this.#ready;
  }

  /** How many items of a kind are due. */
  readyCount(kind: JobKind): number {
    return this.#ready.sizeOf(kind);
  }

  /** Of a kind, by client: how many items are held, and how many of these are due. */
  counts(kind: JobKind): Map<number, { held: number; ready: number }> {
    const counts = new Map<number, { held: number; ready: number }>();
    for (const queue of [this.#ready, ...this.#upcoming.values()]) {
      for (const [clientRowId, count] of queue.counts(kind)) {
        const { held, ready } = counts.get(clientRowId) ?? { held: 0, ready: 0 };
        const isReady = queue === this.#ready;
        counts.set(clientRowId, { held: held + count, ready: isReady ? count : ready });
      }
    }
    return counts;
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
