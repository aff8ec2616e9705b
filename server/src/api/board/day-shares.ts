import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { CountedHours, HealthStore, HourRange } from '../../store/contract/health.ts';
import { withPatience } from '../stats/patience.ts';
import { HOUR_MS, isToCount, latestHours } from './hours.ts';

/** The runs of a schedule that were sent and ended within the last day. */
export interface DayShare {
  succeeded: number;
  ended: number;
  /** Since when they are counted, if not all of the day is; epoch ms. */
  countedFrom?: number;
}

interface CountedHour {
  succeeded: number;
  failed: number;
  countedAt: number;
}

/** Records that one look reads of a schedule: more than the 3,600 that one of every second has in an hour. */
const MOST_RECORDS = 5_000;
/** Schedules that one look reads: other questions come between two looks. */
const READ_TOGETHER = 5;
/** How often the hour that goes on is counted. */
const EVERY_MS = 1_000;
/** How long an answer waits for hours that are still to be counted. */
const PATIENCE_MS = 100;
/** Schedules whose hours are kept: some 2 KB each. */
const MOST_KEPT = 10_000;

/**
 * Counts of the last 24 hours, and of the part of an hour before them, for the schedules of a page. Hours are kept, so
 * that a question reads what is new. Nobody waits for a day of an every-second schedule: an answer says since when it is
 * counted, and a later one counts more.
 */
export class DayShares {
  readonly #health: HealthStore;
  readonly #clock: Clock;
  readonly #kept = new LRUCache<string, Map<number, CountedHour>>({ max: MOST_KEPT });
  readonly #turns = new LRUCache<number, Promise<unknown>>({ max: 1_000 });

  constructor(health: HealthStore, clock: Clock) {
    this.#health = health;
    this.#clock = clock;
  }

  async of(clientRowId: number, scheduleIds: string[]): Promise<Map<string, DayShare>> {
    const now = this.#clock.now();
    const before = this.#turns.get(clientRowId) ?? Promise.resolve();
    const count = () => this.#count(clientRowId, scheduleIds, now);
    const turn = before.then(count, count);
    this.#turns.set(clientRowId, turn);
    await withPatience(turn, PATIENCE_MS);
    return new Map(scheduleIds.map(id => [id, this.#shareOf(clientRowId, id, now)]));
  }

  async #count(clientRowId: number, ids: string[], now: number): Promise<void> {
    let ranges = ids.flatMap(id => this.#toCount(clientRowId, id, now));
    while (ranges.length > 0) {
      const some = ranges.slice(0, READ_TOGETHER);
      const counted = await this.#health.hours(clientRowId, some, MOST_RECORDS);
      const rest = some.flatMap((range, at) => this.#note(clientRowId, range, counted[at]!, now));
      ranges = [...ranges.slice(READ_TOGETHER), ...rest];
    }
  }

  #hoursOf(clientRowId: number, id: string): Map<number, CountedHour> {
    const key = `${clientRowId} ${id}`;
    const hours = this.#kept.get(key) ?? new Map<number, CountedHour>();
    this.#kept.set(key, hours);
    return hours;
  }

  /** From the oldest hour that is to be counted to the newest; none where all are counted. */
  #toCount(clientRowId: number, scheduleId: string, now: number): HourRange[] {
    const hours = this.#hoursOf(clientRowId, scheduleId);
    const latest = latestHours(now);
    for (const hour of hours.keys()) if (!latest.includes(hour)) hours.delete(hour);
    const due = latest.filter(hour => isToCount(hour, hours.get(hour)?.countedAt, now, EVERY_MS));
    return due.length === 0 ? [] : [{ scheduleId, from: due.at(-1)!, to: due[0]! + HOUR_MS }];
  }

  /** @returns the rest, where a look has read as much as it may */
  #note(clientRowId: number, range: HourRange, counted: CountedHours, now: number): HourRange[] {
    const { scheduleId, from, to } = range;
    const hours = this.#hoursOf(clientRowId, scheduleId);
    const found = new Map(counted.hours.map(hour => [hour.at, hour]));
    const isAll = counted.records < MOST_RECORDS;
    // The oldest hour that was read may go on before the limit; it counts only if it is the only one.
    const oldest = counted.hours[0]?.at ?? from;
    const whole = isAll ? from : Math.min(oldest + HOUR_MS, to - HOUR_MS);
    for (let at = whole; at < to; at += HOUR_MS) {
      const { succeeded = 0, failed = 0 } = found.get(at) ?? {};
      hours.set(at, { succeeded, failed, countedAt: now });
    }
    return isAll || whole <= from ? [] : [{ scheduleId, from, to: whole }];
  }

  #shareOf(clientRowId: number, id: string, now: number): DayShare {
    const hours = this.#hoursOf(clientRowId, id);
    const share: DayShare = { succeeded: 0, ended: 0 };
    let countedFrom = now;
    for (const hour of latestHours(now)) {
      const counted = hours.get(hour);
      if (counted === undefined) return { ...share, countedFrom };
      share.succeeded += counted.succeeded;
      share.ended += counted.succeeded + counted.failed;
      countedFrom = hour;
    }
    return share;
  }
}
