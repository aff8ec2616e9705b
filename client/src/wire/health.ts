import type { RunStatus } from './run.ts';
import type { Schedule, ScheduleQuery } from './schedule.ts';

/** The order of a list: `worst` by failures in a row, `slowest` by `p95DurationMs`, `next` by `nextAt`. */
export type HealthSort = 'newest' | 'worst' | 'next' | 'slowest';

export interface HealthQuery extends ScheduleQuery {
  /** `newest` by default. */
  sort?: HealthSort;
  /** Counts the client's schedules by it too. */
  groupBy?: 'host' | 'tag';
}

/** The outcome of one nominal time. */
export interface RecentOutcome {
  /** Of the run, or of the record of a time that did not fire. */
  id: string;
  status: Extract<RunStatus, 'succeeded' | 'failed' | 'skipped' | 'missed'>;
  scheduledFor: string;
}

export interface LastOutcome extends RecentOutcome {
  /** When it ended, or it was decided that it is not sent. */
  endedAt?: string;
  /** Of the last answer. */
  responseStatus?: number;
  /** Why it is not a success. */
  error?: string;
}

/** A schedule with its latest outcomes. Spans are in milliseconds. */
export interface ScheduleHealth {
  schedule: Schedule;
  /** The latest 30, newest first. */
  recent: RecentOutcome[];
  last?: LastOutcome;
  /** When it fires next; a retry counts. Absent where nothing is to come. */
  nextAt?: string;
  /** Of `recent`, from the first request to the end: 95 of 100 took no longer. */
  p95DurationMs?: number;
  /** Of `recent`, from the nominal time to the first request. */
  p95LateMs?: number;
  /** Runs of the last 24 hours, and of the hour that began before them, that succeeded. */
  succeeded24h: number;
  /** The same, that succeeded or failed. */
  ended24h: number;
  /** Since when the two above are counted, where not all of that time is counted yet: ask again in a second. */
  countedFrom?: string;
}

export interface Total {
  count: number;
  /** False: there are as many at least. */
  isExact: boolean;
}

/** Schedules with the same host, or the same tag. */
export interface GroupCount {
  /** A host, or a tag such as `team:billing`. */
  name: string;
  count: number;
}

export interface HealthPage {
  items: ScheduleHealth[];
  /** Of all pages. */
  total: Total;
  /** The 100 with most schedules, whatever else is asked for. */
  groups?: GroupCount[];
  nextCursor?: string;
}
