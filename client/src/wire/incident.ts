/** The class of the reason for which runs failed, or times were missed. */
export type Cause =
  | 'dns'
  | 'connectionRefused'
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'brokenOff'
  | 'protocol'
  | 'connection'
  | 'breakerOpen'
  | 'status'
  | 'condition'
  | 'completionFailed'
  | 'completionLate'
  | 'blocked'
  | 'identity'
  | 'lost'
  | 'notRunning'
  | 'paused'
  | 'tooBusy'
  | 'clockSetBack'
  | 'other';

export interface IncidentQuery {
  /** ISO 8601; nominal time, inclusive; rounded down to full ten minutes. By default 24 hours before `to`, 7 days at most. */
  from?: string;
  /** ISO 8601; nominal time, exclusive; rounded up to full ten minutes. By default now. */
  to?: string;
}

/** One of the schedules of an incident. */
export interface AffectedSchedule {
  scheduleId: string;
  label: string;
  url: string;
  /** Of this incident. */
  runs: number;
}

/** Runs that failed, or were missed, of one cause and host. */
export interface Incident {
  cause: Cause;
  /** Of the cause `status`: the status that was answered. */
  statusCode?: number;
  /** Name and port of the urls; absent where Punctual itself is the cause. */
  host?: string;
  /** The events in two or three sentences. */
  sentence: string;
  /** The nominal time of the first of its runs. */
  since: string;
  /** The nominal time of the last of its runs. */
  lastFor: string;
  /** When each of its schedules had succeeded again; absent while it goes on. */
  until?: string;
  isOpen: boolean;
  runs: number;
  schedules: number;
  /** The schedules with most of its runs; 10 at most. */
  affected: AffectedSchedule[];
  /** The ids of its newest runs; 5 at most. */
  sample: string[];
}

export interface Incidents {
  /** Since when runs are counted: later than asked for where `isPartial`. */
  from: string;
  to: string;
  /** Those that go on first, then the newest; 100 at most. */
  items: Incident[];
  /** True where an hour has more failed runs than are read: the counts are of the newest of them. */
  isCut?: boolean;
  /** True while what lies before `from` is still being counted: ask again in a second. */
  isPartial?: boolean;
}
