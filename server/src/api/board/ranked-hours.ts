import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { RankedRange, RankedSchedules } from '../../store/contract/health.ts';
import { withPatience } from '../stats/patience.ts';
import { HOUR_MS, isToCount, latestHours } from './hours.ts';

/** Records of one hour that are read, at most: its newest. */
const MOST_RECORDS = 20_000;
/** Records of all hours together: with more of them, a ranking looks back less than a day. */
const MOST_OF_DAY = 200_000;
/** How often the hour that goes on is read anew. */
const EVERY_MS = 60_000;
/** How long an answer waits for hours that are still to be read. */
const PATIENCE_MS = 100;
const MOST_CLIENTS = 200;

interface ReadHour extends RankedSchedules {
  readAt: number;
}

type Read = (clientRowId: number, range: RankedRange, most: number) => Promise<RankedSchedules>;

/**
 * The schedules of a client with the highest figures in the latest day. It is read an hour at a time, newest first, and
 * kept; so a question reads what the last minute has brought.
 */
export class RankedHours {
  readonly #read: Read;
  readonly #merge: (a: number, b: number) => number;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #clients = new LRUCache<number, Map<number, ReadHour>>({ max: MOST_CLIENTS });
  readonly #work = new Map<number, Promise<void>>();

  /**
   * @param merge the figures of a schedule in two hours
   * @param most schedules
   */
  constructor(read: Read, merge: (a: number, b: number) => number, clock: Clock, most: number) {
    this.#read = read;
    this.#merge = merge;
    this.#clock = clock;
    this.#most = most;
  }

  /** Their ids, the highest figure first. */
  async of(clientRowId: number): Promise<string[]> {
    const hours = this.#clients.get(clientRowId) ?? new Map<number, ReadHour>();
    this.#clients.set(clientRowId, hours);
    await withPatience(this.#work.get(clientRowId) ?? this.#begin(clientRowId, hours), PATIENCE_MS);
    return this.#highest(hours);
  }

  #begin(clientRowId: number, hours: Map<number, ReadHour>): Promise<void> {
    const end = () => this.#work.delete(clientRowId);
    const work = this.#readAll(clientRowId, hours);
    this.#work.set(clientRowId, work);
    work.then(end, end);
    return work;
  }

  async #readAll(clientRowId: number, hours: Map<number, ReadHour>): Promise<void> {
    const now = this.#clock.now();
    const latest = latestHours(now);
    for (const hour of hours.keys()) if (!latest.includes(hour)) hours.delete(hour);
    let records = 0;
    for (const hour of latest) {
      if (isToCount(hour, hours.get(hour)?.readAt, now, EVERY_MS)) {
        const range = { from: hour, to: hour + HOUR_MS, records: MOST_RECORDS };
        hours.set(hour, { ...(await this.#read(clientRowId, range, this.#most)), readAt: now });
      }
      records += hours.get(hour)!.records;
      if (records >= MOST_OF_DAY) break;
    }
  }

  #highest(hours: Map<number, ReadHour>): string[] {
    const figures = new Map<string, number>();
    for (const { schedules } of hours.values()) {
      for (const { scheduleId, figure } of schedules) {
        const before = figures.get(scheduleId);
        figures.set(scheduleId, before === undefined ? figure : this.#merge(before, figure));
      }
    }
    const sorted = [...figures].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? 1 : -1));
    return sorted.slice(0, this.#most).map(([id]) => id);
  }
}
