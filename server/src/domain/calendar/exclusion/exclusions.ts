import type { Segment } from '../zones/segment.ts';
import type { Zone } from '../zones/zone.ts';
import type { Period } from './period.ts';

/** The entry of a calendar that excludes an instant, with the name of its calendar. */
export interface ExcludingEntry {
  calendar: string;
  summary: string;
  /** As in its period. */
  from: number;
  to: number;
  isLocal: boolean;
}

/**
 * Exclusions: the instants that any of several calendars excludes, in a zone.
 *
 * Local periods are judged by the wall clock, segment by segment. If the clock goes back over midnight, the last hour of
 * an excluded day comes twice, and both passes are excluded. So an excluded stretch is known only to the end of its
 * segment, and callers ask again from there.
 *
 * Instants are whole numbers of epoch ms. An answer costs a few binary searches.
 */
export class Exclusions {
  readonly #calendars: readonly { name: string; local: Entries; fixed: Entries }[];
  readonly #local: Stretches;
  readonly #fixed: Stretches;

  constructor(calendars: readonly { name: string; periods: readonly Period[] }[]) {
    this.#calendars = calendars.map(({ name, periods }) => ({
      name,
      local: new Entries(periods.filter(period => period.isLocal)),
      fixed: new Entries(periods.filter(period => !period.isLocal)),
    }));
    const all = calendars.flatMap(({ periods }) => periods);
    this.#local = new Stretches(all.filter(period => period.isLocal));
    this.#fixed = new Stretches(all.filter(period => !period.isLocal));
  }

  /** The end of the last excluded stretch, on either time line; -Infinity where nothing is excluded. */
  get lastEnd(): number {
    return Math.max(this.#fixed.lastEnd, this.#local.lastEnd);
  }

  /** The end of the excluded stretch that holds `at`, no later than that of the zone's segment; null where none does. */
  endOf(zone: Zone, at: number): number | null {
    const { offsetMs, endAt } = zone.segmentAt(at);
    let end = at;
    while (end < endAt) {
      const fixedEnd = this.#fixed.endOf(end) ?? end;
      const localEnd = (this.#local.endOf(fixedEnd + offsetMs) ?? fixedEnd + offsetMs) - offsetMs;
      if (localEnd === end) break;
      end = localEnd;
    }
    return end === at ? null : Math.min(end, endAt);
  }

  /** The first instant of the excluded stretch that holds `at`, no earlier than its segment; null where none does. */
  startOf(zone: Zone, at: number): number | null {
    const { offsetMs, startAt } = zone.segmentAt(at);
    /** All from here to `at` is excluded. */
    let start = at + 1;
    while (start > startAt) {
      const fixedStart = this.#fixed.startOf(start - 1) ?? start;
      const before = fixedStart - 1 + offsetMs;
      const localStart = (this.#local.startOf(before) ?? before + 1) - offsetMs;
      if (localStart === start) break;
      start = localStart;
    }
    return start > at ? null : Math.max(start, startAt);
  }

  /**
   * The next instant after `at` at which an excluded stretch begins or the zone's segment ends, and Infinity where neither
   * comes.
   *
   * @param at not excluded
   */
  nextStart(zone: Zone, at: number): number {
    const { offsetMs, endAt } = zone.segmentAt(at);
    const localStart = this.#local.nextStart(at + offsetMs) - offsetMs;
    return Math.min(this.#fixed.nextStart(at), localStart, endAt);
  }

  /** The entry that excludes `at`, of the first such calendar the one that begins first; null where none does. */
  entryAt(zone: Zone, at: number): ExcludingEntry | null {
    const segment = zone.segmentAt(at);
    for (const { name, local, fixed } of this.#calendars) {
      const found = earlier(segment, local.at(at + segment.offsetMs), fixed.at(at));
      if (found !== null) return { calendar: name, ...found };
    }
    return null;
  }
}

function earlier({ offsetMs }: Segment, local: Period | null, fixed: Period | null): Period | null {
  if (local === null || fixed === null) return local ?? fixed;
  return fixed.from < local.from - offsetMs ? fixed : local;
}

/** Periods on one time line as stretches that neither overlap nor touch. */
class Stretches {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(periods: readonly Period[]) {
    for (const { from, to } of [...periods].sort((a, b) => a.from - b.from)) {
      const last = this.#ends.length - 1;
      if (last >= 0 && from <= this.#ends[last]!) {
        this.#ends[last] = Math.max(this.#ends[last]!, to);
      } else {
        this.#starts.push(from);
        this.#ends.push(to);
      }
    }
  }

  get lastEnd(): number {
    return this.#ends.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  endOf(time: number): number | null {
    const place = this.#holding(time);
    return place === -1 ? null : this.#ends[place]!;
  }

  startOf(time: number): number | null {
    const place = this.#holding(time);
    return place === -1 ? null : this.#starts[place]!;
  }

  nextStart(time: number): number {
    return this.#starts[countUntil(this.#starts, time)] ?? Number.POSITIVE_INFINITY;
  }

  /** @returns the index of the stretch, or -1 */
  #holding(time: number): number {
    const place = countUntil(this.#starts, time) - 1;
    return place >= 0 && time < this.#ends[place]! ? place : -1;
  }
}

/** The periods of one calendar on one time line, by their beginning. */
class Entries {
  readonly #periods: readonly Period[];
  /** The latest end of each period and all before it: ascending, so that it can be searched. */
  readonly #latestEnds: number[] = [];

  constructor(periods: readonly Period[]) {
    this.#periods = [...periods].sort((a, b) => a.from - b.from || a.to - b.to);
    let latest = Number.NEGATIVE_INFINITY;
    for (const { to } of this.#periods) {
      latest = Math.max(latest, to);
      this.#latestEnds.push(latest);
    }
  }

  /** The period that begins first of those that hold `time`. */
  at(time: number): Period | null {
    // All before this one have ended. It has not, so it holds the time unless it begins later, as all behind it do.
    const first = this.#periods[countUntil(this.#latestEnds, time)];
    return first !== undefined && first.from <= time ? first : null;
  }
}

/** How many of `times`, ascending, are at or before `time`. */
function countUntil(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
