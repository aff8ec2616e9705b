import { isRate } from './interval-form.ts';
import { timesByRules } from './times.ts';
import type { When } from './timing.ts';
import { type Zone, zoneOf } from './zones/zone.ts';

/** The times of a schedule that another release of the rules of its time zone has moved. */

export interface ZoneMove {
  /** Epoch ms by the rules before; absent where they had no such time. */
  before?: number;
  /** By the rules in use; absent where they have no such time. */
  after?: number;
}

const HOUR_MS = 3_600_000;
/** No change of rules moves a time by more than this, a change of the date line among them. */
const MOST_MOVED_MS = 26 * HOUR_MS;
/** Times that stand for no common local time belong together where they are this near: a gap has moved one of them. */
const NEAR_MS = 3 * HOUR_MS;
/** Of each of the rules: some milliseconds. */
const MOST_TIMES = 5_000;

/**
 * The first `limit` times that moved, of those from `from` to before `to`; in order. Of an interval of very many times only
 * the first 5,000 are looked at.
 *
 * @param old the rules before
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function zoneMoves(
  when: When,
  old: Zone,
  { from, to, limit }: { from: number; to: number; limit: number },
): ZoneMove[] {
  // Elapsed time: no rules touch it.
  if (isRate(when.interval) && when.timing?.calendars === undefined) return [];
  const zone = zoneOf(when.timezone);
  const span = { from: from - MOST_MOVED_MS, until: to + MOST_MOVED_MS };
  const before = timesByRules(old, when, span.from, span.until, MOST_TIMES);
  const after = timesByRules(zone, when, span.from, span.until, MOST_TIMES);
  const end = Math.min(to, coveredUntil(before), coveredUntil(after));
  const [gone, come] = [without(before, after), without(after, before)];
  const moves = [...pairs(gone, come, old, zone, when.timing?.offsetMs ?? 0)];
  return moves
    .filter(move => from <= firstOf(move) && firstOf(move) < end)
    .sort((a, b) => firstOf(a) - firstOf(b))
    .slice(0, limit);
}

/** Beyond it a time may lack the other one that belongs to it. */
function coveredUntil(times: number[]): number {
  return times.length < MOST_TIMES ? Number.POSITIVE_INFINITY : times.at(-1)! - MOST_MOVED_MS;
}

function without(times: number[], others: number[]): number[] {
  const known = new Set(others);
  return times.filter(time => !known.has(time));
}

function firstOf({ before, after }: ZoneMove): number {
  return Math.min(before ?? Number.POSITIVE_INFINITY, after ?? Number.POSITIVE_INFINITY);
}

/** Times of the same local time belong together, then those that are near. */
function* pairs(
  gone: number[],
  come: number[],
  old: Zone,
  zone: Zone,
  windowMs: number,
): Generator<ZoneMove> {
  const local = (rules: Zone, at: number) => at + rules.segmentAt(at - windowMs).offsetMs;
  const byLocal = new Map(come.map(at => [local(zone, at), at]));
  const alone: number[] = [];
  for (const before of gone) {
    const after = byLocal.get(local(old, before));
    if (after === undefined) alone.push(before);
    else yield { before, after };
    byLocal.delete(local(old, before));
  }
  const left = [...byLocal.values()];
  for (const before of alone) {
    const nearest = left.findIndex(after => Math.abs(after - before) <= NEAR_MS);
    const [after] = nearest === -1 ? [] : left.splice(nearest, 1);
    yield after === undefined ? { before } : { before, after };
  }
  for (const after of left) yield { after };
}
