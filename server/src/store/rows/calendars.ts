import type { CalendarSource } from '../../domain/calendar/exclusion/calendar-source.ts';
import { calendarMark } from '../../domain/schedule/marks.ts';
import { CALENDAR, CALENDAR_USE, CALENDAR_VERSION, type Cell, type Row } from '../columns.ts';
import {
  type CalendarRecount,
  type CalendarVersion,
  type DueCalendar,
  MOST_CALENDARS,
  type StoredCalendar,
} from '../contract/calendars.ts';
import type { ScheduleUse } from '../contract/named-resource.ts';
import type { NamedResource } from './named-resource.ts';

/** Rows of calendars and their versions, as both backends write and read them. */

export const CALENDARS: NamedResource<StoredCalendar, ScheduleUse> = {
  table: 'calendars',
  columns: CALENDAR,
  use: CALENDAR_USE,
  markOf: calendarMark,
  most: MOST_CALENDARS,
};

/** A version with the source that it was expanded from. */
export type SourcedVersion = CalendarVersion & { source: CalendarSource };

/**
 * The row id that a count begins below: higher than any. Each request adds 1, so that a count that is under way does not
 * take a later request for its own.
 */
export const COUNT_FROM = 2 ** 52;

/** SQL: the value that asks for a count, from the present one. */
export const COUNT_ANEW = `CASE WHEN recount_before >= ${COUNT_FROM} THEN recount_before + 1 ELSE ${COUNT_FROM} END`;

/** Versions that one call deletes: they may be megabytes each. */
export const PRUNED_AT_ONCE = 100;

export function versionCells(clientRowId: number, version: SourcedVersion, at: number): Cell[] {
  const { version: id, name, source, periods } = version;
  return CALENDAR_VERSION.cells({
    ...{ id, clientRowId, name, source, periods },
    expandedAt: at,
    replacedAt: undefined,
  });
}

/** @param row with `id`, `name` and `periods` */
export function versionFrom(row: Row): CalendarVersion {
  return {
    version: row.id as string,
    name: row.name as string,
    periods: JSON.parse(row.periods as string) as CalendarVersion['periods'],
  };
}

/** @param row of a calendar with its `client_key`, and the `source` of its version */
export function dueFrom(row: Row): DueCalendar {
  return {
    ...CALENDAR.fromRow(row),
    clientRowId: row.client_key as number,
    source: JSON.parse(row.source as string) as CalendarSource,
  };
}

export function recountFrom(row: Row): CalendarRecount {
  return {
    clientRowId: row.client_key as number,
    name: row.name as string,
    version: row.version as string,
    before: row.recount_before as number,
  };
}

export function urlOf(source: CalendarSource): string | null {
  return source.kind === 'url' ? source.url : null;
}
