import { localText } from './times.ts';

/** From the wall clock of a zone to instants. The service's rules of the zone count where it has told them. */

const DAY_MS = 86_400_000;

/**
 * The instant at which the clock of a zone shows a local time: in an overlap the first pass, in a gap the first
 * instant after it.
 *
 * @param local such as `2026-12-24T18:00`
 * @returns ISO 8601, or null if it is not a time
 */
export function instantOfLocal(local: string, timezone: string): string | null {
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) return null;
  const offsets = [wall - DAY_MS, wall + DAY_MS].map(at => wallOf(at, timezone) - at);
  const candidates = offsets.map(offset => wall - offset).sort((a, b) => a - b);
  const exact = candidates.find(at => wallOf(at, timezone) === wall);
  return new Date(exact ?? endOfGap(candidates, wall, timezone)).toISOString();
}

/** Halves the span from a second before the gap to a second after it. */
function endOfGap([from = 0, to = 0]: number[], wall: number, timezone: string): number {
  let [before, after] = [from, to];
  while (after - before > 1_000) {
    const middle = before + Math.floor((after - before) / 2_000) * 1_000;
    if (wallOf(middle, timezone) < wall) before = middle;
    else after = middle;
  }
  return after;
}

/** The wall clock of a zone, read as if it were UTC. */
function wallOf(at: number, timezone: string): number {
  const text = localText(at, timezone);
  const seconds = text.slice(text.indexOf('T'));
  const [year = '', month = '', day = ''] = text.slice(0, text.indexOf('T')).split('-');
  return Date.parse(`${year.padStart(4, '0')}-${month}-${day}${seconds}Z`);
}

/** Eight in the morning of the zone's next day. */
export function tomorrowMorning(now: number, timezone: string): string {
  const today = localText(now, timezone).slice(0, 10);
  const tomorrow = new Date(Date.parse(`${today}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return instantOfLocal(`${tomorrow}T08:00:00`, timezone)!;
}
