import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { withPatience } from './patience.ts';

interface KeptValue<Value> {
  value: Value;
  madeAt: number;
  tookMs: number;
}

export interface KeptOptions {
  /** How many are kept. */
  most: number;
  /** Nobody waits for a new value that took so long the last time, where there is an older one. */
  longMs?: number;
}

/** A value is made anew for each question, but not within this time, in ms. */
const FRESH_MS = 1_000;
/** A value that took long is kept for this many times as long: making it never takes most of a core. */
const KEPT_TIMES = 20;
/**
 * How long a caller waits for a new value where there is an older one, if it took less than that the last time. Work that goes
 * on behind an older answer would hold up the next question.
 */
const PATIENCE_MS = 150;
/** A value this old is not answered with, but made anew first. */
const STALE_MS = 5 * 60_000;

/**
 * Values that are costly to make, each kept for a while. Only the first caller waits for a slow one. Later callers get the
 * previous one while a new one is made.
 */
export class Kept<Key extends string | number, Value extends object> {
  readonly #clock: Clock;
  readonly #longMs: number;
  readonly #kept: LRUCache<Key, KeptValue<Value>>;
  readonly #making = new Map<Key, Promise<KeptValue<Value>>>();

  constructor(clock: Clock, { most, longMs = PATIENCE_MS }: KeptOptions) {
    this.#clock = clock;
    this.#longMs = longMs;
    this.#kept = new LRUCache({ max: most });
  }

  /** Begins to make a value where there is none, for who is about to ask. */
  warm(key: Key, make: () => Promise<Value>): void {
    if (!this.#kept.has(key)) this.#make(key, make).catch(() => {});
  }

  async of(
    key: Key,
    make: () => Promise<Value>,
    leastMs?: (value: Value) => number,
  ): Promise<Value> {
    return (await this.entry(key, make, leastMs)).value;
  }

  /** @param leastMs for how long a value is kept at least */
  async entry(
    key: Key,
    make: () => Promise<Value>,
    leastMs: (value: Value) => number = () => FRESH_MS,
  ): Promise<KeptValue<Value>> {
    const kept = this.#kept.get(key);
    if (kept === undefined) return this.#make(key, make);
    const age = this.#clock.now() - kept.madeAt;
    const keptMs = Math.max(leastMs(kept.value), KEPT_TIMES * kept.tookMs);
    if (age >= 0 && age < keptMs) return kept;
    const making = this.#make(key, make);
    if (age < 0 || age > STALE_MS) return making;
    if (kept.tookMs < this.#longMs) return (await withPatience(making, PATIENCE_MS)) ?? kept;
    making.catch(() => {});
    return kept;
  }

  #make(key: Key, make: () => Promise<Value>): Promise<KeptValue<Value>> {
    const making = this.#making.get(key) ?? this.#madeNow(key, make);
    this.#making.set(key, making);
    return making;
  }

  async #madeNow(key: Key, make: () => Promise<Value>): Promise<KeptValue<Value>> {
    const [madeAt, startedAt] = [this.#clock.now(), performance.now()];
    try {
      const value = await make();
      const kept = { value, madeAt, tookMs: performance.now() - startedAt };
      this.#kept.set(key, kept);
      return kept;
    } finally {
      this.#making.delete(key);
    }
  }
}
