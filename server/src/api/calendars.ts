import type * as Wire from '@punctual/client';
import type { Period } from '../domain/calendar/exclusion/period.ts';
import { loadVersions } from '../domain/calendar/load-calendars.ts';
import { iso } from '../domain/iso.ts';
import { type CalendarVersions, NO_CALENDARS } from '../domain/schedule/timing-draft.ts';
import type { StoredCalendar } from '../store/contract/calendars.ts';
import type { Store } from '../store/contract/store.ts';
import { nextSlice } from './http/slices.ts';
import { findResource } from './named-resources.ts';

/** Calendars as the wire shows them, and as the times of schedules need them. */

const DAY_MS = 86_400_000;
const SHOWN_ENTRIES = 20;

/** These calendars with their present entries. */
export async function calendarAnswers(
  store: Store,
  clientRowId: number,
  found: StoredCalendar[],
  now: number,
): Promise<Wire.Calendar[]> {
  const names = found.map(({ name }) => name);
  const usedBy = await store.calendars.usedBy(clientRowId, names);
  const answers: Wire.Calendar[] = [];
  for (const each of found) {
    answers.push(await calendarAnswer(store, clientRowId, each, usedBy.get(each.name)!, now));
  }
  return answers;
}

/** @param usedBy how many schedules name it */
async function calendarAnswer(
  store: Store,
  clientRowId: number,
  calendar: StoredCalendar,
  usedBy: number,
  now: number,
): Promise<Wire.Calendar> {
  const { name, createdAt, updatedAt, url, version, staleSince, fault } = calendar;
  // Thousands of periods may be read for a few entries.
  await nextSlice(clientRowId);
  const [said] = await store.calendars.versions([version]);
  return {
    name,
    createdAt: iso(createdAt),
    ...(updatedAt !== undefined && { updatedAt: iso(updatedAt) }),
    usedBy,
    ...(url !== undefined && { url }),
    entries: entriesOf(said?.periods ?? [], now),
    ...(staleSince !== undefined && { staleSince: iso(staleSince) }),
    ...(fault !== undefined && { fault }),
  };
}

/** A calendar with its present entries. @throws PunctualError `not_found` */
export async function presentCalendar(
  store: Store,
  clientRowId: number,
  name: string,
  now: number,
): Promise<Wire.Calendar> {
  const found = await findResource(store.calendars, 'calendar', clientRowId, name);
  const [answer] = await calendarAnswers(store, clientRowId, [found], now);
  return answer!;
}

function entriesOf(periods: readonly Period[], now: number): Wire.CalendarEntry[] {
  return periods
    .filter(({ to }) => to > now)
    .sort((a, b) => a.from - b.from || a.to - b.to)
    .slice(0, SHOWN_ENTRIES)
    .map(entryAnswer);
}

function entryAnswer({ from, to, isLocal, summary }: Period): Wire.CalendarEntry {
  if (!isLocal) return { from: iso(from), to: iso(to), summary };
  const length = from % DAY_MS === 0 && to % DAY_MS === 0 ? DATE_LENGTH : SECOND_LENGTH;
  return { from: iso(from).slice(0, length), to: iso(to).slice(0, length), summary };
}

const DATE_LENGTH = '2026-12-24'.length;
const SECOND_LENGTH = '2026-12-24T18:00:00'.length;

/**
 * The present versions of these calendars by their names, each known to this thread: times that name them can be counted.
 * Names that are not there are left out.
 */
export async function calendarsFor(
  { calendars }: Pick<Store, 'calendars'>,
  clientRowId: number,
  names: Iterable<string>,
): Promise<CalendarVersions> {
  const asked = [...new Set(names)];
  if (asked.length === 0) return NO_CALENDARS;
  const versions = await calendars.present(clientRowId, asked);
  await loadVersions(calendars, versions.values());
  return versions;
}
