import type * as Wire from '@punctual/client';
import type { Clock } from '../../clock.ts';
import { iso } from '../../domain/iso.ts';
import { healthOf, MOST_JUDGED, nextAtOf } from '../../domain/run/health.ts';
import { isWanted } from '../../domain/schedule/matching.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { RecentRun } from '../../store/contract/health.ts';
import type { ScheduleFilter } from '../../store/contract/schedules.ts';
import type { Store } from '../../store/contract/store.ts';
import { scheduleAnswer } from '../answers.ts';
import { idBefore, pageOf } from '../http/pagination.ts';
import { cursorOf, type Place, placeFrom } from './cursor.ts';
import { type DayShare, DayShares } from './day-shares.ts';
import type { Sort } from './queries.ts';
import { type Ranking, Rankings } from './rankings.ts';
import { Totals } from './totals.ts';

/** Lists that one page reads of schedules that are not ranked, at most: ranked ones among them are left out. */
const MOST_LISTS = 20;

/** A page of schedules: those shown, and where the next page goes on. */
interface SchedulesPage {
  schedules: Schedule[];
  nextCursor?: string;
  /** How many the whole list has, where the page tells it: a list is not searched a second time to count it. */
  count?: number;
}

interface Asked {
  filter: ScheduleFilter;
  limit: number;
  cursor: string | undefined;
}

/** `GET /v1/schedule/health`: pages of schedules with their health. It reads only the records of those on the page. */
export class Board {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #rankings: Rankings;
  readonly #shares: DayShares;
  readonly #totals: Totals;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#rankings = new Rankings(store, clock);
    this.#shares = new DayShares(store.health, clock);
    this.#totals = new Totals(store, clock);
  }

  /** @throws PunctualError `cursor_invalid` */
  async page(
    clientRowId: number,
    sort: Wire.HealthSort,
    asked: Asked,
  ): Promise<Pick<Wire.HealthPage, 'items' | 'total' | 'nextCursor'>> {
    const { schedules, count, ...rest } = await (sort === 'newest'
      ? this.#newest(clientRowId, asked)
      : this.#ranked(clientRowId, sort, asked));
    const [items, total] = await Promise.all([
      this.#withHealth(clientRowId, schedules),
      count === undefined ? this.#totals.of(clientRowId, asked.filter) : { count, isExact: true },
    ]);
    return { items, total, ...rest };
  }

  async #newest(clientRowId: number, { filter, limit, cursor }: Asked): Promise<SchedulesPage> {
    const before = idBefore(cursor);
    const found = await this.#store.schedules.list(clientRowId, filter, limit + 1, before);
    const { items, ...rest } = pageOf(found.schedules, limit, schedule => schedule, found.next);
    const isAll = cursor === undefined && rest.nextCursor === undefined;
    return { schedules: items, ...rest, ...(isAll && { count: items.length }) };
  }

  async #ranked(clientRowId: number, sort: Sort, asked: Asked): Promise<SchedulesPage> {
    const { filter, limit, cursor } = asked;
    const place = cursor === undefined ? undefined : placeFrom(sort, cursor);
    const ranking = await this.#rankings.of(clientRowId, sort, filter, place?.madeAt);
    const { schedules, told } = await this.#ofRanking(clientRowId, ranking, asked, place);
    const next: Place = { madeAt: ranking.madeAt, told };
    const isMore = told < ranking.ids.length;
    if (isMore) return { schedules, nextCursor: cursorOf(sort, next) };
    if (ranking.isWhole) {
      const isAll = place === undefined;
      return { schedules, ...(isAll && { count: schedules.length }) };
    }
    const left = limit - schedules.length;
    if (left === 0) return { schedules, nextCursor: cursorOf(sort, next) };
    const others = await this.#others(clientRowId, filter, ranking, left, place?.before);
    const before = others.next;
    return {
      schedules: [...schedules, ...others.schedules],
      ...(before !== null && { nextCursor: cursorOf(sort, { ...next, before }) }),
    };
  }

  /** The next schedules of a ranking, as far as they still are of the list. */
  async #ofRanking(
    clientRowId: number,
    { ids }: Ranking,
    { filter, limit }: Asked,
    place: Place | undefined,
  ) {
    const schedules: Schedule[] = [];
    let told = place?.told ?? 0;
    while (schedules.length < limit && told < ids.length) {
      const part = ids.slice(told, told + limit - schedules.length);
      const found = await this.#store.schedules.findAll(clientRowId, part);
      const byId = new Map(found.map(({ schedule }) => [schedule.id, schedule]));
      const wanted = part.flatMap(id => byId.get(id) ?? []);
      schedules.push(...wanted.filter(schedule => isWanted(schedule, filter)));
      told += part.length;
    }
    return { schedules, told };
  }

  /** Those that are not ranked, newest first. */
  async #others(
    clientRowId: number,
    filter: ScheduleFilter,
    { ids }: Ranking,
    limit: number,
    before: string | undefined,
  ): Promise<{ schedules: Schedule[]; next: string | null }> {
    const ranked = new Set(ids);
    const schedules: Schedule[] = [];
    let from = before;
    for (let lists = 0; lists < MOST_LISTS; lists += 1) {
      const found = await this.#store.schedules.list(clientRowId, filter, limit, from);
      for (const schedule of found.schedules) {
        if (!ranked.has(schedule.id)) schedules.push(schedule);
        from = schedule.id;
        if (schedules.length === limit) return { schedules, next: from };
      }
      if (found.next !== null) return { schedules, next: found.next };
      if (found.schedules.length < limit) return { schedules, next: null };
    }
    return { schedules, next: from! };
  }

  async #withHealth(clientRowId: number, schedules: Schedule[]): Promise<Wire.ScheduleHealth[]> {
    // An empty page need not wait for the shares of another one.
    if (schedules.length === 0) return [];
    const { health } = this.#store;
    const now = this.#clock.now();
    const ids = schedules.map(({ id }) => id);
    const [recent, queued, shares] = await Promise.all([
      health.recent(clientRowId, ids, MOST_JUDGED),
      health.queued(clientRowId, ids, now),
      this.#shares.of(clientRowId, ids),
    ]);
    const runs = Map.groupBy(recent, ({ scheduleId }) => scheduleId);
    const rows = new Map(queued.map(row => [row.scheduleId, row]));
    return schedules.map(schedule => ({
      schedule: scheduleAnswer(schedule, now),
      ...healthAnswer(runs.get(schedule.id) ?? [], shares.get(schedule.id)!),
      ...nextAnswer(nextAtOf(rows.get(schedule.id) ?? null)),
    }));
  }
}

/** @param runs newest first */
function healthAnswer(
  runs: RecentRun[],
  { succeeded, ended, countedFrom }: DayShare,
): Omit<Wire.ScheduleHealth, 'schedule' | 'nextAt'> {
  const { p95DurationMs, p95LateMs } = healthOf(runs);
  return {
    recent: runs.map(({ id, status, scheduledFor }) => ({
      id,
      status,
      scheduledFor: iso(scheduledFor),
    })),
    ...(runs[0] && { last: lastAnswer(runs[0]) }),
    ...(p95DurationMs !== null && { p95DurationMs }),
    ...(p95LateMs !== null && { p95LateMs }),
    succeeded24h: succeeded,
    ended24h: ended,
    ...(countedFrom !== undefined && { countedFrom: iso(countedFrom) }),
  };
}

function lastAnswer(run: RecentRun): Wire.LastOutcome {
  const { id, status, scheduledFor, endedAt, responseStatus, error } = run;
  return {
    id,
    status,
    scheduledFor: iso(scheduledFor),
    ...(endedAt !== undefined && { endedAt: iso(endedAt) }),
    ...(responseStatus !== undefined && { responseStatus }),
    ...(error !== undefined && { error }),
  };
}

function nextAnswer(nextAt: number | null): { nextAt?: string } {
  return nextAt === null ? {} : { nextAt: iso(nextAt) };
}
