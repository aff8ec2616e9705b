import type { ZoneOffsets } from '@punctual/client';
import { useEffect, useState } from 'react';

/** Instants as people read them, in a zone that is always named where it is not the reader's. */

export const READER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The UTC offsets of zones by the service's rules, which may be newer than the browser's. */
const clocks = new Map<string, ZoneOffsets>();

export function learnClock(offsets: ZoneOffsets): void {
  clocks.set(offsets.timezone, offsets);
}

/** An instant as a clock shows it: in UTC, moved by the offset, where the service has told the zone's. */
function shown(
  at: string | number,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): [Intl.DateTimeFormat, Date] {
  const instant = new Date(at).getTime();
  const known = clocks.get(timeZone);
  const offset =
    known && instant < Date.parse(known.until)
      ? known.offsets.findLast(({ from }) => Date.parse(from) <= instant)
      : undefined;
  if (offset === undefined) return [formatOf(timeZone, options), new Date(instant)];
  return [formatOf('UTC', options), new Date(instant + offset.offsetSeconds * 1_000)];
}

function textOf(
  at: string | number,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): string {
  const [format, wall] = shown(at, timeZone, options);
  return format.format(wall);
}

function formatOf(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: knownZone(timeZone), ...options });
  formats.set(key, format);
  return format;
}

/** The service knows a few names that a browser may not. */
function knownZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone });
    return timeZone;
  } catch {
    return 'UTC';
  }
}

/** `Sat 21 Nov 2026, 17:30:05` */
export function fullTime(at: string | number, timeZone = READER_ZONE): string {
  return textOf(at, timeZone, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

/** So far from now, a day without its year would be taken for another one, ms. */
const FAR_MS = 300 * 86_400_000;

/**
 * `21 Nov, 17:30:05`, and with the year where that is far from now.
 *
 * @param now epoch ms
 */
export function shortTime(
  at: string | number,
  timeZone = READER_ZONE,
  now: number = Date.now(),
): string {
  return textOf(at, timeZone, {
    day: 'numeric',
    month: 'short',
    ...(Math.abs(new Date(at).getTime() - now) > FAR_MS && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** A sentence of the service, with its instants as the clock of a zone shows them. */
export function withTimesIn(timeZone: string, sentence: string): string {
  return sentence.replace(ISO, at => fullTime(at, timeZone));
}

/** The same, as the reader's clock shows them. */
export function inReadersTime(sentence: string): string {
  return withTimesIn(READER_ZONE, sentence);
}

/** `2026-11-21T17:30:05`, as fields for local times want it. */
export function localText(at: string | number, timeZone: string): string {
  const options = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  } as const;
  const [format, wall] = shown(at, timeZone, options);
  const parts = format.formatToParts(wall);
  const part = (name: string) => parts.find(({ type }) => type === name)!.value;
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  return `${date}T${part('hour')}:${part('minute')}:${part('second')}`;
}

/** `17:30` */
export function clockTime(at: string | number, timeZone = READER_ZONE): string {
  return textOf(at, timeZone, { hour: '2-digit', minute: '2-digit' });
}

/** `Sat 21 Nov` */
export function dayName(at: string | number, timeZone = READER_ZONE): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  return textOf(at, timeZone, options);
}

/** `in 5 s`, `2 min ago` */
export function relative(at: string | number, now: number): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1_000);
  if (seconds === 0) return 'now';
  const text = span(Math.abs(seconds) * 1_000);
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** `12 ms`, `1.5 s`, `2 min`, `3 h`, `4 days` */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000 && ms % 1_000 !== 0) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** Now, again and again. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
