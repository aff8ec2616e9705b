import type { FigureStore, MinuteCount } from '../../store/figures.ts';

const MINUTE_MS = 60_000;
/** One question to the store spans this much at most, so that it ends soon. */
const MINUTES_AT_ONCE = 5;
/** A run is written this long after its end at the latest, or its minute is counted without it. */
const FINAL_AFTER_MS = 5 * MINUTE_MS;

/**
 * The minutes of one client's history, each counted until it is final.
 *
 * A run is written a moment after it ended (the batch it waits for, a database that is away), so a
 * young minute may still grow. It is counted again whenever it has become twice as old, and no more
 * when it is five minutes old: a handful of times each, however often somebody asks.
 */
export class Minutes {
  readonly #counted = new Map<number, { count: MinuteCount; at: number }>();
  readonly #figures: FigureStore;
  readonly #clientKey: number;

  constructor(figures: FigureStore, clientKey: number) {
    this.#figures = figures;
    this.#clientKey = clientKey;
  }

  /** The minutes that start at `from` (a full minute) or later and before `now`, oldest first. */
  async since(from: number, now: number): Promise<MinuteCount[]> {
    this.#forgetBefore(from);
    for (const [start, end] of this.#rangesToCount(from, now)) {
      const found = await this.#figures.ended(this.#clientKey, start, end);
      for (let minute = start; minute < end; minute += MINUTE_MS) {
        const count = found.find(each => each.minute === minute) ?? emptyMinute(minute);
        this.#counted.set(minute, { count, at: now });
      }
    }
    return [...this.#counted.values()]
      .map(({ count }) => count)
      .sort((a, b) => a.minute - b.minute);
  }

  #rangesToCount(from: number, now: number): [number, number][] {
    const ranges: [number, number][] = [];
    for (let minute = from; minute < now; minute += MINUTE_MS) {
      if (!this.#isToCount(minute, now)) continue;
      const last = ranges.at(-1);
      const isNext = last?.[1] === minute && minute - last[0] < MINUTES_AT_ONCE * MINUTE_MS;
      if (isNext) last![1] = minute + MINUTE_MS;
      else ranges.push([minute, minute + MINUTE_MS]);
    }
    return ranges;
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

function emptyMinute(minute: number): MinuteCount {
  return { minute, succeeded: 0, failed: 0, lateness: [] };
}
