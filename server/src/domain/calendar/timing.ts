/** The fields of a timing that a caller sets. Instants are epoch ms. */
export interface TimingFields {
  /** The first instant at which a time of the interval may lie. */
  startsAt?: number;
  /** Exclusive: the end of the times of the interval. */
  endsAt?: number;
  /** How many times there are from `countFrom` on: 1 to 1,000,000. */
  maxRuns?: number;
  /** Nothing fires before it. */
  pausedUntil?: number;
  /** 1 to 86,400: each time is later by `offsetMs`, which lies in the window. */
  windowSeconds?: number;
  /** Names of 1 to 5 calendars. */
  exclude?: string[];
  /** `skip` by default. */
  onExcluded?: OnExcluded;
  /** `disable` by default. */
  afterCompletion?: AfterCompletion;
}

/**
 * Timing: all that decides when a schedule fires, besides its interval and time zone.
 *
 * Guarantee: interval, time zone and timing name every time of a schedule. Derived values are resolved when a schedule is
 * written, so that nobody counts or hashes at a firing.
 */
export interface Timing extends TimingFields {
  /** Derived, where `maxRuns` is set: times after this instant count. */
  countFrom?: number;
  /** Derived: the last time that `maxRuns` leaves, before the offset. Absent where fewer are to come within a hundred years. */
  lastAt?: number;
  /** Derived, where `windowSeconds` is set: whole seconds, below the window. */
  offsetMs?: number;
  /** Derived, of a rate without `startsAt`: its times are later than this by whole periods. */
  anchorAt?: number;
  /** Derived, where `exclude` is set: the versions of these calendars, in their order. */
  calendars?: string[];
  /** Derived, where a window or a move brings a time to the other side of the create: times from before the create are none. */
  createdAt?: number;
}

/** The timing without its derived values. */
export function fieldsOf(timing: Timing): TimingFields {
  const {
    countFrom: _,
    lastAt: __,
    offsetMs: ___,
    anchorAt: ____,
    calendars: _____,
    createdAt: ______,
    ...fields
  } = timing;
  return fields;
}

export type OnExcluded = 'skip' | 'nextDay' | 'previousDay';
export type AfterCompletion = 'disable' | 'delete';

/** One value with all that decides when a schedule fires. */
export interface When {
  /** A cron expression, `at(…)` or `rate(…)`. */
  interval: string;
  timezone: string;
  timing?: Timing;
}
