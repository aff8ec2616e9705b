import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import type { FigureStore, ScheduleGroup } from '../../store/figures.ts';

export interface GroupsAt {
  groups: ScheduleGroup[];
  countedAt: number;
  tookMs: number;
}

const MOST_CLIENTS = 1_000;
/** A small client's schedules are counted anew at each question but those of one moment. */
const FRESH_MS = 1_000;
/** From here on nobody waits for a count where there is an older one. */
const LONG_MS = 100;
/** A count that took long is kept for this many times as long: counting never takes most of a core. */
const KEPT_TIMES = 20;
/** A count this old is not answered with, but counted anew first. */
const STALE_MS = 5 * 60_000;

/**
 * A client's schedules in groups of the same times and host. Many schedules share few intervals, so
 * what is worked out from them costs the groups and not the schedules. To count a million takes the
 * store about a second: after the first time, such a client is answered with its last count while a
 * new one is made.
 */
export class Groups {
  readonly #clock: Clock;
  readonly #counts: LRUCache<number, GroupsAt>;

  constructor(figures: FigureStore, clock: Clock) {
    this.#clock = clock;
    this.#counts = new LRUCache<number, GroupsAt>({
      max: MOST_CLIENTS,
      ttl: FRESH_MS,
      fetchMethod: async (clientKey, _old, { options }) => {
        const startedAt = performance.now();
        const groups = await figures.groups(clientKey);
        const tookMs = performance.now() - startedAt;
        options.ttl = Math.max(FRESH_MS, KEPT_TIMES * tookMs);
        return { groups, countedAt: clock.now(), tookMs };
      },
    });
  }

  /** Begins to count where nobody has, for who is about to ask. */
  warm(clientKey: number): void {
    const isKnown = this.#counts.peek(clientKey, { allowStale: true }) !== undefined;
    if (!isKnown) this.#counts.fetch(clientKey).catch(() => {});
  }

  async of(clientKey: number): Promise<GroupsAt> {
    const kept = this.#counts.peek(clientKey, { allowStale: true });
    const allowStale =
      kept !== undefined &&
      kept.tookMs >= LONG_MS &&
      this.#clock.now() - kept.countedAt <= STALE_MS;
    return (await this.#counts.fetch(clientKey, { allowStale }))!;
  }
}
