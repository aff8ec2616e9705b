import { resolveTiming } from '../calendar/resolve-timing.ts';
import { nextTime } from '../calendar/times.ts';
import { completedOf, laterThan } from './draft.ts';
import type { Schedule } from './schedule.ts';
import { type CalendarVersions, isSameTiming } from './timing-draft.ts';

/**
 * A schedule after one of its calendars has changed: it counts with the present versions. No caller has changed it, so
 * `updatedAt` stays, unless it completes.
 *
 * @param calendars the present versions, at least of those that it names; all are known to this thread. A calendar that is
 *   gone excludes nothing
 * @param hasBegun whether a run of it goes on: then the end of that run completes the schedule
 * @returns null where nothing changes
 */
export function withCalendars(
  schedule: Schedule,
  calendars: CalendarVersions,
  now: number,
  hasBegun: boolean,
): Schedule | null {
  const { timing, ...plain } = schedule;
  if (timing?.exclude === undefined || schedule.status === 'deleted') return null;
  const versions = timing.exclude.flatMap(name => calendars.get(name) ?? []);
  const { id, externalId, createdAt } = schedule;
  const resolved = resolveTiming(schedule, { createdAt, hashed: externalId ?? id, versions });
  const next: Schedule = resolved === undefined ? plain : { ...plain, timing: resolved };
  if (next.status === 'enabled' && !hasBegun && nextTime(next, now) === null) {
    return { ...completedOf(next), updatedAt: laterThan(schedule, now) };
  }
  return isSameTiming(timing, next.timing) ? null : next;
}
