import type { PageQuery, Verb } from './schedule.ts';

export type VersionsQuery = PageQuery;

/** A property that a change has touched. */
export interface FieldChange {
  /** The property, such as `url`, `policy.maxRetries` or `headers["X-Key"]`. */
  path: string;
  /** Absent where the property was not there. A text of more than 1,000 characters ends with `…`. */
  before?: unknown;
  /** Absent where the property is gone. A text of more than 1,000 characters ends with `…`. */
  after?: unknown;
}

/** A version of a schedule: one of its states, from one change to the next. */
export interface ScheduleVersion {
  /** The number in its ETag. */
  version: number;
  /** Since when it holds. */
  at: string;
  /** Until when it held; absent of the present one. */
  until?: string;
  /**
   * Its author: a key, a command of the operator, the service itself, or the target of a run. Absent of the first one, and
   * where the version before is not kept.
   */
  by?: 'key' | 'cli' | 'service' | 'target';
  /** The key that stored it, only where one did. */
  key?: { keyId: string; name?: string };
  /** The changes; absent where the version before is not kept, empty of the first one. */
  changes?: FieldChange[];
}

export interface VersionPage {
  items: ScheduleVersion[];
  nextCursor?: string;
}

export interface RunRequestQuery {
  /** The number of the attempt, from 1. The last one if left out. */
  attempt?: number;
}

/** A request as it was sent. */
export interface SentRequest {
  method: Verb;
  url: string;
  /** All but Host, Content-Length and what the connection adds. */
  headers: Record<string, string>;
  body?: string;
}

/** The request of a run, made anew from the schedule as it was then. */
export interface RunRequest {
  runId: string;
  scheduleId: string;
  /** Absent where nothing was sent. */
  attempt?: number;
  /** The version of the schedule that was sent; absent where it is not known. */
  version?: number;
  /** The version of the schedule now: it is what another run sends. */
  presentVersion: number;
  /** Absent where nothing was sent, or the version is not kept any more. */
  request?: SentRequest;
  /** The headers whose values are not told: `[secret]` stands for a secret, `[not kept]` for a value that nobody kept. */
  masked: string[];
  /** Gaps in this knowledge, one sentence each. */
  notes: string[];
}
