import type { Tell } from './rule.ts';
import { nameOf, writtenBy } from './times.ts';
import { hasEnded, iso, type RunSeen, type View } from './view.ts';

/** Each run by itself: that it ends, begins in time, and counts its attempts. */
export function checkRuns(view: View, tell: Tell): void {
  for (const { runs, manual } of view.schedules)
    for (const run of [...runs, ...manual]) if (run.at <= view.until) checkRun(run, view, tell);
}

function checkRun(run: RunSeen, view: View, tell: Tell): void {
  const name = nameOf(run.scheduleId, run.at);
  if (!hasEnded(run)) tell('unfinished', `${name} is still ${run.status}.`);
  // A clock that goes by the store's may be set back by its last millisecond while a request waits for its connection.
  if (run.startedAt < run.at - view.apartMs)
    tell('early', `${name} started at ${iso(run.startedAt)}.`);
  for (const [index, attempt] of run.attempts.entries()) {
    if (attempt.number !== index + 1) {
      tell('attemptNumbers', `${name} has number ${attempt.number} as attempt ${index + 1}.`);
    }
    if (attempt.outcome !== 'lost') continue;
    // What its target said ends it, once the next start finds it.
    const overAt = attempt.awaited === null ? run.finishedAt : writtenBy(run.finishedAt, view);
    const until = run.attempts[index + 1]?.startedAt ?? overAt;
    if (!view.killedWithin(attempt.startedAt, until, run.scheduleId)) {
      tell('lostWithoutCrash', `${name} lost attempt ${attempt.number} without a crash.`);
    }
  }
}
