import type { Clock } from '../../clock.ts';
import type { Timing } from '../../domain/calendar/timing.ts';
import type { ScheduleGroup, StatsStore } from '../../store/contract/stats.ts';
import { Slices } from '../http/slices.ts';
import { Kept } from './kept.ts';
import { withPatience } from './patience.ts';
import { Tally } from './tally.ts';

export interface CountedGroups {
  groups: ScheduleGroup[];
  countedAt: number;
  /** Whether there are schedules that are not counted yet. */
  isPartial: boolean;
}

const MOST_CLIENTS = 1_000;
/** From here on nobody waits for a count where there is an older one. */
const LONG_MS = 100;
/** How long an answer waits for schedules that are still to be counted. */
const PATIENCE_MS = 100;
/** Schedules that are counted at once: few first, since the first answer waits for them. */
const FIRST_PART = 10_000;
const MOST_IN_PART = 100_000;

/**
 * A client's enabled schedules in groups of the same times and host. Many schedules share few
 * intervals, so what is worked out from them costs the groups and not the schedules. Offsets in a window are told by the
 * minute (forecast-timing.ts); a schedule with a window keeps an offset, also where that is 0.
 *
 * To count a million takes the store seconds. Nobody waits for that: the newest are counted first, and
 * whoever asks meanwhile is answered with those so far, 10,000 at least.
 */
export class ScheduleGroups {
  readonly #stats: StatsStore;
  readonly #clock: Clock;
  readonly #kept: Kept<number, ScheduleGroup[]>;
  /** Of clients that are being counted. */
  readonly #counting = new Map<number, { soFar: Tally; firstPart: Promise<unknown> }>();

  constructor(stats: StatsStore, clock: Clock) {
    this.#stats = stats;
    this.#clock = clock;
    this.#kept = new Kept(clock, { most: MOST_CLIENTS, longMs: LONG_MS });
  }

  /** Begins to count where nobody has, for who is about to ask. */
  warm(clientRowId: number): void {
    this.#kept.warm(clientRowId, () => this.#count(clientRowId));
  }

  async of(clientRowId: number, patienceMs = PATIENCE_MS): Promise<CountedGroups> {
    const all = this.#allOf(clientRowId);
    const known = await withPatience(all, patienceMs);
    const counting = this.#counting.get(clientRowId);
    if (known !== undefined || counting === undefined) return all;
    await counting.firstPart;
    // If the first part was also the last, the count is complete at once.
    const isAll = !this.#counting.has(clientRowId);
    if (isAll) return this.#allOf(clientRowId);
    return { groups: counting.soFar.groups(), countedAt: this.#clock.now(), isPartial: true };
  }

  async #allOf(clientRowId: number): Promise<CountedGroups> {
    const { value, madeAt } = await this.#kept.entry(clientRowId, () => this.#count(clientRowId));
    return { groups: value, countedAt: madeAt, isPartial: false };
  }

  async #count(clientRowId: number): Promise<ScheduleGroup[]> {
    const soFar = new Tally(startOfHour(this.#clock.now()), stepMsOf);
    const slices = new Slices(clientRowId);
    const part = async (limit: number, before?: string) => {
      const { groups, next } = await this.#stats.groups(clientRowId, limit, before);
      await soFar.add(groups, slices);
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

/** A schedule without a window may be one of many at the same second: `GET /v1/advice` looks for these. */
function stepMsOf({ windowSeconds }: Timing): number {
  return windowSeconds === undefined ? SECOND_MS : MINUTE_MS;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** No step of a forecast begins before it. */
function startOfHour(now: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS;
}

const HOUR_MS = 60 * MINUTE_MS;
