import { PunctualError } from './errors.ts';
import names from './timezones.json' with { type: 'json' };

/**
 * A time zone as segments of constant offset, within which local time is plain arithmetic:
 * local = instant + offset.
 *
 * The rules come from Temporal. Segments are found where they are asked for and remembered, so
 * that the usual question (the segment of the present) is answered without it.
 */
export interface Segment {
  /** The first instant; -Infinity where no rule came before. */
  readonly startAt: number;
  /** The first instant of the next segment; Infinity where no rule comes after. */
  readonly endAt: number;
  readonly offsetMs: number;
  /** How far the wall clock jumped at `startAt`: a gap where positive, an overlap where negative. */
  readonly shiftMs: number;
}

/** The names of the IANA database, aliases included, sorted (made by scripts/timezones.ts). */
export const TIMEZONES: readonly string[] = names;

const known: ReadonlySet<string> = new Set(TIMEZONES);

/**
 * Exact and case-sensitive. `Intl` and Temporal accept more (PST, JST, any case), which would make
 * what is accepted depend on the version of Node.
 */
export function isTimezone(name: string): boolean {
  return known.has(name);
}

const zones = new Map<string, Zone>();

/** @throws PunctualError `timezone_unknown` */
export function zoneOf(name: string): Zone {
  const opened = zones.get(name);
  if (opened !== undefined) return opened;
  if (!isTimezone(name)) throw unknownTimezone();
  const zone = new Zone(name);
  zones.set(name, zone);
  return zone;
}

function unknownTimezone(): PunctualError {
  return new PunctualError(
    'timezone_unknown',
    'The timezone is not on the list that GET /timezones gives (Europe/Berlin and UTC are).',
  );
}

/** Of one zone, 250 years of two changes each: then all are forgotten. */
const MOST_SEGMENTS = 500;

export class Zone {
  readonly name: string;
  /** Sorted, without overlaps, with holes where nobody has asked yet. */
  #segments: Segment[] = [];
  #latest: Segment | undefined;

  constructor(name: string) {
    this.name = name;
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
    const segment = segmentFromTemporal(this.name, at);
    if (this.#segments.length >= MOST_SEGMENTS) this.#segments = [];
    this.#segments.splice(this.#placeOf(at), 0, segment);
    return segment;
  }
}

/** "Previous" is strictly before, so it is asked from one ms later: `at` may be the change itself. */
function segmentFromTemporal(name: string, at: number): Segment {
  const here = zoned(name, at);
  const start = zoned(name, at + 1).getTimeZoneTransition('previous');
  const end = here.getTimeZoneTransition('next');
  const startAt = start?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
  const offsetMs = offsetOf(here);
  return {
    startAt,
    endAt: end?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs,
    shiftMs: start === null ? 0 : offsetMs - offsetOf(zoned(name, startAt - 1)),
  };
}

function zoned(name: string, at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(name);
}

function offsetOf(time: Temporal.ZonedDateTime): number {
  return time.offsetNanoseconds / 1_000_000;
}
