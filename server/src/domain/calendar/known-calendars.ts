import { LRUCache } from 'lru-cache';
import { Exclusions } from './exclusion/exclusions.ts';
import type { Period } from './exclusion/period.ts';

/**
 * The calendars that this thread knows, by version. A version never changes, so an answer that was counted with it stays
 * right.
 */
export interface KnownCalendar {
  /** UUID version 7. */
  version: string;
  name: string;
  periods: readonly Period[];
}

const MOST_CALENDARS = 1_000;
const MOST_UNIONS = 1_000;

const calendars = new LRUCache<string, KnownCalendar>({ max: MOST_CALENDARS });
const unions = new LRUCache<string, Exclusions>({ max: MOST_UNIONS });
let readVersion: (version: string) => KnownCalendar | null = () => null;

/** From here on, times that name this version can be counted. */
export function knowCalendar(calendar: KnownCalendar): void {
  calendars.set(calendar.version, calendar);
}

/** As a thread that starts: a world that is played again reads them again. */
export function forgetCalendars(): void {
  calendars.clear();
  unions.clear();
}

/** Whether times that name this version can be counted. */
export function isKnownCalendar(version: string): boolean {
  return calendars.has(version);
}

/** @param read called for a version that this thread does not know, by a thread that can read at once */
export function loadCalendarsWith(read: (version: string) => KnownCalendar | null): void {
  readVersion = read;
}

/**
 * The union of what these versions exclude.
 *
 * @throws Error where one is not known: whoever counts has to load it first
 */
export function exclusionsOf(versions: readonly string[]): Exclusions {
  const key = versions.join();
  let found = unions.get(key);
  if (found === undefined) {
    found = new Exclusions(versions.map(calendarOf));
    unions.set(key, found);
  }
  return found;
}

function calendarOf(version: string): KnownCalendar {
  const found = calendars.get(version) ?? readVersion(version);
  if (found === null) throw new Error(`the calendar version ${version} is not loaded`);
  calendars.set(version, found);
  return found;
}
