import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { healthOf, MOST_JUDGED, nextAtOf, ORDERS, type Ranked } from '../../domain/run/health.ts';
import { isWanted } from '../../domain/schedule/matching.ts';
import type { ScheduleFilter } from '../../store/contract/schedules.ts';
import type { Store } from '../../store/contract/store.ts';
import { Slices } from '../http/slices.ts';
import { Kept } from '../stats/kept.ts';
import { keyOf, type Sort } from './queries.ts';
import { RankedHours } from './ranked-hours.ts';

/** Schedules of one list that are ranked, at most; all others follow by their age. */
const MOST_RANKED = 1_000;
/** Schedules whose records are read at once: their rows hold up nothing else for long. */
const AT_ONCE = 50;
/** For so long a ranking of few schedules is kept, or of the next firings. */
const FRESH_MS = 1_000;
/** For so long a ranking of some of many schedules is kept. */
const KEPT_MS = 60_000;
/** Rankings that the cursors of pages refer to: some 50 KB each. */
const MOST_KEPT = 200;

/** Schedules of one list in the order of their health. */
export interface Ranking {
  ids: string[];
  /** Whether these are all schedules of the list. */
  isWhole: boolean;
  madeAt: number;
}

/**
 * Rankings by health. Of a list with at most 1,000 schedules, all are read and ranked exactly. Of a longer one, the
 * schedules are ranked that stand out in the latest day: with the most failures, the longest runs, or the next firings.
 */
export class Rankings {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #current: Kept<string, Ranking>;
  /** Those that pages have shown: a cursor goes on in its own. */
  readonly #shown = new LRUCache<string, Ranking>({ max: MOST_KEPT });
  readonly #turns = new LRUCache<string, Promise<unknown>>({ max: 1_000 });
  readonly #failing: RankedHours;
  readonly #slowest: RankedHours;

  constructor(store: Store, clock: Clock) {
    const { health } = store;
    this.#store = store;
    this.#clock = clock;
    this.#current = new Kept(clock, { most: MOST_KEPT });
    const add = (a: number, b: number) => a + b;
    this.#failing = new RankedHours(
      (...asked) => health.failing(...asked),
      add,
      clock,
      MOST_RANKED,
    );
    this.#slowest = new RankedHours(
      (...asked) => health.slowest(...asked),
      Math.max,
      clock,
      MOST_RANKED,
    );
  }

  /** @param madeAt of the ranking that a cursor goes on in; the present one where that is gone, or left out */
  async of(
    clientRowId: number,
    sort: Sort,
    filter: ScheduleFilter,
    madeAt?: number,
  ): Promise<Ranking> {
    const key = keyOf(clientRowId, filter, sort);
    const shown = madeAt === undefined ? undefined : this.#shown.get(`${key} ${madeAt}`);
    if (shown !== undefined) return shown;
    // The next firings are read in a moment, and wait for nobody who reads records.
    const line = `${clientRowId} ${sort === 'next' ? 'next' : 'records'}`;
    const make = () => this.#inTurn(line, () => this.#make(clientRowId, sort, filter));
    const ranking = await this.#current.of(key, make, ({ isWhole }) =>
      isWhole || sort === 'next' ? FRESH_MS : KEPT_MS,
    );
    this.#shown.set(`${key} ${ranking.madeAt}`, ranking);
    return ranking;
  }

  /** One after the other for a client: each may read the records of a thousand schedules. */
  #inTurn<Value>(line: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(line) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(line, turn);
    return turn;
  }

  async #make(clientRowId: number, sort: Sort, filter: ScheduleFilter): Promise<Ranking> {
    const madeAt = this.#clock.now();
    const { ids, isWhole } = await this.#candidates(clientRowId, sort, filter);
    const ranked =
      sort === 'next'
        ? await this.#withNext(clientRowId, ids, madeAt)
        : await this.#withHealth(clientRowId, ids);
    return { ids: ranked.sort(ORDERS[sort]).map(({ id }) => id), isWhole, madeAt };
  }

  async #candidates(clientRowId: number, sort: Sort, filter: ScheduleFilter) {
    const listed = await this.#store.schedules.ids(clientRowId, filter, MOST_RANKED + 1);
    const isWhole = listed.next === null && listed.ids.length <= MOST_RANKED;
    if (isWhole) return { ids: listed.ids, isWhole };
    const outstanding = await this.#outstanding(clientRowId, sort);
    const ids: string[] = [];
    const slices = new Slices(clientRowId);
    for (let at = 0; at < outstanding.length; at += AT_ONCE) {
      const part = outstanding.slice(at, at + AT_ONCE);
      const found = await this.#store.schedules.findAll(clientRowId, part);
      const wanted = found.filter(({ schedule }) => isWanted(schedule, filter));
      ids.push(...wanted.map(({ schedule }) => schedule.id));
      if (slices.isOver) await slices.next();
    }
    return { ids, isWhole };
  }

  async #outstanding(clientRowId: number, sort: Sort): Promise<string[]> {
    if (sort === 'worst') return this.#failing.of(clientRowId);
    if (sort === 'slowest') return this.#slowest.of(clientRowId);
    const next = await this.#store.stats.upcoming(clientRowId, this.#clock.now(), MOST_RANKED);
    return next.map(({ scheduleId }) => scheduleId);
  }

  async #withNext(clientRowId: number, ids: string[], now: number): Promise<Ranked[]> {
    const queued = await this.#store.health.queued(clientRowId, ids, now);
    const rows = new Map(queued.map(row => [row.scheduleId, row]));
    return ids.map(id => ({ id, health: healthOf([]), nextAt: nextAtOf(rows.get(id) ?? null) }));
  }

  async #withHealth(clientRowId: number, ids: string[]): Promise<Ranked[]> {
    const ranked: Ranked[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const part = ids.slice(at, at + AT_ONCE);
      const runs = await this.#store.health.recent(clientRowId, part, MOST_JUDGED);
      const bySchedule = Map.groupBy(runs, ({ scheduleId }) => scheduleId);
      for (const id of part) {
        ranked.push({ id, health: healthOf(bySchedule.get(id) ?? []), nextAt: null });
      }
    }
    return ranked;
  }
}
