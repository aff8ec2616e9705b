import type { Tell } from './rule.ts';
import { isOvertaken } from './skipped.ts';
import { isGoing, nameOf } from './times.ts';
import { endOf, hasBegun, iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/** Times that come while a request of their schedule is going: they are skipped, or the latest waits. */
export function checkOverlaps(view: View, tell: Tell): void {
  for (const schedule of view.schedules) {
    const buffers = schedule.seen.policy?.overlap === 'bufferOne';
    for (const run of schedule.runs) {
      if (run.at > view.until) continue;
      if (buffers && run.status === 'skipped') checkBuffered(run, schedule, view, tell);
      if (!buffers && hasBegun(run)) checkBegun(run, schedule, view, tell);
    }
  }
}

/** What was skipped has lost to the time after it, which came while a run was going as well. */
function checkBuffered(run: RunSeen, schedule: ScheduleView, view: View, tell: Tell): void {
  const { seen, due } = schedule;
  const next = due.find(time => time > run.at) ?? Infinity;
  // A change drops what waits.
  const isChanged = schedule.spans.slice(1).some(({ writtenBy }) => writtenBy >= run.at);
  if (isChanged || isGoing(next, schedule, view) || isOvertaken(next, schedule, view)) return;
  tell('bufferLost', `${nameOf(seen.id, run.at)} was skipped, and was the latest.`);
}

/** One that came during a request, and nothing was in the way: then it was seen, and is skipped. */
function checkBegun(run: RunSeen, schedule: ScheduleView, view: View, tell: Tell): void {
  const { seen, runs, manual } = schedule;
  if (!view.isUndisturbed(run.at, run.startedAt, seen.id)) return;
  // Its own begins before it where its node has just set its clock by a ms.
  const going = [...runs, ...manual]
    .filter(other => other !== run)
    .flatMap(({ attempts }) => attempts)
    .find(each => each.startedAt < run.at && endOf(each) > run.at + view.lateMs);
  if (going === undefined) return;
  const until = iso(endOf(going));
  tell('notSkipped', `${nameOf(seen.id, run.at)} fired, and came during a request until ${until}.`);
}
