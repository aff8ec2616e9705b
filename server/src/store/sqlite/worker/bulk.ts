import type { StoreCall } from './protocol.ts';

/** For so long after firings were claimed or settled, the next are expected. */
const FIRING_MS = 100;
/** Characters of new schedules for which one turn has room then: some 500 of them, or one batch. */
const ROOM = 100_000;

/**
 * Calls that write much and can wait: new schedules, and what retention takes away. Turns of the thread
 * end in a commit, and firings wait for it. So while there are any, a turn takes little of this, and the
 * rest follows in its order.
 */
export class BulkCalls {
  readonly #calls: StoreCall[] = [];
  #firingUntil = Number.NEGATIVE_INFINITY;

  static holds([, , method]: StoreCall): boolean {
    return method === 'insertText' || method === 'prune';
  }

  add(call: StoreCall): void {
    this.#calls.push(call);
  }

  /** Firings are claimed or settled. @param now of a clock that only goes forward, ms */
  noteFirings(now: number): void {
    this.#firingUntil = now + FIRING_MS;
  }

  /** The bulk calls that run in this turn: at least one. */
  take(now: number): StoreCall[] {
    if (now >= this.#firingUntil) return this.takeAll();
    let room = ROOM;
    let count = 0;
    while (count < this.#calls.length && room > 0) {
      room -= sizeOf(this.#calls[count]!);
      count += 1;
    }
    return this.#calls.splice(0, count);
  }

  takeAll(): StoreCall[] {
    return this.#calls.splice(0);
  }
}

function sizeOf([, , method, args]: StoreCall): number {
  return method === 'insertText' ? args[1].length : ROOM;
}
