import type { Clock } from '../clock.ts';
import type { Linked } from './line.ts';
import { Loop } from './loop.ts';
import { type Bound, Turns } from './turns.ts';

/** The first of a burst are few, so that the first request leaves soon; then the event loop has its turn. */
const FIRST_BATCH = 20;
const BATCH = 200;
/** How often to look whether too many wait for one host: these make room for others. */
const SWEEP_MS = 1_000;

export interface DeparturesOptions<Item> {
  clock: Clock;
  /** How many may depart now. */
  room: () => number;
  /** Whether this one may, besides: it takes its place then. */
  admit: (item: Item) => boolean;
  /** How many of those that wait for one host are too many. */
  surplus: (bound: Bound, waiting: number) => number;
  /** Sends them off. If it throws, they stay, and depart again a little later. */
  depart: (items: Item[], now: number) => Promise<void>;
  /** Those that were too many. */
  postpone: (items: Item[], now: number) => void;
  failed: (error: unknown) => void;
  /** Called at least once a second: somebody looks at the clock. */
  tick: (now: number) => void;
}

/**
 * Departures: holds what was claimed until its time, and sends it off then, never before: clients and
 * hosts in turn.
 */
export class Departures<Item extends Bound & Linked<Item> & { dueAt: number }> {
  readonly #options: DeparturesOptions<Item>;
  readonly #loop: Loop;
  /** By `dueAt`. Mostly there are few: many schedules are due at the same instant. */
  readonly #coming = new Map<number, Turns<Item>>();
  /** The keys of `#coming`, in order. */
  readonly #instants: number[] = [];
  /** Those whose time has come. */
  #ready = new Turns<Item>();
  /** How many are coming. */
  #comingSize = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(options: DeparturesOptions<Item>) {
    this.#options = options;
    const { clock, failed, tick } = options;
    this.#loop = new Loop(clock, () => this.#step(), failed, tick);
  }

  get size(): number {
    return this.#comingSize + this.#ready.size;
  }

  /** Whether there is one whose time has come. */
  get isBehind(): boolean {
    return this.#ready.size > 0;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** There may be room again. */
  wake(): void {
    if (this.#ready.size > 0) this.#loop.wake();
    else if (this.#comingSize > 0) this.#loop.wake(this.#instants[0]);
  }

  hold(items: Item[]): void {
    for (const item of items) this.#turnsAt(item.dueAt).add(item);
    this.#comingSize += items.length;
    this.wake();
  }

  /** @returns whether it was held, and is no longer: it does not depart */
  dismiss(item: Item): boolean {
    if (this.#ready.remove(item)) return true;
    const turns = this.#coming.get(item.dueAt);
    if (!turns?.remove(item)) return false;
    this.#comingSize -= 1;
    if (turns.size === 0) this.#drop(item.dueAt);
    return true;
  }

  /** Of each client: how many are held, and how many of these could not depart at their time. */
  counts(): Map<number, { held: number; ready: number }> {
    const counts = new Map<number, { held: number; ready: number }>();
    for (const turns of [this.#ready, ...this.#coming.values()]) {
      for (const [clientKey, count] of turns.counts()) {
        const { held, ready } = counts.get(clientKey) ?? { held: 0, ready: 0 };
        const isReady = turns === this.#ready;
        counts.set(clientKey, { held: held + count, ready: isReady ? count : ready });
      }
    }
    return counts;
  }

  async #step(): Promise<number | null> {
    const { clock, room, admit, depart } = this.#options;
    for (let limit = FIRST_BATCH; ; limit = BATCH) {
      const now = clock.now();
      this.#makeReady(now);
      const items = this.#ready.take(Math.min(limit, room()), admit);
      if (items.length === 0) break;
      try {
        await depart(items, now);
      } catch (error) {
        this.hold(items);
        throw error;
      }
      await new Promise(setImmediate);
    }
    return this.#nextStep(clock.now());
  }

  /** What is ready waits for room: whoever makes room wakes. */
  #nextStep(now: number): number | null {
    const next = this.#instants[0] ?? Number.POSITIVE_INFINITY;
    if (this.#ready.size === 0) return next;
    this.#sweep(now);
    return Math.min(next, this.#sweptAt + SWEEP_MS);
  }

  #sweep(now: number): void {
    if (now >= this.#sweptAt && now < this.#sweptAt + SWEEP_MS) return;
    // After a pause the first look only begins a second: nothing is known of it yet.
    const isNew = now < this.#sweptAt || now >= this.#sweptAt + 2 * SWEEP_MS;
    this.#sweptAt = now;
    const { surplus, postpone } = this.#options;
    const items = this.#ready.takeLast((bound, waiting) => {
      const count = surplus(bound, waiting);
      return isNew ? 0 : count;
    });
    if (items.length > 0) postpone(items, now);
  }

  #makeReady(now: number): void {
    while (this.#instants.length > 0 && this.#instants[0]! <= now) {
      const instant = this.#instants[0]!;
      const turns = this.#coming.get(instant)!;
      this.#drop(instant);
      this.#comingSize -= turns.size;
      if (this.#ready.size === 0) this.#ready = turns;
      else for (const item of turns) this.#ready.add(item);
    }
  }

  #turnsAt(instant: number): Turns<Item> {
    let turns = this.#coming.get(instant);
    if (turns === undefined) {
      turns = new Turns();
      this.#coming.set(instant, turns);
      const at = this.#instants.findIndex(other => other > instant);
      this.#instants.splice(at === -1 ? this.#instants.length : at, 0, instant);
    }
    return turns;
  }

  #drop(instant: number): void {
    this.#coming.delete(instant);
    this.#instants.splice(this.#instants.indexOf(instant), 1);
  }
}
