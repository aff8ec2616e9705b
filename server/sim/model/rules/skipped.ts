import { RECOVERY_MS } from './cuts.ts';
import { haltIn } from './halts.ts';
import type { Tell } from './rule.ts';
import { isGoing, nameOf } from './times.ts';
import type { RunSeen, ScheduleView, View } from './view.ts';

/** Times that were skipped: a run of their schedule was going on. */
export function checkSkipped(view: View, tell: Tell): void {
  for (const schedule of view.schedules)
    for (const run of schedule.runs)
      if (run.status === 'skipped' && run.at <= view.until) checkOne(run, schedule, view, tell);
}

function checkOne(run: RunSeen, schedule: ScheduleView, view: View, tell: Tell): void {
  if (isGoing(run.at, schedule, view) || isOvertaken(run.at, schedule, view)) return;
  if (isBehindFurther(run.at, schedule, view) || isBehindHalted(run.at, schedule, view)) return;
  const name = nameOf(schedule.seen.id, run.at);
  tell('skippedWithoutRun', `${name} was skipped while no run of its schedule was going on.`);
}

/** Whether it came behind a claim of a process that died, and a suspension says that this one had not begun: nobody was up meanwhile. */
function isBehindHalted(time: number, { runs }: ScheduleView, view: View): boolean {
  const before = runs.findLast(run => run.at < time && run.status !== 'skipped');
  const isHalted = before?.status === 'missed' && haltIn(before.reason) === 'before';
  return isHalted && view.windows.some(({ from, to }) => from <= before.at && time <= to);
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
