import { type Component, invalid, readComponents } from './content-lines.ts';
import { Effort } from './effort.ts';
import { FileZones } from './file-zones.ts';
import type { Period } from './period.ts';
import { expandSeries, type PeriodSpan } from './series.ts';
import { EVENT_PROPERTIES, readEvent, type SeriesEvent } from './series-event.ts';

/** Periods of one calendar, at most. */
export const MOST_PERIODS = 20_000;
/** As UTF-8. */
const MOST_BYTES = 1024 * 1024;

/**
 * Reads ICS text (RFC 5545): the events that touch the window as periods, by their beginning, each one once.
 *
 * Every event counts, whether it shows as busy or as free (TRANSP); cancelled ones do not. Dates are local days, times
 * without a zone are local, and all others are instants. An event without an end lasts a day where its start is a date, and
 * is left out where it is a time. Whether a local period touches the window depends on the zone, so there may be some within
 * a day before and after it.
 *
 * Callers import this file when the first text comes: most starts never need it.
 *
 * @throws PunctualError `calendar_invalid` where the text is above 1 MiB, is no calendar or cannot be read, has too many
 *   periods, or would take more than some 200 ms
 */
export function periodsOfIcs(text: string, window: PeriodSpan): Period[] {
  // The text behind a url is refused by its length before it comes here.
  if (Buffer.byteLength(text) > MOST_BYTES) throw invalid('ics must be at most 1 MiB of UTF-8.');
  const calendars = readComponents(text, PROPERTIES);
  const effort = new Effort();
  const zones = new FileZones(calendars, window.to + DAY_MS, effort);
  const found = new Map<string, Period>();
  for (const series of seriesIn(calendars)) {
    for (const period of expandSeries(series, zones, window, effort)) {
      found.set(keyOf(period), period);
      if (found.size > MOST_PERIODS) throw invalid(TOO_MANY);
    }
  }
  return [...found.values()].sort((a, b) => a.from - b.from || a.to - b.to);
}

function keyOf({ from, to, isLocal, summary }: Period): string {
  return `${from} ${to} ${isLocal} ${summary}`;
}

/** The events of each UID: a series and its changed instances. Without a UID, each event is one. */
function seriesIn(calendars: readonly Component[]): SeriesEvent[][] {
  const all = calendars
    .flatMap(({ components }) => components)
    .filter(({ name }) => name === 'VEVENT')
    .map(readEvent)
    .filter(event => event !== null);
  return [...Map.groupBy(all, ({ uid }) => uid ?? Symbol('none')).values()];
}

const DAY_MS = 86_400_000;
const TOO_MANY = `The calendar has more than ${MOST_PERIODS.toLocaleString('en')} periods.`;
const PROPERTIES = new Set([
  ...EVENT_PROPERTIES,
  ...['TZID', 'TZOFFSETFROM', 'TZOFFSETTO', 'X-LIC-LOCATION'],
]);
