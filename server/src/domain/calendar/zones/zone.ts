import { PunctualError } from '../../errors.ts';
import { type Segment, segmentIn } from './segment.ts';
import type { ZoneRules } from './tzif.ts';
import { BUILT_IN, rulesIn, type ZoneData } from './zone-data.ts';

/** One for all that counts times in this thread: two answers to one question would be worse than none. */
let inUse = BUILT_IN;
let names = namesOf(BUILT_IN);
const zones = new Map<string, Zone>();

/** `countTimesWith` in calendar.ts is the way to change them. */
export function setZoneData(data: ZoneData): void {
  inUse = data;
  names = namesOf(data);
  zones.clear();
}

function namesOf({ files }: ZoneData): readonly string[] {
  return [...files.keys()].sort();
}

/** The time zone data in use. */
export function zoneData(): ZoneData {
  return inUse;
}

/** The data for another thread; null: it has the same ones, built in. */
export function zonesToHand(): ZoneData | null {
  return inUse === BUILT_IN ? null : inUse;
}

/** The names that are accepted, aliases included, sorted. */
export function timezones(): readonly string[] {
  return names;
}

/**
 * Exact and case-sensitive. `Intl` and Temporal accept more (PST, JST, any case), which would make
 * what is accepted depend on the version of Node.
 */
export function isTimezone(name: string): boolean {
  return inUse.files.has(name);
}

/** @throws PunctualError `timezone_unknown` */
export function zoneOf(name: string): Zone {
  const opened = zones.get(name);
  if (opened !== undefined) return opened;
  if (!isTimezone(name)) throw unknownTimezone(name);
  const zone = new Zone(rulesIn(inUse, name));
  zones.set(name, zone);
  return zone;
}

function unknownTimezone(name: string): PunctualError {
  return new PunctualError(
    'timezone_unknown',
    'The timezone is not on the list that GET /timezones gives (Europe/Berlin and UTC are).',
    { refused: name },
  );
}

/** Of one zone, 250 years of two changes each: then all are forgotten. */
const MOST_SEGMENTS = 500;

/**
 * The segments of one zone: found where they are asked for and remembered, so that the usual question
 * (the segment of the present) is answered without a search.
 */
export class Zone {
  readonly #rules: ZoneRules;
  /** Sorted, without overlaps, with holes where nobody has asked yet. */
  #segments: Segment[] = [];
  #latest: Segment | undefined;

  constructor(rules: ZoneRules) {
    this.#rules = rules;
  }

  /** The segment with startAt <= at < endAt; `at` is a whole number of epoch ms. */
  segmentAt(at: number): Segment {
    const latest = this.#latest;
    if (latest !== undefined && latest.startAt <= at && at < latest.endAt) return latest;
    this.#latest = this.#remembered(at) ?? this.#find(at);
    return this.#latest;
  }

  #remembered(at: number): Segment | undefined {
    const segment = this.#segments[this.#placeOf(at) - 1];
    return segment !== undefined && at < segment.endAt ? segment : undefined;
  }

  /** How many remembered segments start at or before `at`. */
  #placeOf(at: number): number {
    let low = 0;
    let high = this.#segments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#segments[middle]!.startAt <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #find(at: number): Segment {
    const segment = segmentIn(this.#rules, at);
    if (this.#segments.length >= MOST_SEGMENTS) this.#segments = [];
    this.#segments.splice(this.#placeOf(at), 0, segment);
    return segment;
  }
}
