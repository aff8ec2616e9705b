import type { CalendarSource } from '../../domain/calendar/exclusion/calendar-source.ts';
import type { Period } from '../../domain/calendar/exclusion/period.ts';
import type { Deletion, NamedResourceStore, ScheduleUse } from './named-resource.ts';

/**
 * The store contract, for calendars: named days and times without firings, each of one client.
 */

/** Calendars of one client, at most. */
export const MOST_CALENDARS = 1_000;

/** The periods of a calendar at a time. Never changed once they are written. */
export interface CalendarVersion {
  /** UUID version 7. */
  version: string;
  name: string;
  periods: Period[];
}

export interface StoredCalendar {
  name: string;
  kind: CalendarSource['kind'];
  /** Of a calendar whose kind is `url`. */
  url?: string;
  version: string;
  createdAt: number;
  updatedAt?: number;
  /** Since when its source cannot be read; absent while it can. */
  staleSince?: number;
  /** Why it cannot be read, one sentence. */
  fault?: string;
}

/** A calendar that is to be read or expanded anew. */
export interface DueCalendar extends StoredCalendar {
  clientRowId: number;
  source: CalendarSource;
}

/** A calendar whose schedules are to be counted anew. */
export interface CalendarRecount {
  clientRowId: number;
  name: string;
  version: string;
  /** Schedules with lower row ids are still to be looked at. A new request to count moves it, so it tells one count from the next. */
  before: number;
}

export interface CalendarStore extends NamedResourceStore<StoredCalendar, ScheduleUse> {
  /**
   * Makes or replaces a calendar, and marks its schedules to be counted anew. The version before is kept for
   * explanations.
   *
   * @throws PunctualError `quota_exceeded` where the client has `MOST_CALENDARS`
   */
  put(
    clientRowId: number,
    calendar: CalendarVersion & { source: CalendarSource },
    at: number,
    dueAt: number,
  ): Promise<StoredCalendar>;
  /** One with its source, to be read or expanded anew. */
  findSourced(clientRowId: number, name: string): Promise<DueCalendar | null>;
  /** Its version is kept for explanations. */
  delete(clientRowId: number, name: string, at: number): Promise<Deletion>;
  /** The present versions of these calendars; names that are not there are left out. */
  present(clientRowId: number, names: string[]): Promise<Map<string, string>>;
  /** Those that are there, in any order. */
  versions(ids: string[]): Promise<CalendarVersion[]>;
  /**
   * Takes calendars that are due to be read or expanded anew, and puts each off until `retryAt`. So one node at a time
   * has it. If that node dies, another one tries later.
   */
  takeDue(now: number, limit: number, retryAt: number): Promise<DueCalendar[]>;
  /** When the earliest calendar is due, epoch ms; null: there is none. */
  nextDueAt(): Promise<number | null>;
  /**
   * The end of a read. A new version marks its schedules to be counted anew. `fault`: it could not be read, the last good
   * version stays, and `staleSince` is set where it is not.
   *
   * @returns false where it was replaced or deleted meanwhile: nothing is written
   */
  refreshed(
    clientRowId: number,
    name: string,
    was: string,
    result:
      | { version: CalendarVersion & { source: CalendarSource } }
      | { unchanged: true }
      | { fault: string },
    at: number,
    dueAt: number,
  ): Promise<boolean>;
  /** A calendar whose schedules are to be counted anew, or null. */
  nextRecount(): Promise<CalendarRecount | null>;
  /**
   * Notes how far a count has come; null: it has ended. Nothing where the calendar has another version by now, where another
   * node has come further, or where a count was requested anew.
   */
  recounted(recount: CalendarRecount, before: number | null): Promise<void>;
  /** Marks the schedules of these calendars to be counted anew: one was written while its calendar changed. */
  requestRecount(clientRowId: number, names: string[]): Promise<void>;
  /** How many calendars of all clients are stale. */
  stale(): Promise<number>;
  /**
   * Deletes versions that were replaced before this instant. Those of a calendar whose schedules are still being counted
   * anew stay. @returns how many, bounded
   */
  prune(replacedBefore: number): Promise<number>;
}
