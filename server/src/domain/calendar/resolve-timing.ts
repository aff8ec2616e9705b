import { LAST_AT } from './cron/occurrence.ts';
import { isRate } from './interval-form.ts';
import { movedTimesOf, movesAcross } from './moved-line.ts';
import { intervalLine, openTimes } from './times.ts';
import { fieldsOf, type Timing, type When } from './timing.ts';
import { offsetMsOf } from './window.ts';

/** The facts that a timing is resolved from, besides its own fields. */
export interface TimingFacts {
  /** The anchor of a rate without `startsAt`, up to the whole second; epoch ms. */
  createdAt: number;
  /** The external id, else the id; null where there is none yet: times stand at the start of the window. */
  hashed: string | null;
  /** The versions of the calendars in `exclude`, in their order: all are known to this thread. */
  versions: string[];
  /** Nothing is created: a window and a move may bring times from before `createdAt`. */
  isPreview?: boolean;
}

/**
 * The timing with its derived fields, or undefined where a schedule is plain. `countFrom` is the caller's to set where
 * `maxRuns` is.
 */
export function resolveTiming(when: When, facts: TimingFacts): Timing | undefined {
  const timing = withFacts(when, facts);
  const { createdAt, isPreview = false } = facts;
  if (!isPreview && crosses({ ...when, timing }, createdAt)) timing.createdAt = createdAt;
  if (timing.maxRuns !== undefined) {
    const lastAt = lastCounted({ ...when, timing }, timing.maxRuns);
    if (lastAt !== null) timing.lastAt = lastAt;
  }
  return Object.keys(timing).length === 0 ? undefined : timing;
}

function withFacts(when: When, { createdAt, hashed, versions }: TimingFacts): Timing {
  const { timing = {} } = when;
  const { countFrom } = timing;
  const fields = fieldsOf(timing);
  const { windowSeconds, exclude, startsAt, maxRuns } = fields;
  return {
    ...fields,
    ...(maxRuns !== undefined && countFrom !== undefined && { countFrom }),
    ...(windowSeconds !== undefined && {
      offsetMs: hashed === null ? 0 : offsetMsOf(hashed, windowSeconds),
    }),
    ...(exclude !== undefined && { calendars: versions }),
    ...(isRate(when.interval) &&
      startsAt === undefined && { anchorAt: Math.ceil(createdAt / 1_000) * 1_000 }),
  };
}

/** Whether the window or a move brings a time from before the create behind it, or the other way round. */
function crosses(when: When, createdAt: number): boolean {
  const { offsetMs = 0 } = when.timing!;
  if (intervalLine(when).last(createdAt - offsetMs + 1, createdAt - 1) !== null) return true;
  const moved = movedTimesOf(when);
  return moved !== null && movesAcross(moved, createdAt, offsetMs);
}

const FIRST_SPAN_MS = 86_400_000;
/** A hundred years: an end that is further away counts as none. */
const FURTHEST_MS = 36_525 * 86_400_000;

/**
 * The time, before the offset, that is the `count`-th whose nominal time lies after `countFrom`; null where fewer are to
 * come within a hundred years.
 *
 * It counts spans that double, and halves the one that has the time, so it costs months and not times.
 */
function lastCounted(when: When, count: number): number | null {
  const { countFrom = 0, offsetMs = 0, startsAt, endsAt, createdAt } = when.timing!;
  const line = openTimes(when);
  const countedFrom = countFrom - offsetMs + 1;
  let from = Math.max(countedFrom, startsAt ?? countedFrom, createdAt ?? countedFrom);
  const end = Math.min(LAST_AT, from + FURTHEST_MS, endsAt === undefined ? LAST_AT : endsAt - 1);
  let spanMs = FIRST_SPAN_MS;
  let growth = 2;
  let left = count;
  while (from <= end) {
    const until = Math.min(from + spanMs - 1, end);
    const found = line.count(from, until);
    if (found < left) {
      left -= found;
      from = until + 1;
      spanMs *= growth;
    } else if (left === 1) return line.first(from);
    else {
      growth = 1;
      spanMs = Math.ceil(spanMs / 2);
    }
  }
  return null;
}
