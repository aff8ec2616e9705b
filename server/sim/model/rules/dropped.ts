import type { Content, ScheduleSeen } from '../evidence.ts';
import { hadToWait } from './full-hosts.ts';
import { SLOWEST_MS } from './last-look.ts';
import { hasBegun, iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/** Times that a change drops: they need no record. Those that an answer stops are skipped. */

/**
 * Whether a time needs no record. A change drops what is due and waits: the time had just come, something was in its way, or a
 * manual run went first.
 */
export function needsNone(time: number, schedule: ScheduleView, view: View): boolean {
  const { seen, optional, spans, manual } = schedule;
  if (optional.has(time)) return true;
  const changedAt = spans.find(({ until }) => until >= time)?.until;
  if (changedAt === undefined || changedAt === Number.POSITIVE_INFINITY) return false;
  if (changedAt - freeAt(time, changedAt, schedule) <= view.lateMs) return true;
  if (!view.isUndisturbed(time, changedAt, seen.id)) return true;
  if (hadToWait(time, changedAt, schedule, view) || isJustWritten(seen, changedAt, view))
    return true;
  return manual.some(({ at, finishedAt }) => at <= changedAt && finishedAt >= time);
}

/** From when on it could fire before a change: with `bufferOne` it waits for the end of the run before it. */
function freeAt(time: number, changedAt: number, { seen, runs }: ScheduleView): number {
  if (seen.policy?.overlap !== 'bufferOne') return time;
  const isBefore = (run: RunSeen) => run.at < time && run.finishedAt <= changedAt;
  const before = runs.filter(run => hasBegun(run) && isBefore(run));
  return Math.max(time, ...before.map(({ finishedAt }) => finishedAt));
}

/** Whether the node that was asked for a schedule may have written it late: until then nobody could fire it. */
function isJustWritten({ createdAt }: ScheduleSeen, at: number, view: View): boolean {
  const isYoung = at - createdAt <= SLOWEST_MS;
  return view.isShared && isYoung && view.isAnySlow(createdAt, createdAt + 1);
}

/** Whether a change dropped the latest of the times that passed, before anybody had looked. */
export function isLatestDropped(
  time: number,
  lookedUntil: number,
  schedule: ScheduleView,
  view: View,
): boolean {
  const { due, runs, spans } = schedule;
  // More may have come until the change was written, and until the last instant at which somebody looked.
  const changes = spans.flatMap(({ until }, index) => [
    until,
    ...due.filter(each => each > until && each <= (spans[index + 1]?.writtenBy ?? 0)),
  ]);
  return [...changes.filter(until => until < lookedUntil), lookedUntil].some(until => {
    const latest = due.findLast(each => each <= until && !isSkipped(each, schedule)) ?? time;
    if (latest <= time || runs.some(({ at }) => at === latest)) return false;
    return needsNone(latest, schedule, view);
  });
}

/** Whether it came while a run was going on: the one that waits for the end of that run keeps its place. */
function isSkipped(time: number, { runs }: ScheduleView): boolean {
  return runs.some(
    ({ at, status, missed }) => status === 'skipped' && at <= time && time <= (missed?.to ?? at),
  );
}

/** Whether the run that went before the latest of the times that passed stopped their schedule: that time is skipped, and says so. */
export function isLatestStopped(
  time: number,
  lookedUntil: number,
  { seen, runs }: ScheduleView,
): boolean {
  const stops = seen.versions?.filter(({ isByTarget }) => isByTarget) ?? [];
  return runs.some(({ at, status, reason }) => {
    if (status !== 'skipped' || at <= time || at > lookedUntil) return false;
    const ends = runs.filter(each => each.at < at && each.finishedAt >= at);
    return stops.some(
      stop =>
        reason === whyStopped(stop.is) && ends.some(({ finishedAt }) => finishedAt === stop.at),
    );
  });
}

function whyStopped({ status, pausedUntil = Number.NaN }: Content): string {
  if (status === 'disabled') return 'The run before it disabled the schedule.';
  return `The run before it paused the schedule until ${iso(pausedUntil)}.`;
}
