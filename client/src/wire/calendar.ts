import type { PageQuery } from './schedule.ts';

/** A period in which schedules do not fire. */
export interface CalendarPeriod {
  /** Inclusive: a date, or an instant. */
  from: string;
  /** Exclusive: a date where `from` is one, else an instant. */
  to: string;
  /** Up to 500 characters. */
  summary?: string;
}

/** A calendar to put: exactly one of `ics`, `url` and `periods`. */
export interface CalendarInput {
  /** RFC 5545 text, up to 1 MiB. */
  ics?: string;
  /** The address of such a text: read at once, and daily. */
  url?: string;
  /** Up to 5,000. */
  periods?: CalendarPeriod[];
  /** Read-only fields of an answer may stand here; they are ignored. */
  name?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
  usedBy?: unknown;
  entries?: unknown;
  staleSince?: unknown;
  fault?: unknown;
}

/** Whole days have dates, other times of no time zone date-times without an offset, and all others instants in UTC. */
export interface CalendarEntry {
  from: string;
  /** Exclusive. */
  to: string;
  summary: string;
}

/** Named days and times without firings. Its source is not answered, but for a url. */
export interface Calendar {
  name: string;
  createdAt: string;
  /** Absent until it was changed, or said something else. */
  updatedAt?: string;
  /** How many schedules name it, deleted ones not among them. */
  usedBy: number;
  url?: string;
  /** The next 20 that have not ended. */
  entries: CalendarEntry[];
  /** Since when its source cannot be read: the last good version stays. */
  staleSince?: string;
  /** Why it cannot be read. */
  fault?: string;
}

export type CalendarQuery = PageQuery;

/** By name. */
export interface CalendarPage {
  items: Calendar[];
  /** Absent on the last page. */
  nextCursor?: string;
}

export interface CalendarDeletion {
  success: boolean;
}
