import type { Clock } from '../../clock.ts';
import type { ScheduleGroup, StatsStore } from '../../store/contract/stats.ts';
import { CachedCounts } from './cached-counts.ts';
import { withPatience } from './patience.ts';

export interface CountedGroups {
  groups: ScheduleGroup[];
  countedAt: number;
  /** Whether there are schedules that are not counted yet. */
  isPartial: boolean;
}

/** From here on nobody waits for a count where there is an older one. */
const LONG_MS = 100;
/** How long an answer waits for schedules that are still to be counted. */
const PATIENCE_MS = 100;
/** Schedules that are counted at once: few first, since the first answer waits for them. */
const FIRST_PART = 10_000;
const MOST_IN_PART = 100_000;

/**
 * A client's enabled schedules in groups of the same times and host. Many schedules share few
 * intervals, so what is worked out from them costs the groups and not the schedules.
 *
 * To count a million takes the store seconds. Nobody waits for that: the newest are counted first, and
 * whoever asks meanwhile is answered with those so far, 10,000 at least.
 */
export class ScheduleGroups {
  readonly #stats: StatsStore;
  readonly #clock: Clock;
  readonly #kept: CachedCounts<ScheduleGroup[]>;
  /** Of clients that are being counted. */
  readonly #counting = new Map<number, { soFar: Tally; firstPart: Promise<unknown> }>();

  constructor(stats: StatsStore, clock: Clock) {
    this.#stats = stats;
    this.#clock = clock;
    this.#kept = new CachedCounts(clientRowId => this.#count(clientRowId), clock, LONG_MS);
  }

  /** Begins to count where nobody has, for who is about to ask. */
  warm(clientRowId: number): void {
    this.#kept.warm(clientRowId);
  }

  async of(clientRowId: number, patienceMs = PATIENCE_MS): Promise<CountedGroups> {
    const all = this.#allOf(clientRowId);
    const known = await withPatience(all, patienceMs);
    const counting = this.#counting.get(clientRowId);
    if (known !== undefined || counting === undefined) return all;
    await counting.firstPart;
    // If the first part was also the last, the count is complete at once.
    const isAll = !this.#counting.has(clientRowId);
    if (isAll) return all;
    return { groups: counting.soFar.groups(), countedAt: this.#clock.now(), isPartial: true };
  }

  async #allOf(clientRowId: number): Promise<CountedGroups> {
    const { value: groups, countedAt } = await this.#kept.of(clientRowId);
    return { groups, countedAt, isPartial: false };
  }

  async #count(clientRowId: number): Promise<ScheduleGroup[]> {
    const soFar = new Tally();
    const part = async (limit: number, before?: string) => {
      const { groups, next } = await this.#stats.groups(clientRowId, limit, before);
      soFar.add(groups);
      return next;
    };
    const firstPart = part(FIRST_PART);
    this.#counting.set(clientRowId, { soFar, firstPart });
    try {
      let next = await firstPart;
      for (let limit = 2 * FIRST_PART; next !== null; limit *= 2) {
        next = await part(Math.min(limit, MOST_IN_PART), next);
      }
      return soFar.groups();
    } finally {
      this.#counting.delete(clientRowId);
    }
  }
}

/** The same group of several parts is one. */
class Tally {
  readonly #groups = new Map<string, ScheduleGroup>();

  add(groups: ScheduleGroup[]): void {
    for (const group of groups) {
      const key = `${group.interval}\0${group.timezone}\0${group.host}`;
      const before = this.#groups.get(key)?.count ?? 0;
      this.#groups.set(key, before === 0 ? group : { ...group, count: before + group.count });
    }
  }

  groups(): ScheduleGroup[] {
    return [...this.#groups.values()];
  }
}
