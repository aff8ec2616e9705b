import { asleepAt } from './cuts.ts';
import type { Halt } from './halts.ts';
import { earliestRetry, retriesAt } from './retries.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import {
  type AttemptSeen,
  endOf,
  iso,
  type RunSeen,
  type ScheduleView,
  type View,
} from './view.ts';

/** Retries give way to the next time of their schedule: none waits until then, and none that was kept waiting comes after it. */
export function checkGivesWay(view: View, tell: Tell): void {
  for (const schedule of view.schedules) {
    for (const run of [...schedule.runs, ...schedule.manual])
      if (run.at <= view.until) checkRun(run, schedule, view, tell);
  }
}

function checkRun(run: RunSeen, schedule: ScheduleView, view: View, tell: Tell): void {
  for (const [index, before] of run.attempts.slice(0, -1).entries()) {
    // What was cut off is sent again, which is no retry.
    if (before.outcome === 'lost') continue;
    const faults = readings(before, view).map(read => faultOf(run, index, read, schedule, view));
    const [fault] = faults;
    if (fault && faults.every(each => each !== null)) tell('retryAtNext', fault);
  }
}

/** An attempt as it ended, and as it was read where its machine was suspended by the very millisecond in which it ended. */
function readings(before: AttemptSeen, { suspensions }: View): AttemptSeen[] {
  const asleep = asleepAt(endOf(before), suspensions);
  return [before, ...asleep.map(({ to }) => ({ ...before, durationMs: to - before.startedAt }))];
}

/** @param before the attempt of that index, as it may have been read. @returns null where its retry gave way */
function faultOf(
  run: RunSeen,
  index: number,
  before: AttemptSeen,
  schedule: ScheduleView,
  view: View,
): string | null {
  const attempt = run.attempts[index + 1]!;
  const since = run.trigger === 'schedule' ? goesOnFrom(run, before, view) : endOf(before);
  const nextAt = nextAfter(since, attempt.startedAt, schedule);
  const { policy, id } = schedule.seen;
  const plannedAt = earliestRetry(run.id, before, retriesAt(run.attempts, index + 1), policy, view);
  if (isDecidedLate(run, endOf(before), nextAt, schedule, view)) return null;
  const name = `${nameOf(id, run.at)}, attempt ${attempt.number},`;
  // Who was asked counts from its own clock.
  const plannedBy = plannedAt - view.behindMs(since, plannedAt);
  if (plannedBy >= nextAt) return `${name} was to come at ${iso(plannedAt)}, after ${iso(nextAt)}.`;
  if (run.trigger === 'schedule' && isAfter(nextAt, attempt.startedAt, id, view))
    return `${name} started at ${iso(attempt.startedAt)}, after ${iso(nextAt)}.`;
  return null;
}

/** Since when its next time is counted. What comes back from a suspension of its client goes by the time after that. */
function goesOnFrom({ at, startedAt, scheduleId }: RunSeen, before: AttemptSeen, view: View) {
  const isPast = ({ from, to }: Halt) => from <= before.startedAt && to > at && to < Infinity;
  const past = view.haltsOf(scheduleId).filter(isPast);
  return Math.max(at, startedAt, ...past.map(({ to }) => to));
}

/** What a manual run awaited is looked at a little after its deadline, or when somebody can: the next time is counted from then. */
function isDecidedLate(
  { trigger }: RunSeen,
  endedAt: number,
  nextAt: number,
  { seen }: ScheduleView,
  view: View,
): boolean {
  if (trigger === 'schedule' || seen.policy?.completion === undefined) return false;
  if (nextAt <= endedAt + view.lateMs) return true;
  return !view.isUndisturbed(endedAt, Math.min(nextAt, endedAt + 1_000), seen.id);
}

/** The next time that nobody can have changed; Infinity: none is certain. */
function nextAfter(since: number, until: number, { due, optional, spans }: ScheduleView): number {
  if (spans.slice(1).some(({ writtenBy, at }) => writtenBy >= since && at <= until))
    return Infinity;
  const next = due.find(time => time > since) ?? Number.POSITIVE_INFINITY;
  return optional.has(next) ? Number.POSITIVE_INFINITY : next;
}

/** A request that could start before may wait for its connection, its process did nothing, or its claim was answered late. */
function isAfter(nextAt: number, startedAt: number, id: string, view: View): boolean {
  const couldAt = nextAt + view.connectMs + view.slackMs + view.behindMs(nextAt, startedAt);
  if (startedAt <= couldAt || view.isHeldUp(nextAt - 1, startedAt, id)) return false;
  if (!view.isUndisturbed(nextAt, startedAt, id)) return false;
  return !view.suspensions.some(({ from, to }) => from <= startedAt && to >= nextAt);
}
