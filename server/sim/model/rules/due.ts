import { changedTimes, type Span, spansOf } from '../calendar/changed-times.ts';
import { dueTimes, plannedTimes } from '../calendar/due-times.ts';
import { excludingSpans } from '../calendar/excluded-times.ts';
import type { Evidence, ScheduleSeen } from '../evidence.ts';
import { behindMs, countedAnewBy } from './counted-anew.ts';

/** When a schedule was due, by the checker's calendar. */
export interface Due {
  /** Nominal times since its creation; up to a while after `until`. */
  due: number[];
  /** Those of them that may be on record, and need not: a change was being written. */
  optional: Set<number>;
  /** Between changes of its times; empty where nobody asked for one. */
  spans: Span[];
  /** The calendar looks ahead so far. */
  knownUntil: number;
}

/** @param heardBy when each node goes by a change that was written */
export function dueOf(
  seen: ScheduleSeen,
  evidence: Evidence,
  heardBy: (writtenBy: number) => number,
): Due {
  const { calendars = [] } = evidence;
  const { interval, timezone, createdAt, planned, versions, excludes } = seen;
  const until = evidence.until + beyondMs(seen);
  const known = { knownUntil: until };
  if (excludes !== undefined) {
    const spans = excludingSpans(seen, calendars, until, {
      by: change => heardBy(countedAnewBy(change, evidence)),
      behindMs: change => behindMs(change, evidence),
    });
    return { ...known, ...changedTimes(spans), spans };
  }
  const spans = spansOf(seen, until);
  if (versions !== undefined) return { ...known, ...changedTimes(spans), spans };
  const due = planned
    ? plannedTimes(seen, planned, until)
    : dueTimes(interval, timezone, createdAt, until);
  return { ...known, due, optional: new Set(), spans };
}

/** How far the calendar looks beyond `until`: more than any interval of the workload. */
const BEYOND_MS = 120_000;
/** The same for intervals without seconds. */
const FAR_BEYOND_MS = 50 * 3_600_000;

/** What fires by the second shall not be looked at for a day. */
function beyondMs({ interval }: ScheduleSeen): number {
  return /^(@|at\(|rate\(\d+ (minute|hour)|(\S+ ){4}\S+$)/.test(interval)
    ? FAR_BEYOND_MS
    : BEYOND_MS;
}
