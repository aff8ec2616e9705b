import { LRUCache } from 'lru-cache';
import { type Episode, episodesOf } from '../../domain/run/incident.ts';
import type { StatsStore } from '../../store/contract/stats.ts';

const HOUR_MS = 3_600_000;
/** Failed runs, and missed times, of one hour that are read at most: the newest of each. */
const MOST_OF_HOUR = 5_000;
/** An hour that is still growing is read anew after this many ms, or this many times as long as it took, up to 10 s. */
const FRESH_MS = 1_000;
const KEPT_TIMES = 10;
const LONGEST_KEPT_MS = 10_000;
/** Schedules of all hours of a client that are kept: about 150 bytes each. */
const MOST_KEPT = 100_000;
/** The same that one hour may have: each of its runs is of another schedule. */
const MOST_OF_ONE = 2 * MOST_OF_HOUR + 1;

interface FailureHour {
  /** Oldest first. */
  episodes: Episode[];
  isCut: boolean;
  countedAt: number;
  tookMs: number;
}

export interface FailureRange {
  /** Epoch ms, inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
}

/**
 * The failures of one client, hour by hour, each hour read until it is final. A run with retries is written long after its
 * nominal time, so an hour is read anew whenever its age has doubled.
 */
export class FailureHours {
  readonly #stats: StatsStore;
  readonly #clientRowId: number;
  readonly #hours = new LRUCache<number, FailureHour>({
    maxSize: MOST_KEPT,
    sizeCalculation: sizeOf,
  });
  #work: Promise<void> = Promise.resolve();

  constructor(stats: StatsStore, clientRowId: number) {
    this.#stats = stats;
    this.#clientRowId = clientRowId;
  }

  /** Counts the hours of a range that are to be counted, newest first. One count goes on at a time. */
  count(range: FailureRange, now: number): Promise<void> {
    const count = () => this.#count(range, now);
    this.#work = this.#work.then(count, count);
    return this.#work;
  }

  /**
   * The episodes that reach into a range, oldest first, as far back as all hours are counted.
   *
   * @returns `from` later than asked for where hours are missing
   */
  since({ from, to }: FailureRange): { episodes: Episode[]; from: number; isCut: boolean } {
    const counted: FailureHour[] = [];
    let reached = to;
    for (const hour of hoursOf({ from, to })) {
      const known = this.#hours.get(hour);
      if (known === undefined) break;
      counted.push(known);
      reached = Math.max(from, hour);
    }
    const episodes = counted
      .toReversed()
      .flatMap(each => each.episodes)
      .filter(({ since, lastFor }) => lastFor >= from && since < to);
    return { episodes, from: reached, isCut: counted.some(({ isCut }) => isCut) };
  }

  async #count(range: FailureRange, now: number): Promise<void> {
    let size = 0;
    for (const hour of hoursOf(range)) {
      if (isToCount(this.#hours.get(hour), hour, now)) await this.#countHour(hour, now);
      size += sizeOf(this.#hours.get(hour)!);
      // One hour more might push out the newest one, and an answer begins with that.
      if (size > MOST_KEPT - MOST_OF_ONE) return;
    }
  }

  async #countHour(hour: number, now: number): Promise<void> {
    const startedAt = performance.now();
    const found = await this.#stats.failed(this.#clientRowId, hour, hour + HOUR_MS, MOST_OF_HOUR);
    const tookMs = performance.now() - startedAt;
    const isCut = found.length >= MOST_OF_HOUR;
    this.#hours.set(hour, { episodes: episodesOf(found), isCut, countedAt: now, tookMs });
  }
}

function sizeOf({ episodes }: FailureHour): number {
  return episodes.reduce((sum, { schedules }) => sum + schedules.size, 1);
}

/** The starts of the hours of a range, newest first. */
function hoursOf({ from, to }: FailureRange): number[] {
  const hours: number[] = [];
  const last = Math.ceil(to / HOUR_MS) * HOUR_MS - HOUR_MS;
  for (let hour = last; hour + HOUR_MS > from; hour -= HOUR_MS) hours.push(hour);
  return hours;
}

function isToCount(counted: FailureHour | undefined, hour: number, now: number): boolean {
  if (counted === undefined) return true;
  const { countedAt, tookMs } = counted;
  const keptMs = Math.min(LONGEST_KEPT_MS, Math.max(FRESH_MS, KEPT_TIMES * tookMs));
  if (now - countedAt < keptMs) return false;
  const end = hour + HOUR_MS;
  return now < end || now - end >= 2 * (countedAt - end);
}
