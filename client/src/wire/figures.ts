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
  /** The length of a step: 1 to 3,600. From `from` to `to` there are 1,000 steps at most. */
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
