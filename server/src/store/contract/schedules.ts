import type { HeldSchedule } from '../../domain/run/explain.ts';
import type { Start } from '../../domain/run/start.ts';
import type { Schedule, ScheduleStatus } from '../../domain/schedule/schedule.ts';

export interface NewSchedule {
  schedule: Schedule;
  start: Start | null;
}

/** A schedule with the number that its next change must name (compare and set). */
export interface VersionedSchedule {
  schedule: Schedule;
  version: number;
}

/**
 * What a change does to the queue. Where interval, time zone or status changed, times are counted
 * anew from `changedAt`: a waiting row moves to `start` or goes; a run that has begun stays, is
 * marked as changed and brought forward, so that the engine decides about it. What has fired since
 * `changedAt` does not fire again: the schedule starts after it (domain/run/start.ts).
 */
export type Requeue = 'keep' | { changedAt: number; start: Start | null };

export interface ScheduleFilter {
  /** Deleted schedules are left out unless asked for here. */
  status?: ScheduleStatus;
  /** Contained, any case. */
  label?: string;
  /** Contained, any case. */
  url?: string;
}

/** What is known of one schedule at an instant (domain/run/explain.ts). */
export interface ScheduleAt {
  schedule: Schedule;
  held: HeldSchedule;
  /** The queue's row; null where the schedule fires no more. */
  row: { scheduledFor: number; begun: boolean } | null;
}

export interface ListedSchedules {
  schedules: Schedule[];
  /** Where a search has stopped: what is left has lower ids. Null: nothing is left, or there are `limit`. */
  next: string | null;
}

export interface ScheduleStore {
  /** All or nothing. */
  insert(clientRowId: number, schedules: NewSchedule[]): Promise<void>;
  find(clientRowId: number, id: string): Promise<VersionedSchedule | null>;
  /** @returns false where `version` is no longer the stored one: read again and decide again */
  update(
    clientRowId: number,
    schedule: Schedule,
    version: number,
    requeue: Requeue,
  ): Promise<boolean>;
  /**
   * Newest first, ids below `before` only. What a search by label or url looks through at once is
   * bounded (store/search-index.ts): it may stop before it has found `limit` of them, or any.
   */
  list(
    clientRowId: number,
    filter: ScheduleFilter,
    limit: number,
    before?: string,
  ): Promise<ListedSchedules>;
  /**
   * The schedule as it stood at `at`: a change at that very instant counts as made. Changes are kept
   * as long as failed runs are.
   */
  findAt(clientRowId: number, id: string, at: number): Promise<ScheduleAt | null>;
}
