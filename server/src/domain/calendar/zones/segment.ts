import { changesOf } from './posix-rule.ts';
import type { ZoneRules } from './tzif.ts';

/**
 * A span of constant offset, within which local time is plain arithmetic: local = instant + offset.
 */
export interface Segment {
  /** The first instant; -Infinity where no rule came before. */
  readonly startAt: number;
  /** The first instant of the next segment; Infinity where no rule comes after. */
  readonly endAt: number;
  readonly offsetMs: number;
  /** How far the wall clock jumped at `startAt`: a gap where positive, an overlap where negative. */
  readonly shiftMs: number;
}

/** The segment with startAt <= at < endAt. */
export function segmentIn(rules: ZoneRules, at: number): Segment {
  const { startsAt, offsetsMs, tail } = rules;
  const place = placeOf(startsAt, at);
  const isListed = place < startsAt.length || tail === null || tail.changes.length === 0;
  if (!isListed) return tailSegment(rules, at);
  const offsetMs = offsetsMs[place]!;
  return {
    startAt: startsAt[place - 1] ?? Number.NEGATIVE_INFINITY,
    endAt: startsAt[place] ?? Number.POSITIVE_INFINITY,
    offsetMs,
    shiftMs: place === 0 ? 0 : offsetMs - offsetsMs[place - 1]!,
  };
}

/** How many of `instants`, ascending, are at or before `at`. */
function placeOf(instants: readonly number[], at: number): number {
  let low = 0;
  let high = instants.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (instants[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** After the listed changes: a change comes in every year, so those of the years around enclose `at`. */
function tailSegment({ startsAt, offsetsMs, tail, tailFrom }: ZoneRules, at: number): Segment {
  const year = new Date(Math.max(at, tailFrom)).getUTCFullYear();
  const last = {
    at: startsAt.at(-1) ?? Number.NEGATIVE_INFINITY,
    offsetMs: offsetsMs.at(-1)!,
  };
  const later = changesOf(tail!, year - 2, year + 2).filter(change => change.at > tailFrom);
  const changes = [last, ...later];
  const next = changes.findIndex(change => change.at > at);
  const here = changes[next - 1]!;
  return {
    startAt: here.at,
    endAt: changes[next]!.at,
    offsetMs: here.offsetMs,
    shiftMs: next < 2 ? shiftAtLast(offsetsMs) : here.offsetMs - changes[next - 2]!.offsetMs,
  };
}

function shiftAtLast(offsetsMs: readonly number[]): number {
  return offsetsMs.length < 2 ? 0 : offsetsMs.at(-1)! - offsetsMs.at(-2)!;
}
