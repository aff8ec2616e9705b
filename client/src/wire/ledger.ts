import type { Run } from './run.ts';

/**
 * What became of an instant of a schedule. Runs have their own status; `waiting` is due and not begun
 * yet, `upcoming` is to come, `moved`, `dropped` and `repeated` are daylight saving's, `paused`,
 * `deleted` and `notCreated` say what the schedule was then, `neverDue` has no nominal time there,
 * `forgotten` is older than history, `unrecorded` was due as far as is known.
 */
export type ExplainVerdict =
  | 'succeeded'
  | 'failed'
  | 'running'
  | 'retrying'
  | 'queued'
  | 'skipped'
  | 'missed'
  | 'waiting'
  | 'upcoming'
  | 'moved'
  | 'dropped'
  | 'repeated'
  | 'paused'
  | 'deleted'
  | 'notCreated'
  | 'neverDue'
  | 'forgotten'
  | 'unrecorded';

export interface ExplainQuery {
  /** ISO 8601; without an offset it is a time of the schedule's own wall clock. */
  at: string;
}

export interface Explanation {
  scheduleId: string;
  at: string;
  verdict: ExplainVerdict;
  sentence: string;
  /** What the schedule was then. */
  interval: string;
  timezone: string;
  /** From the nominal time to the first attempt. */
  lateMs?: number;
  /** The local time that does not exist, or comes twice. */
  localTime?: string;
  movedTo?: string;
  /** The nearest nominal times around it. */
  previous?: string;
  next?: string;
  run?: Run;
}
