/**
 * The store contract, the part of health: the latest records of few schedules, and which schedules of a client may be the
 * worst or the slowest. `store.ts` says the rules of the whole contract.
 *
 * Every question reads a bounded number of records, whatever the number of schedules. No firing needs the answers.
 */
import type { JudgedOutcome } from '../../domain/run/health.ts';
import type { QueueState } from '../../domain/run/queue-row.ts';

/** A record of history, without its attempts. Instants are epoch ms. */
export interface RecentRun extends JudgedOutcome {
  id: string;
  scheduleId: string;
  /** When it ended, or it was decided that it is not sent. */
  endedAt?: number;
  /** Of the last attempt of a schedule's latest record. */
  responseStatus?: number;
  /** The same in one sentence: why it is not a success. */
  error?: string;
}

/** When a schedule next wants attention. */
export interface QueuedSchedule {
  scheduleId: string;
  /** Of a row that was claimed ahead of its time, the state before. */
  state: QueueState;
  dueAt: number;
  /** The nominal time after the run that the row stands for. */
  nextFor: number | null;
}

/** Records of a schedule with from <= scheduledFor < to, epoch ms. */
export interface HourRange {
  scheduleId: string;
  from: number;
  to: number;
}

export interface CountedHours {
  scheduleId: string;
  /** With any record, oldest first. */
  hours: HourCount[];
  /** How many records were read, of any status. */
  records: number;
}

export interface HourCount {
  /** The start of the hour, epoch ms. */
  at: number;
  succeeded: number;
  failed: number;
}

/** The records of a ranking: at most `records`, the newest with from <= instant < to. */
export interface RankedRange {
  from: number;
  to: number;
  records: number;
}

export interface RankedSchedules {
  /** The highest figures first. */
  schedules: { scheduleId: string; figure: number }[];
  /** How many records were read. */
  records: number;
}

/** Schedules with one tag. */
export interface TagCount {
  /** `team:billing`, or `team` where its value is empty. */
  name: string;
  count: number;
}

export interface HealthStore {
  /** The latest `limit` records of each, newest nominal time first. */
  recent(clientRowId: number, scheduleIds: string[], limit: number): Promise<RecentRun[]>;
  /**
   * Of those that are to fire, in any order.
   *
   * @param now rows claimed ahead for a later instant than this do not show as begun
   */
  queued(clientRowId: number, scheduleIds: string[], now: number): Promise<QueuedSchedule[]>;
  /** Runs that were sent and ended, by the hour of their nominal time: of each schedule the newest `limit` records. */
  hours(clientRowId: number, ranges: HourRange[], limit: number): Promise<CountedHours[]>;
  /**
   * The `most` schedules with the most records that failed or were missed, by their nominal times. `records` is the limit
   * for failed ones and for missed ones alike.
   */
  failing(clientRowId: number, range: RankedRange, most: number): Promise<RankedSchedules>;
  /** The `most` schedules with the longest runs, in ms from the first request to the end, by the instants of their ends. */
  slowest(clientRowId: number, range: RankedRange, most: number): Promise<RankedSchedules>;
  /** The tags that most schedules have, most first: of `looks` tags of schedules. Deleted schedules are left out. */
  tags(clientRowId: number, looks: number, most: number): Promise<TagCount[]>;
}
