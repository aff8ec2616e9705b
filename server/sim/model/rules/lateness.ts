import { RECOVERY_MS, type Window } from './cuts.ts';
import { latestRetry, retriesAt } from './retries.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import { attemptsOf, endOf, iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/** Whether requests start in time while nothing is in their way. */
export function checkLateness(view: View, tell: Tell): void {
  for (const schedule of view.schedules) checkOne(schedule, view, tell);
}

function checkOne(schedule: ScheduleView, view: View, tell: Tell): void {
  const { seen } = schedule;
  const { versions = [] } = seen;
  // One request of a schedule is in flight: the next one starts when it has ended.
  let freeAt = Number.NEGATIVE_INFINITY;
  for (const { run, attempt, index } of attemptsOf(schedule)) {
    // A change takes back what has not started, and it is decided about anew.
    const changes = versions.filter(({ at }) => at <= attempt.startedAt);
    const changedAt = Math.max(...changes.map(({ writtenBy }) => writtenBy));
    const from = Math.max(couldStartAt(run, index, seen.policy, view), freeAt, changedAt);
    const lateMs = attempt.startedAt - from;
    freeAt = Math.max(freeAt, endOf(attempt) || attempt.startedAt);
    // A loop that sleeps goes by the clock as it was.
    const behindMs = view.behindMs(from - RECOVERY_MS, attempt.startedAt);
    const allowedMs = view.lateMs + view.heardMs + behindMs;
    if (!(lateMs > allowedMs) || !view.isUndisturbed(from, attempt.startedAt, seen.id)) continue;
    // The node that was asked for it writes it first, whoever sends it.
    if (run.trigger === 'manual' && index === 0 && view.isAnySlow(run.at, attempt.startedAt))
      continue;
    const name = `${nameOf(run.scheduleId, run.at)}, attempt ${attempt.number},`;
    tell('late', `${name} started at ${iso(attempt.startedAt)}, ${lateMs} ms after it could.`);
  }
}

/** As far as its own run goes, at the latest; NaN where nobody knows. */
function couldStartAt(
  { id, scheduleId, at, attempts }: RunSeen,
  index: number,
  policy: ScheduleView['seen']['policy'],
  view: View,
): number {
  const before = attempts[index - 1];
  if (before === undefined) return at;
  if (before.outcome === 'lost') return Number.NaN;
  // A process that was suspended reads the answer, and what it asks for, when it goes on.
  const isLate = ({ from }: Window) => before.startedAt <= from && from <= endOf(before);
  if (view.suspensions.some(isLate)) return Number.NaN;
  // So does a node that was frozen, whose sender is not.
  if (view.isShared && view.isHeldUp(endOf(before), endOf(before), scheduleId)) return Number.NaN;
  return latestRetry(id, before, retriesAt(attempts, index), policy, view);
}
