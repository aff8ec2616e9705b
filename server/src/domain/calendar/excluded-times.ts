import type { ExcludingEntry } from './exclusion/exclusions.ts';
import { exclusionsOf } from './known-calendars.ts';
import { nominalAt } from './nominal.ts';
import { intervalLine, rangeOf } from './times.ts';
import type { When } from './timing.ts';
import { zoneOf } from './zones/zone.ts';

/** A time that a calendar takes away, or moves to `movedTo`. */
export interface ExcludedTime {
  at: number;
  by: ExcludingEntry;
  movedTo?: number;
}

/** Times of the interval that are looked at: one for each stretch that is not excluded, or fewer. */
const MOST_LOOKED_AT = 10_000;
const DAY_MS = 86_400_000;

/**
 * The first `limit` times after `after` that calendars take away or move, within the bounds and behind the pause. From a time
 * that is not excluded it goes on at the next excluded stretch, so an interval of every second costs no more than another.
 */
export function excludedTimes(when: When, after: number, limit: number): ExcludedTime[] {
  const { timezone, timing = {} } = when;
  const { calendars } = timing;
  if (calendars === undefined) return [];
  const zone = zoneOf(timezone);
  const exclusions = exclusionsOf(calendars);
  const line = intervalLine(when);
  const { from, to, offsetMs } = rangeOf(when, after + 1, Number.POSITIVE_INFINITY);
  const end = Math.min(to, exclusions.lastEnd + DAY_MS);
  const found: ExcludedTime[] = [];
  let at = from;
  for (let looks = 0; looks < MOST_LOOKED_AT && found.length < limit; looks++) {
    const own = line.first(at);
    if (own === null || own > end) break;
    const isExcluded = exclusions.endOf(zone, own) !== null;
    if (isExcluded) found.push(...excludedAt(when, own + offsetMs));
    at = isExcluded ? own + 1 : Math.max(own + 1, exclusions.nextStart(zone, own));
  }
  return found;
}

function excludedAt(when: When, at: number): ExcludedTime[] {
  const nominal = nominalAt(when, at);
  if (nominal.kind === 'excluded') return [{ at, by: nominal.by }];
  if (nominal.kind === 'rolled') return [{ at, by: nominal.by, movedTo: nominal.movedTo }];
  return [];
}
