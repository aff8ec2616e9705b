/** Queries that are to be asked again, and how often at most. */

export interface Stale {
  queryKey: readonly unknown[];
  /** It is asked again once in this time, however often it is stale. */
  everyMs: number;
}

/** Keeps queries from being asked again more often than they may. Instants are ms of one clock. */
export class Pace {
  readonly #waiting = new Map<string, Stale>();
  readonly #askedAt = new Map<string, number>();

  add(stale: Stale): void {
    this.#waiting.set(JSON.stringify(stale.queryKey), stale);
  }

  /** @returns the keys to ask again now; each is told once */
  due(now: number): (readonly unknown[])[] {
    const keys: (readonly unknown[])[] = [];
    for (const [text, { queryKey, everyMs }] of this.#waiting) {
      if (now - (this.#askedAt.get(text) ?? Number.NEGATIVE_INFINITY) < everyMs) continue;
      this.#waiting.delete(text);
      this.#askedAt.set(text, now);
      keys.push(queryKey);
    }
    return keys;
  }
}
