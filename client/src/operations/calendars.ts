import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { itemsOf, Operations, PAGE_ITEMS, textOf } from './operations.ts';

/** The operations on calendars. */
export class Calendars extends Operations {
  /** Makes or replaces a calendar. One with a url is read before it is answered. */
  putCalendar(
    name: string,
    input: Wire.CalendarInput,
    options: CallOptions = {},
  ): Promise<Wire.Calendar> {
    return this.send(
      { operation: 'putCalendar', method: 'PUT', path: calendarPath(name), body: input },
      options,
    );
  }

  getCalendar(name: string, options: CallOptions = {}): Promise<Wire.Calendar> {
    return this.read('getCalendar', calendarPath(name), options);
  }

  listCalendars(
    query: Wire.CalendarQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.CalendarPage> {
    return this.read('listCalendars', `/v1/calendar${textOf(query)}`, options);
  }

  /** All calendars by name, page by page; `limit` is the size of a page. */
  calendars(
    query: Wire.CalendarQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Wire.Calendar, void, undefined> {
    return itemsOf(cursor =>
      this.listCalendars({ limit: PAGE_ITEMS, ...query, ...cursor }, options),
    );
  }

  /** Reads the url of a calendar now. If it cannot be read, the answer has a `fault`. */
  refreshCalendar(name: string, options: CallOptions = {}): Promise<Wire.Calendar> {
    return this.send(
      { operation: 'refreshCalendar', method: 'POST', path: `${calendarPath(name)}/refresh` },
      options,
    );
  }

  /** Refused while a schedule names it. */
  deleteCalendar(name: string, options: CallOptions = {}): Promise<Wire.CalendarDeletion> {
    return this.send(
      { operation: 'deleteCalendar', method: 'DELETE', path: calendarPath(name) },
      options,
    );
  }
}

const calendarPath = (name: string) => `/v1/calendar/${encodeURIComponent(name)}`;
