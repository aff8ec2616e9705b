import { isKnownCalendar, type KnownCalendar, knowCalendar } from './known-calendars.ts';
import type { Timing } from './timing.ts';

/** Calendars must be known to a thread before it counts times that name them: here they are read, by a reader that is handed in. */

/** Reads versions: those that are there, in any order. */
interface Versions {
  versions(ids: string[]): Promise<KnownCalendar[]>;
}

interface Timed {
  timing?: Timing;
}

/**
 * The versions that this thread does not know. It costs a plain schedule one look.
 *
 * @returns null where it knows all
 */
export function unknownVersions<Item>(
  items: readonly Item[],
  scheduleOf: (item: Item) => Timed,
): Set<string> | null {
  let unknown: Set<string> | null = null;
  for (const item of items) {
    const versions = scheduleOf(item).timing?.calendars;
    if (versions === undefined) continue;
    for (const version of versions) {
      if (!isKnownCalendar(version)) unknown = (unknown ?? new Set()).add(version);
    }
  }
  return unknown;
}

/** Reads these versions; those that this thread knows are not read again. */
export async function loadVersions(calendars: Versions, versions: Iterable<string>): Promise<void> {
  const unknown = [...versions].filter(version => !isKnownCalendar(version));
  if (unknown.length === 0) return;
  for (const calendar of await calendars.versions(unknown)) knowCalendar(calendar);
}

/** Reads the calendars of these schedules: then their times can be counted. */
export async function loadCalendars(
  calendars: Versions,
  schedules: readonly Timed[],
): Promise<void> {
  const unknown = unknownVersions(schedules, schedule => schedule);
  if (unknown !== null) await loadVersions(calendars, unknown);
}
