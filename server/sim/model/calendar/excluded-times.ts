import type { Period } from '../../../src/domain/calendar/exclusion/period.ts';
import type {
  CalendarSeen,
  CalendarVersionSeen,
  Excludes,
  PeriodsSeen,
  ScheduleSeen,
} from '../evidence.ts';
import type { Span } from './changed-times.ts';
import { type Class, classify, enumerate, type World } from './enumerator.ts';

/** The spans of a schedule between changes of its calendars. Instants are epoch ms. */

/** How schedules count with a change of a calendar. */
interface Counted {
  by(change: CalendarVersionSeen): number;
  /** By a clock that may be so far behind. */
  behindMs(change: CalendarVersionSeen): number;
}

/** @param until how far the calendar looks */
export function excludingSpans(
  seen: ScheduleSeen,
  calendars: CalendarSeen[],
  until: number,
  counted: Counted,
): Span[] {
  const { createdAt, excludes } = seen;
  const named = calendars.filter(({ name }) => excludes!.names.includes(name));
  const changes = named
    .flatMap(({ name, versions }) => versions.map(version => ({ name, ...version })))
    // One was answered before the next was asked for.
    .toSorted((a, b) => a.askedAt - b.askedAt || a.answeredAt - b.answeredAt);
  const isBefore = ({ answeredAt }: { answeredAt: number }) => answeredAt < createdAt;
  const present = new Map<string, PeriodsSeen[]>();
  for (const { name, periods } of changes.filter(isBefore)) present.set(name, periods);
  const starts = [
    { at: createdAt, from: createdAt, writtenBy: createdAt, world: worldOf(seen, present) },
  ];
  for (const { name, ...change } of changes.filter(each => !isBefore(each))) {
    present.set(name, change.periods);
    const at = Math.max(createdAt, change.askedAt);
    const from = at - counted.behindMs(change);
    starts.push({ at, from, writtenBy: counted.by(change), world: worldOf(seen, present) });
  }
  return starts.map(({ at, from, writtenBy, world }, index) => {
    const next = starts[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    const times = enumerate(world, from + 1, until + 1);
    const ends = { until: next, overFrom: next };
    const span = { at, writtenBy, ...ends, stoppedUntil: 0, isDeleted: false, times };
    return {
      ...span,
      timezone: seen.timezone,
      owedFrom: writtenBy,
      classOf: (time: number): Class => classify(world, time),
    };
  });
}

function worldOf(seen: ScheduleSeen, present: Map<string, PeriodsSeen[]>): World {
  const { id, interval, timezone, createdAt, excludes } = seen;
  const { onExcluded, windowSeconds } = excludes as Excludes;
  const calendars = [...present].map(([name, given]) => ({ name, periods: given.map(periodOf) }));
  return {
    ...{ interval, timezone, createdAt, isStored: true, hashed: id, calendars },
    ...(onExcluded && { onExcluded }),
    ...(windowSeconds !== undefined && { windowSeconds }),
  };
}

/** Dates are days of the wall clock, and the last one is exclusive. */
function periodOf({ from, to }: PeriodsSeen): Period {
  const isLocal = !from.includes('T');
  return { from: Date.parse(from), to: Date.parse(to), isLocal, summary: '' };
}
