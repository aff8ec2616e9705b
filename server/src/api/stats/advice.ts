import type * as Wire from '@punctual/client';
import type { Clock } from '../../clock.ts';
import {
  addFirings,
  busiestSecond,
  type HerdWindow,
  isHerd,
  windowOf,
  windowsFor,
} from '../../domain/calendar/herd.ts';
import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import { nextTime } from '../../domain/calendar/times.ts';
import { iso } from '../../domain/iso.ts';
import type { HerdMember, ScheduleGroup } from '../../store/contract/stats.ts';
import type { Store } from '../../store/contract/store.ts';
import { Slices } from '../http/slices.ts';
import type { ScheduleGroups } from './groups.ts';
import { Kept } from './kept.ts';
import { largest } from './largest.ts';

const DAY_MS = 86_400_000;
const MOST_GROUPS = 50_000;
const MOST_HERDS = 20;
const MOST_CLIENTS = 1_000;
const MOST_IDS = 1_000;
/** Schedules of the same interval and host that are looked at: some may not fire at that second. */
const MOST_MEMBERS = 5_000;
/** From here on nobody waits for a count where there is an older one. */
const LONG_MS = 100;

/** Groups of one interval that call one host, with the second at which most of them fire. */
interface FoundHerd {
  host: string;
  interval: string;
  at: number;
  firings: number;
  windows: number[];
}

/**
 * `GET /v1/advice`: herds of the next 24 hours, and the windows that would spread them.
 *
 * Herds are found by groups of schedules. Schedules are read of those herds only that are told.
 */
export class AdviceStats {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #groups: ScheduleGroups;
  readonly #kept: Kept<number, Wire.Advice>;

  constructor(store: Store, clock: Clock, groups: ScheduleGroups) {
    this.#store = store;
    this.#clock = clock;
    this.#groups = groups;
    this.#kept = new Kept(clock, { most: MOST_CLIENTS, longMs: LONG_MS });
  }

  async of(clientRowId: number): Promise<Wire.Advice> {
    return this.#kept.of(clientRowId, () => this.#advise(clientRowId));
  }

  async #advise(clientRowId: number): Promise<Wire.Advice> {
    const { groups, countedAt, isPartial } = await this.#groups.of(clientRowId);
    const slices = new Slices(clientRowId);
    const without = groups.filter(({ timing }) => timing?.offsetMs === undefined);
    const { counted } = await largest(without, MOST_GROUPS, slices);
    const items: Wire.Herd[] = [];
    for (const found of await this.#herds(counted, slices)) {
      if (items.length === MOST_HERDS) break;
      const item = await this.#itemOf(clientRowId, found);
      if (item !== null) items.push(item);
    }
    return { items, countedAt: iso(countedAt), ...(isPartial && { isPartial }) };
  }

  /** Most firings first. */
  async #herds(groups: ScheduleGroup[], slices: Slices): Promise<FoundHerd[]> {
    const from = this.#clock.now() + 1;
    const found: FoundHerd[] = [];
    const keyOf = ({ host, interval }: ScheduleGroup) => `${host}\0${interval}`;
    for (const same of Map.groupBy(groups, keyOf).values()) {
      if (!isHerd(same.reduce((all, { count }) => all + count, 0))) continue;
      const { host, interval } = same[0]!;
      const windows = windowsFor(same[0]!, from);
      if (windows.length === 0) continue;
      const busiest = await this.#busiest(same, from, slices);
      if (busiest !== null && isHerd(busiest.firings)) {
        found.push({ host, interval, windows, ...busiest });
      }
    }
    return found.sort((a, b) => b.firings - a.firings || (a.host < b.host ? -1 : 1));
  }

  /** An interval with room for a window has few times in a day. */
  async #busiest(same: ScheduleGroup[], from: number, slices: Slices) {
    const seconds = new Map<number, number>();
    for (const group of same) {
      await loadCalendars(this.#store.calendars, [group]);
      addFirings(seconds, group, group.count, { from, to: from + DAY_MS });
      if (slices.isOver) await slices.next();
    }
    return busiestSecond(seconds);
  }

  async #itemOf(
    clientRowId: number,
    { host, interval, at, firings, windows }: FoundHerd,
  ): Promise<Wire.Herd | null> {
    const members = await this.#store.stats.herd(clientRowId, { interval, host }, MOST_MEMBERS);
    await loadCalendars(this.#store.calendars, members);
    const firing = members.filter(member => nextTime(member, at - 1) === at);
    const window = windowOf(firings, windows, firing.length < firings ? null : hashedOf(firing));
    return window === null ? null : herdAnswer({ host, interval, at, firings }, window, firing);
  }
}

function hashedOf(members: HerdMember[]): string[] {
  return members.map(({ id, externalId }) => externalId ?? id);
}

function herdAnswer(
  { host, interval, at, firings }: Omit<FoundHerd, 'windows'>,
  { peakAfter, windowSeconds }: HerdWindow,
  members: HerdMember[],
): Wire.Herd {
  return {
    host,
    interval,
    at: iso(at),
    firings,
    schedules: firings,
    peakAfter,
    windowSeconds,
    scheduleIds: members.slice(0, MOST_IDS).map(({ id }) => id),
  };
}
