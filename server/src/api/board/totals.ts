import type * as Wire from '@punctual/client';
import type { Clock } from '../../clock.ts';
import type { ScheduleFilter } from '../../store/contract/schedules.ts';
import type { Store } from '../../store/contract/store.ts';
import { Kept } from '../stats/kept.ts';
import { isPlain, keyOf } from './queries.ts';

/** Schedules that a filter counts, at most. */
const MOST_COUNTED = 10_000;
/** Searches that one count makes, at most. */
const MOST_SEARCHES = 10;
const MOST_KEPT = 1_000;
/** For so long a total is kept, and one of more schedules than are counted. */
const FRESH_MS = 1_000;
const MANY_MS = 10_000;

/** How many schedules a list has. */
export class Totals {
  readonly #store: Store;
  readonly #kept: Kept<string, Wire.Total>;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#kept = new Kept(clock, { most: MOST_KEPT });
  }

  of(clientRowId: number, filter: ScheduleFilter): Promise<Wire.Total> {
    const isStatusCounted = filter.status !== 'deleted' && isPlain(filter);
    const make = () =>
      isStatusCounted
        ? this.#byStatus(clientRowId, filter.status)
        : this.#oneByOne(clientRowId, filter);
    const isMany = ({ count, isExact }: Wire.Total) => !isExact && count >= MOST_COUNTED;
    const leastMs = (total: Wire.Total) => (isMany(total) ? MANY_MS : FRESH_MS);
    return this.#kept.of(keyOf(clientRowId, filter), make, leastMs);
  }

  async #byStatus(clientRowId: number, status: ScheduleFilter['status']): Promise<Wire.Total> {
    const { enabled, disabled } = await this.#store.stats.counts(clientRowId);
    const count =
      status === 'enabled' ? enabled : status === 'disabled' ? disabled : enabled + disabled;
    return { count, isExact: true };
  }

  async #oneByOne(clientRowId: number, filter: ScheduleFilter): Promise<Wire.Total> {
    let count = 0;
    let before: string | undefined;
    for (let searches = 0; searches < MOST_SEARCHES; searches += 1) {
      const most = MOST_COUNTED + 1 - count;
      const { ids, next } = await this.#store.schedules.ids(clientRowId, filter, most, before);
      count += ids.length;
      if (count > MOST_COUNTED) return { count: MOST_COUNTED, isExact: false };
      if (next === null) return { count, isExact: true };
      before = next;
    }
    return { count, isExact: false };
  }
}
