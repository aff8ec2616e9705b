import type { HeldSchedule } from '../../domain/run/standing.ts';
import type { Start } from '../../domain/run/start.ts';
import type { ScheduleChanger } from '../../domain/schedule/changer.ts';
import type { Schedule, ScheduleStatus } from '../../domain/schedule/schedule.ts';
import type { IdempotentCall } from './idempotency.ts';

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
export type Requeue =
  | 'keep'
  | {
      changedAt: number;
      start: Start | null;
      /** A row that waits for this time stays as it is, and one that a change has marked before. */
      keptFor?: number;
    };

export interface ScheduleFilter {
  /** Deleted schedules are left out unless asked for here. */
  status?: ScheduleStatus;
  /** Contained, any case. */
  label?: string;
  /** Contained, any case. */
  url?: string;
  /** Host and port of the url, in lower case. */
  host?: string;
  /** `team:billing`, or `team` for any value: all must hold. */
  tags?: string[];
}

/** One of the changes of `updateAll`. */
export interface ScheduleChange {
  schedule: Schedule;
  version: number;
  requeue: Requeue;
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

/** The author of a change where nobody is named. */
export const BY_SERVICE: ScheduleChanger = { kind: 'service' };

export interface ListedIds {
  ids: string[];
  /** As of `ListedSchedules`. */
  next: string | null;
}

/** A schedule as lists of runs call it. */
export interface NamedSchedule {
  id: string;
  label: string;
  url: string;
}

export interface ScheduleStore {
  /**
   * All or nothing. With `call`, what it made is kept in the same transaction.
   *
   * @returns false where a call with this key was kept before: nothing is written
   * @throws PunctualError `external_id_taken`
   */
  insert(clientRowId: number, schedules: NewSchedule[], call?: IdempotentCall): Promise<boolean>;
  find(clientRowId: number, id: string): Promise<VersionedSchedule | null>;
  /** Among schedules that are not deleted. */
  findByExternalId(clientRowId: number, externalId: string): Promise<VersionedSchedule | null>;
  /** Those that are there, deleted ones too, in any order. */
  findAll(clientRowId: number, ids: string[]): Promise<VersionedSchedule[]>;
  /** The names of those that are there, deleted ones too, in any order. */
  names(clientRowId: number, ids: string[]): Promise<NamedSchedule[]>;
  /** The ids of the newest `limit` schedules with this tag, newest first; deleted ones are left out. */
  idsWithTag(clientRowId: number, tag: string, limit: number): Promise<string[]>;
  /**
   * If `updatedAt` moves, the schedule as it was is kept as a version (versions.ts).
   *
   * @param changer who changes it; left out: the service
   * @returns false where `version` is no longer the stored one: read again and decide again
   * @throws PunctualError `external_id_taken`
   */
  update(
    clientRowId: number,
    schedule: Schedule,
    version: number,
    requeue: Requeue,
    changer?: ScheduleChanger,
  ): Promise<boolean>;
  /**
   * All or nothing.
   *
   * @param changer as in `update`
   * @returns false where one of the versions is no longer the stored one
   * @throws PunctualError `external_id_taken`
   */
  updateAll(
    clientRowId: number,
    changes: ScheduleChange[],
    changer?: ScheduleChanger,
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
  /** The same, the ids alone. */
  ids(
    clientRowId: number,
    filter: ScheduleFilter,
    limit: number,
    before?: string,
  ): Promise<ListedIds>;
  /**
   * The schedule as it stood at `at`: a change at that very instant counts as made. Changes are kept
   * as long as failed runs are.
   */
  findAt(clientRowId: number, id: string, at: number): Promise<ScheduleAt | null>;
  /**
   * The states of the schedule from `from` to `to`, both inclusive, in order; each holds until the next. Beyond `limit`
   * only the latest are told.
   *
   * @returns none where there is no such schedule
   */
  statesBetween(
    clientRowId: number,
    id: string,
    from: number,
    to: number,
    limit: number,
  ): Promise<HeldSchedule[]>;
}
