import type { Run } from './run.ts';

/**
 * The result of an instant of a schedule. A run has its own status. `waiting` is due and not begun
 * yet, and `upcoming` is in the future. `moved`, `dropped` and `repeated` come from daylight
 * saving. `paused`, `deleted` and `notCreated` name the state of the schedule at that instant.
 * A calendar takes an `excluded` time away, and moves a `rolled` one. `beforeStart` and `afterEnd` lie outside the bounds,
 * `afterEnd` also beyond `maxRuns`. A `completed` schedule has no time left to come.
 * `neverDue` has no nominal time there, `forgotten` is older than history, and `unrecorded` was due
 * but has no record.
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
  | 'excluded'
  | 'rolled'
  | 'beforeStart'
  | 'afterEnd'
  | 'completed'
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
  /** The interval and time zone at that instant. */
  interval: string;
  timezone: string;
  /** From the nominal time to the first attempt. */
  lateMs?: number;
  /** The local time that does not exist, or comes twice. */
  localTime?: string;
  /** The time to which it was moved, by the clock or by a calendar, or at which it fired first. */
  movedTo?: string;
  /** The nearest nominal times around it. */
  previous?: string;
  next?: string;
  run?: Run;
}
