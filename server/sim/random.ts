/**
 * Numbers from a seed, one stream a purpose (mulberry32). Streams know nothing of each other: one that is asked more
 * often changes no other.
 */
export class Random {
  #state: number;

  /** @param purpose the name of the stream */
  constructor(seed: number, purpose = '') {
    this.#state = hashOf(seed >>> 0, purpose);
  }

  /** 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** A whole number, `most` included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!;
  }

  /** @param probability 0 to 1 */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Waits between events that come at random, `mean` on average. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }
}

/** FNV-1a over the text, so that neighbouring seeds and purposes begin far apart. */
function hashOf(seed: number, purpose: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${seed} ${purpose}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
