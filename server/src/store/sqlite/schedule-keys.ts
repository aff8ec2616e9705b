import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';

/** Keys that one interval has for its schedules, before it gets the next ones. */
const BLOCK = 1_024;
/** Most intervals whose block is remembered. An interval that was forgotten begins another block. */
const MOST_REMEMBERED = 10_000;

/**
 * The keys of new schedules: those of the same interval and time zone are neighbours, since they fire together.
 * Rows are clustered by this key, and a page of the queue holds some 70. If neighbours were due at 60 different
 * seconds, each firing would write a page of the queue and a page of history.
 *
 * Keys that are left over after a restart stay unused; there are enough for 8 * 10^12 blocks.
 */
export class ScheduleKeys {
  readonly #highest: () => number;
  // With `max` its tables would be made at once, for a millisecond of each start.
  readonly #last = new LRUCache<string, number>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: () => 1,
  });
  /** The last block that was begun, perhaps by a transaction that failed. */
  #block = 0;

  constructor(database: DatabaseSync) {
    const highest = database.prepare('SELECT max(schedule_key) AS key FROM schedules');
    this.#highest = () => Number(highest.get()!.key ?? 0);
  }

  next(interval: string, timezone: string): number {
    const group = `${interval}\n${timezone}`;
    const last = this.#last.get(group);
    const key = last === undefined || isLastOfBlock(last) ? this.#begin() : last + 1;
    this.#last.set(group, key);
    return key;
  }

  #begin(): number {
    this.#block = Math.max(this.#block, Math.floor(this.#highest() / BLOCK)) + 1;
    return this.#block * BLOCK;
  }
}

function isLastOfBlock(key: number): boolean {
  return (key + 1) % BLOCK === 0;
}
