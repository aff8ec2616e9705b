import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';

export interface CachedCount<Value> {
  value: Value;
  countedAt: number;
  tookMs: number;
}

const MOST_CLIENTS = 1_000;
/** A count that is quick is repeated for each request, but not within this time, in ms. */
const FRESH_MS = 1_000;
/** A count that took long is kept for this many times as long: counting never takes most of a core. */
const KEPT_TIMES = 20;
/** A count this old is not answered with, but counted anew first. */
const STALE_MS = 5 * 60_000;

/**
 * The counts of a client, kept for a while. Only the first caller waits for a slow count. Later
 * callers get the previous count while a new one is made.
 */
export class CachedCounts<Value extends object> {
  readonly #clock: Clock;
  readonly #longMs: number;
  readonly #counts: LRUCache<number, CachedCount<Value>>;

  /** @param longMs from here on nobody waits for a count where there is an older one */
  constructor(count: (clientRowId: number) => Promise<Value>, clock: Clock, longMs: number) {
    this.#clock = clock;
    this.#longMs = longMs;
    this.#counts = new LRUCache<number, CachedCount<Value>>({
      max: MOST_CLIENTS,
      ttl: FRESH_MS,
      // A count evicted in the meantime is answered all the same.
      ignoreFetchAbort: true,
      fetchMethod: async (clientRowId, _old, { options }) => {
        const startedAt = performance.now();
        const value = await count(clientRowId);
        const tookMs = performance.now() - startedAt;
        options.ttl = Math.max(FRESH_MS, KEPT_TIMES * tookMs);
        return { value, countedAt: clock.now(), tookMs };
      },
    });
  }

  /** Begins to count where nobody has, for who is about to ask. */
  warm(clientRowId: number): void {
    const isKnown = this.#counts.peek(clientRowId, { allowStale: true }) !== undefined;
    if (!isKnown) this.#counts.fetch(clientRowId).catch(() => {});
  }

  async of(clientRowId: number): Promise<CachedCount<Value>> {
    const kept = this.#counts.peek(clientRowId, { allowStale: true });
    const allowStale =
      kept !== undefined &&
      kept.tookMs >= this.#longMs &&
      this.#clock.now() - kept.countedAt <= STALE_MS;
    return (await this.#counts.fetch(clientRowId, { allowStale }))!;
  }
}
