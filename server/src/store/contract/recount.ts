import type { Attempt } from '../../domain/run/run.ts';

/**
 * The store contract, for a clock that was set back: what is on record of instants that come again.
 */
export interface RecountStore {
  /**
   * The latest instant of a write, epoch ms; null if nothing was written. If the clock shows less,
   * it was set back since.
   */
  latest(): Promise<number | null>;
  /**
   * The earliest nominal time that was sent, or has attempts that were cut off, and that is yet to be decided about. Null: there
   * is none. All of these are from `now` on, from the row on that is due first, or from the earliest claim that has not begun. A
   * run that goes on counts with its next time.
   */
  nextKnown(now: number): Promise<number | null>;
  /** Of each of these spans: the times that are on record. */
  known(spans: ScheduleSpan[]): Promise<KnownRun[]>;
  /** Runs that were cut off ahead of their time are being sent again: their records give way. */
  resend(runs: Pick<KnownRun, 'scheduleRowId' | 'scheduledFor'>[]): Promise<void>;
  /**
   * Counts anew the rows of the queue that wait longer than their schedule by a clock that shows
   * `now` (domain/run/recount.ts). It also deletes the records of times after `now` that were never
   * sent, and cuts those of missed times that reach beyond it. One call is bounded work; call it until it returns null.
   *
   * @param after the key of a schedule: only those behind it are looked at
   * @returns the last schedule looked at, or null if none is left
   */
  recount(now: number, after: number): Promise<RecountedRows | null>;
  /**
   * Counts anew the times to come of these schedules, whose time zone has other rules now (domain/run/recount.ts, `rezoned`):
   * 1,000 at most. A time that is due stays.
   */
  rezone(scheduleRowIds: number[], now: number): Promise<MovedRows>;
  /**
   * Cuts records of missed times that reach beyond `now`, of schedules that `recount` does not come to. Bounded;
   * @returns how many, 0 where none is left
   */
  cutMissed(now: number): Promise<number>;
}

export interface ScheduleSpan {
  scheduleRowId: number;
  /** Inclusive, both. */
  from: number;
  until: number;
}

export interface KnownRun {
  scheduleRowId: number;
  scheduledFor: number;
  sent: boolean;
  attempts: Attempt[];
}

/** Rows that have moved. */
export interface MovedRows {
  count: number;
  /** When the earliest of them is due; null where there are none. */
  dueAt: number | null;
}

/** The rows that one call of `recount` has looked at. */
export interface RecountedRows {
  last: number;
  /** When the earliest of those that were counted anew is due; null where there were none. */
  dueAt: number | null;
}
