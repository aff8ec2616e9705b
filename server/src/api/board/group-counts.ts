import type * as Wire from '@punctual/client';
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { ScheduleGroups } from '../stats/groups.ts';
import { Kept } from '../stats/kept.ts';

/** Groups that are told: those with most schedules. */
const MOST_GROUPS = 100;
/** Tags of schedules that one count reads. */
const MOST_LOOKED_AT = 1_000_000;
const MOST_KEPT = 1_000;

/** How many schedules of a client have the same host, or the same tag. */
export class GroupCounts {
  readonly #store: Store;
  readonly #groups: ScheduleGroups;
  readonly #tags: Kept<string, Wire.GroupCount[]>;

  constructor(store: Store, clock: Clock, groups: ScheduleGroups) {
    this.#store = store;
    this.#groups = groups;
    this.#tags = new Kept(clock, { most: MOST_KEPT });
  }

  of(clientRowId: number, by: 'host' | 'tag'): Promise<Wire.GroupCount[]> {
    if (by === 'host') return this.#byHost(clientRowId);
    const count = () => this.#store.health.tags(clientRowId, MOST_LOOKED_AT, MOST_GROUPS);
    return this.#tags.of(String(clientRowId), count);
  }

  /** Of enabled schedules, as the forecast counts them. */
  async #byHost(clientRowId: number): Promise<Wire.GroupCount[]> {
    const { groups } = await this.#groups.of(clientRowId);
    const counts = new Map<string, number>();
    for (const { host, count } of groups) counts.set(host, (counts.get(host) ?? 0) + count);
    return [...counts]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
      .slice(0, MOST_GROUPS);
  }
}
