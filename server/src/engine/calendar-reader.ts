import type { Clock } from '../clock.ts';
import {
  type CalendarSource,
  type GivenSource,
  replaces,
} from '../domain/calendar/exclusion/calendar-source.ts';
import type { Period } from '../domain/calendar/exclusion/period.ts';
import { PunctualError } from '../domain/errors.ts';
import { instantOf, newId } from '../domain/id.ts';
import type { FetchText } from '../outbound/fetch-text.ts';
import type {
  CalendarStore,
  CalendarVersion,
  DueCalendar,
  StoredCalendar,
} from '../store/contract/calendars.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Periods that were given say the same for ever. */
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The periods of a source, expanded as at `now` (epoch ms).
 *
 * @throws PunctualError `calendar_invalid`
 */
export type Expand = (source: CalendarSource, now: number) => Promise<Period[]>;

export interface CalendarReaderOptions {
  calendars: CalendarStore;
  clock: Clock;
  fetchText: FetchText;
  expand: Expand;
}

/** Reads the sources of calendars, and keeps what they say. */
export class CalendarReader {
  readonly #options: CalendarReaderOptions;

  constructor(options: CalendarReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads the source, and makes or replaces the calendar.
   *
   * @throws PunctualError `calendar_invalid` where the source cannot be read, `quota_exceeded`
   */
  async put(clientRowId: number, name: string, given: GivenSource): Promise<StoredCalendar> {
    const { calendars, clock } = this.#options;
    const version = await this.#read(clientRowId, name, given);
    const now = clock.now();
    return calendars.put(clientRowId, version, now, readAgainAt(given, now));
  }

  async #read(
    clientRowId: number,
    name: string,
    given: GivenSource,
  ): Promise<CalendarVersion & { source: CalendarSource }> {
    const { clock, fetchText, expand } = this.#options;
    const source =
      given.kind === 'url' ? { ...given, ics: await fetchText(given.url, clientRowId) } : given;
    const now = clock.now();
    return { version: newId(now), name, source, periods: await expand(source, now) };
  }

  /** Reads the source of a calendar anew. @returns false where there is none with this name */
  async refresh(clientRowId: number, name: string): Promise<boolean> {
    const due = await this.#options.calendars.findSourced(clientRowId, name);
    if (due !== null) await this.refreshDue(due);
    return due !== null;
  }

  /**
   * Reads a calendar anew. One that cannot be read keeps its last good version.
   *
   * @returns its fault, or whether it says something else from here on
   */
  async refreshDue(due: DueCalendar): Promise<'changed' | 'unchanged' | { fault: string }> {
    const { calendars, clock } = this.#options;
    const { clientRowId, name, version: was } = due;
    try {
      const version = await this.#read(clientRowId, name, due.source);
      const now = clock.now();
      const isNew = await this.#isNew(version, was);
      const result = isNew ? { version } : ({ unchanged: true } as const);
      await calendars.refreshed(clientRowId, name, was, result, now, readAgainAt(due, now));
      return isNew ? 'changed' : 'unchanged';
    } catch (error) {
      if (!(error instanceof PunctualError) || error.code !== 'calendar_invalid') throw error;
      const now = clock.now();
      const fault = { fault: error.message };
      await calendars.refreshed(clientRowId, name, was, fault, now, now + HOUR_MS);
      return fault;
    }
  }

  async #isNew({ version, periods }: CalendarVersion, was: string): Promise<boolean> {
    const [before] = await this.#options.calendars.versions([was]);
    if (before === undefined) return true;
    const anew = { periods, at: instantOf(version) };
    return replaces(anew, { periods: before.periods, at: instantOf(was) });
  }
}

/** When a calendar is to be read or expanded anew. */
function readAgainAt({ kind }: Pick<CalendarSource, 'kind'>, now: number): number {
  return kind === 'periods' ? NEVER : now + DAY_MS;
}
