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
 * The effect of a change on the queue. If interval, time zone or status changed, times are counted
 * anew from `changedAt`. A waiting row moves to `start` or is deleted. A run that has begun stays;
 * it is marked as changed and brought forward, so that the engine decides about it. A time fired
 * since `changedAt` does not fire again: the schedule starts after it (domain/run/start.ts).
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

/** The records of one schedule at an instant (domain/run/explain.ts). */
export interface ScheduleAt {
  schedule: Schedule;
  held: HeldSchedule;
  /** The queue's row; null where the schedule fires no more. */
  row: { scheduledFor: number; begun: boolean } | null;
}

export interface ListedSchedules {
  schedules: Schedule[];
  /**
   * The id at which a search has stopped: the rest has lower ids. Null: nothing is left, or there
   * are `limit`.
   */
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
   * Newest first, ids below `before` only. One search by label or URL is bounded
   * (store/search-index.ts): it may stop before it has found `limit` of them, or any.
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
