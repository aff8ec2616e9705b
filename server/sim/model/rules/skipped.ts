import { AHEAD_MS, RECOVERY_MS, type Window } from './cuts.ts';
import type { Tell } from './rule.ts';
import { freeAt, isGoing, nameOf, needsNone, writtenBy } from './times.ts';
import type { RunSeen, ScheduleView, View } from './view.ts';
import { AWAKE_MS } from './windows.ts';

/** Times that were skipped: a run of their schedule was going on. */
export function checkSkipped(view: View, tell: Tell): void {
  for (const schedule of view.schedules)
    for (const run of schedule.runs)
      if (run.status === 'skipped' && run.at <= view.until) checkOne(run, schedule, view, tell);
}

function checkOne(run: RunSeen, schedule: ScheduleView, view: View, tell: Tell): void {
  if (isGoing(run.at, schedule, view) || isBehindDropped(run.at, schedule, view)) return;
  if (isBehindFurther(run.at, schedule, view)) return;
  if (isBehindTakenBack(run.at, schedule, view)) return;
  const name = nameOf(schedule.seen.id, run.at);
  tell('skippedWithoutRun', `${name} was skipped while no run of its schedule was going on.`);
}

/**
 * Whether it came after one that was begun and never sent, until a change dropped that: its node did nothing, died or was suspended,
 * limits were in its way, its store stood still, the run before it had just ended, or it waited for a connection after a start. A
 * command that deletes a client changes schedules while nobody runs.
 */
function isBehindDropped(time: number, schedule: ScheduleView, view: View): boolean {
  const { seen, due, runs } = schedule;
  if (isOvertaken(time, schedule, view)) return true;
  const before = due.findLast(each => each < time && !runs.some(run => run.at === each));
  if (before === undefined || !needsNone(before, schedule, view)) return false;
  const isAsleep = ({ from, to }: Window) => from <= time && before <= to + AWAKE_MS;
  const isUnsent = ({ from, to }: Window) => from <= before && time <= to + view.connectMs;
  const isDown = view.windows.some(isUnsent);
  const isHeld = view.isHeldUp(before, time, seen.id) || view.isHeldBack(before, time, seen);
  const isJustFree = time - freeAt(before, time, schedule) <= view.lateMs;
  if (isDown || isHeld || isJustFree) return true;
  return isStill(before, time, view) || view.suspensions.some(isAsleep);
}

/** Whether the store, or the machine, stood still all the while. */
function isStill(since: number, until: number, { stalls }: View): boolean {
  return stalls.some(({ from, to }) => from <= since && to + RECOVERY_MS >= until);
}

/**
 * With bufferOne a time that limits keep waiting, a store that stands still, or a node that does nothing, loses its place to a later
 * one also where a manual run goes before it.
 */
export function isOvertaken(time: number, { seen, manual }: ScheduleView, view: View): boolean {
  // Nobody was up: the next one to look finds the manual run first.
  const isDown = (at: number) =>
    view.windows.some(({ from, to }) => from <= time + view.lateMs && to >= at);
  const isHeldTo = ({ at }: RunSeen) =>
    at >= time &&
    (isDown(at) ||
      view.isHeldBack(time, at, seen) ||
      view.isHeldUp(time, at, seen.id) ||
      isStill(time, at, view));
  return seen.policy?.overlap === 'bufferOne' && manual.some(isHeldTo);
}

/** Whether a further run was claimed, to say that it is dropped, and that was not written: by its node, or as the store stood still. */
function isBehindFurther(time: number, { seen, further }: ScheduleView, view: View): boolean {
  const isStillThen = view.stalls.some(({ from, to }) => from <= time && to > time);
  const isDropped = further.some(({ status }) => status === 'skipped');
  return isDropped && (isStillThen || view.isHeldUp(time - 1, time, seen.id));
}

/**
 * Whether it came between two changes, and the first of them took back what was claimed ahead. In the store that claim goes on until
 * its node has written its end, which a store that stands still puts off. The second change came before that.
 */
function isBehindTakenBack(time: number, { seen, runs, spans }: ScheduleView, view: View): boolean {
  return spans.some(({ until: changedAt, times }, index) => {
    const after = spans[index + 1];
    if (after === undefined || time <= changedAt || time > after.until) return false;
    const goneBy = writtenBy(view.heldUntil(after.writtenBy, seen.id), view);
    const claimed = times.find(each => each > changedAt && each <= changedAt + AHEAD_MS);
    return after.until <= goneBy && claimed !== undefined && !runs.some(({ at }) => at === claimed);
  });
}
