import type { MinuteCount, StatsStore } from '../../store/contract/stats.ts';
import { withPatience } from './patience.ts';

const MINUTE_MS = 60_000;
/** A run is written this long after its end at the latest, or its minute is counted without it. */
const FINAL_AFTER_MS = 5 * MINUTE_MS;
/** How long an answer waits for minutes that are still to be counted. */
const PATIENCE_MS = 150;

/**
 * The minutes of one client's history, each counted until it is final.
 *
 * A run is written a moment after it ended (the batch it waits for, a database that is away), so a
 * young minute may still grow. It is counted again whenever it has become twice as old, and no more
 * when it is five minutes old: a handful of times each, however often somebody asks.
 *
 * The newest are counted first. An hour of 1,000 runs a second takes seconds to count: nobody waits
 * for that, but is told from when on it is counted, and more the next time.
 */
export class Minutes {
  readonly #counted = new Map<number, { count: MinuteCount; at: number }>();
  readonly #stats: StatsStore;
  readonly #clientRowId: number;
  #work: Promise<void> | null = null;

  constructor(stats: StatsStore, clientRowId: number) {
    this.#stats = stats;
    this.#clientRowId = clientRowId;
  }

  /**
   * The minutes that start at `from` (a full minute) or later and before `now`, oldest first, as far
   * back as they are counted without a hole.
   */
  async since(from: number, now: number, patienceMs = PATIENCE_MS): Promise<MinuteCount[]> {
    this.#forgetBefore(from);
    this.#work ??= this.#count(from, now).finally(() => {
      this.#work = null;
    });
    await withPatience(this.#work, patienceMs);
    const found: MinuteCount[] = [];
    for (let minute = lastMinute(now); minute >= from; minute -= MINUTE_MS) {
      const counted = this.#counted.get(minute);
      if (counted === undefined) break;
      found.push(counted.count);
    }
    return found.reverse();
  }

  async #count(from: number, now: number): Promise<void> {
    for (let minute = lastMinute(now); minute >= from; minute -= MINUTE_MS) {
      if (!this.#isToCount(minute, now)) continue;
      const [count] = await this.#stats.ended(this.#clientRowId, minute, minute + MINUTE_MS);
      this.#counted.set(minute, { count: count ?? emptyMinute(minute), at: now });
    }
  }

  #isToCount(minute: number, now: number): boolean {
    const counted = this.#counted.get(minute);
    if (counted === undefined) return true;
    const end = minute + MINUTE_MS;
    const ageThen = counted.at - end;
    if (ageThen < 0) return true;
    return ageThen < FINAL_AFTER_MS && now - end >= Math.max(1_000, 2 * ageThen);
  }

  #forgetBefore(from: number): void {
    for (const minute of this.#counted.keys()) {
      if (minute < from) this.#counted.delete(minute);
    }
  }
}

/** The start of the last minute that begins before `now`. */
function lastMinute(now: number): number {
  return Math.floor((now - 1) / MINUTE_MS) * MINUTE_MS;
}

function emptyMinute(minute: number): MinuteCount {
  return { minute, succeeded: 0, failed: 0, lateness: [], passed: [] };
}
