export interface StatsQuery {
  /** How far back: 1 to 180, 60 by default. */
  minutes?: number;
}

/** Runs that ended, and times that did not fire. Lateness is of scheduled runs, in milliseconds. */
export interface Tally {
  succeeded: number;
  failed: number;
  skipped: number;
  missed: number;
  p50LateMs?: number;
  p99LateMs?: number;
}

export interface StatsMinute extends Tally {
  /** The start of the minute. */
  at: string;
}

export interface HistoryQuery {
  /** ISO 8601, inclusive; rounded down to a full step. */
  from: string;
  /** ISO 8601, exclusive; rounded up to a full step. */
  to: string;
  /**
   * The length of a step: 1 to 86,400, above an hour whole hours. From `from` to `to` there are 1,000 steps and 366 days
   * at most.
   */
  stepSeconds: number;
}

/** Nominal times of a schedule, by what became of them. Manual runs are counted by their own time. */
export interface HistoryStep {
  /** The start of the step. */
  at: string;
  succeeded: number;
  failed: number;
  skipped: number;
  missed: number;
}

export interface History {
  scheduleId: string;
  /** Since when it is counted: later than what was asked for where `isPartial`. */
  from: string;
  to: string;
  stepSeconds: number;
  /** Steps with records, oldest first. Runs that have not ended are not counted. */
  steps: HistoryStep[];
  /** True while what lies before `from` is still being counted: ask again in a second. */
  isPartial?: boolean;
}

export interface TimelineQuery extends HistoryQuery {
  /** 1 to 50, repeated; together they have 20,000 steps at most. */
  scheduleId: string[];
}

/**
 * The times of one schedule, past and to come. The lists have one entry for each step in which there is something: the
 * first entries are of the same step, and so on.
 */
export interface TimelineLane {
  scheduleId: string;
  /** Since when results are counted: later than what was asked for where `isPartial`. */
  from: string;
  /** Numbers of steps, from 0 on, in order. */
  steps: number[];
  succeeded: number[];
  failed: number[];
  skipped: number[];
  missed: number[];
  /** Times that are to come. */
  due: number[];
  /** True while results before `from` are still being counted: ask again in a second. */
  isPartial?: boolean;
}

export interface Timeline {
  from: string;
  to: string;
  stepSeconds: number;
  /** The service's clock: times after it are to come. */
  now: string;
  /** In the order of the question; schedules that are not there are left out. */
  items: TimelineLane[];
}

export interface BandQuery {
  /** ISO 8601, inclusive. */
  from: string;
  /** ISO 8601, exclusive; 366 days after `from` at most. */
  to: string;
}

/**
 * A span in which a schedule could not fire. The first six are verdicts of explain. `down`: Punctual was not running.
 * `halted`: it was paused by an operator. `suspended`: the client was. `busy`: there was too much to do.
 */
export type BandKind =
  | 'notCreated'
  | 'deleted'
  | 'completed'
  | 'beforeStart'
  | 'afterEnd'
  | 'paused'
  | 'down'
  | 'halted'
  | 'suspended'
  | 'busy';

export interface ScheduleBand {
  kind: BandKind;
  from: string;
  /** Exclusive. */
  to: string;
  sentence: string;
}

/** The times of a schedule were changed. */
export interface TimesEdit {
  at: string;
  sentence: string;
}

export interface Bands {
  scheduleId: string;
  from: string;
  to: string;
  /** In the order of their start; they may overlap. */
  bands: ScheduleBand[];
  edits: TimesEdit[];
}

export interface FailingSchedule {
  scheduleId: string;
  label: string;
  url: string;
  /** Failed runs of the last 24 hours. */
  failures: number;
  /** Failed runs since the last one that succeeded; 20 at most. */
  inARow: number;
  lastFailedFor: string;
  /** Why the last one failed. */
  error?: string;
}

export interface UpcomingFiring {
  scheduleId: string;
  label: string;
  url: string;
  scheduledFor: string;
  /** When the request is due: later than `scheduledFor` for a retry. */
  dueAt: string;
  isRetry: boolean;
}

/** The breaker of a host, for this client's requests. */
export interface Breaker {
  /** Scheme, name and port, such as `https://example.com`. */
  origin: string;
  /** The first request that got no answer. */
  since: string;
  openedAt: string;
  /** Absent while it is open. */
  closedAt?: string;
}

export interface Stats {
  from: string;
  to: string;
  total: Tally;
  /** Minutes in which something ended, oldest first. */
  minutes: StatsMinute[];
  /** Schedules whose latest runs failed, most failures first. */
  failing: FailingSchedule[];
  /** The next firings, earliest first. */
  next: UpcomingFiring[];
  /** Hosts that do not answer: only one request every 5 s is sent to them. 20 at most. */
  openBreakers: Breaker[];
  enabledSchedules: number;
  disabledSchedules: number;
}

export interface ForecastQuery {
  /** `day`: 24 hours by minute, the default; `week`: 7 days by hour. */
  span?: 'day' | 'week';
  /** Only schedules whose url has this host (with its port), in lower case. */
  host?: string;
}

export interface ForecastHost {
  host: string;
  firings: number;
}

export interface Forecast {
  from: string;
  /** The length of what one of `counts` counts: 60 or 3,600. */
  stepSeconds: number;
  /** Firings to come, of retries nothing, step by step from `from` on. */
  counts: number[];
  firings: number;
  /** Enabled schedules that are counted. */
  schedules: number;
  /** Enabled schedules that are not: beyond 50,000 different intervals, the rarest. */
  uncounted: number;
  /** All hosts' firings, most first; 100 at most. */
  hosts: ForecastHost[];
  countedAt: string;
  /** True while schedules are still being counted: what is told is of the newest so far. */
  isPartial?: boolean;
}

/** Schedules of one interval that call a host at the same second, and the window that spreads them. */
export interface Herd {
  /** Name, and port where it is not the usual one. */
  host: string;
  interval: string;
  /** The second of the next 24 hours with the most of these firings; the first of several. */
  at: string;
  /** Firings of these schedules at that second. */
  firings: number;
  /** Schedules that fire then, without a window. */
  schedules: number;
  /** Firings at the busiest second when all of them have the window. */
  peakAfter: number;
  /** The least of 60, 300, 900 and 1,800 that leaves a fifth of the firings at most. */
  windowSeconds: number;
  /** Of the newest 1,000 of the schedules. */
  scheduleIds: string[];
}

export interface Advice {
  /** Most firings first; 20 at most. */
  items: Herd[];
  countedAt: string;
  /** True while schedules are still being counted: what is told is of the newest so far. */
  isPartial?: boolean;
}
