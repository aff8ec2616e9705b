import type { Planned } from '../evidence.ts';
import { haltIn } from './halts.ts';
import type { Tell } from './rule.ts';
import { furtherAfter } from './steered.ts';
import { nameOf } from './times.ts';
import { hasBegun, hasEnded, iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/**
 * How schedules came to their end: those without a time to come have completed, once, and no others.
 *
 * @returns how many have completed
 */
export function checkCompletion(view: View, tell: Tell): number {
  let completed = 0;
  for (const schedule of view.schedules) {
    const { planned } = schedule.seen;
    if (planned === undefined) continue;
    checkSent(schedule, view, tell);
    if (!isOver(schedule, planned, view)) checkOpen(schedule, planned, tell);
    else if (checkCompleted(schedule, planned, tell)) completed++;
  }
  return completed;
}

function checkSent({ seen, due, runs, arrivals }: ScheduleView, view: View, tell: Tell): void {
  const [time] = due;
  if (!seen.interval.startsWith('at(') || time === undefined || time > view.until) return;
  const wasSkipped = runs.some(({ at, status, reason }) => {
    return at === time && (status === 'skipped' || haltIn(reason) !== null);
  });
  const wasSent = arrivals.some(({ scheduledFor }) => scheduledFor === time);
  // Its name led to where nobody may go.
  const wasBlocked = runs.some(
    ({ at, attempts }) => at === time && attempts.at(-1)?.outcome === 'blocked',
  );
  if (!wasSkipped && !wasSent && !wasBlocked)
    tell('unsent', `${nameOf(seen.id, time)} was never sent.`);
}

/** No time is to come after `until`. What is bounded has no more times than the calendar looks ahead. */
function isOver({ seen, due }: ScheduleView, { maxRuns, endsAt }: Planned, view: View): boolean {
  const isBounded =
    seen.interval.startsWith('at(') || maxRuns !== undefined || endsAt !== undefined;
  return isBounded && due.every(time => time <= view.until);
}

/** It may have come to its end after `until`, while others were waited for. */
function checkOpen({ seen, due }: ScheduleView, { status, updatedAt }: Planned, tell: Tell): void {
  if (status === 'enabled' || due.every(time => time <= (updatedAt ?? 0))) return;
  const when = iso(updatedAt ?? Number.NaN);
  tell('completedEarly', `Schedule ${seen.id} was ${status} at ${when}, and has times to come.`);
}

function checkCompleted(schedule: ScheduleView, planned: Planned, tell: Tell): boolean {
  const { seen, due, runs, arrivals } = schedule;
  const { status, statusReason, version, updatedAt, afterCompletion } = planned;
  const name = `Schedule ${seen.id}`;
  if (status === 'enabled' || updatedAt === null) {
    tell('notCompleted', `${name} has no time to come, and is ${status}.`);
    return false;
  }
  const asked = afterCompletion === 'delete' ? 'deleted' : 'disabled';
  if (status !== asked || statusReason !== 'completed') {
    tell('completedOtherwise', `${name} is ${status} (${statusReason}), and not ${asked}.`);
  }
  if (version !== 2) tell('completedTwice', `${name} was changed ${version - 1} times.`);
  const open = runs.find(run => goesOnAt(run, updatedAt)) ?? furtherAfter(schedule, updatedAt);
  const isEarly = due.some(time => time > updatedAt);
  if (open !== undefined || isEarly) {
    const what = open === undefined ? 'a time was to come' : `the run of ${iso(open.at)} went on`;
    tell('completedEarly', `${name} completed at ${iso(updatedAt)}, while ${what}.`);
  }
  const byHand = schedule.manual.filter(({ trigger }) => trigger === 'manual');
  const manual = new Set(byHand.map(({ id }) => id));
  for (const arrival of arrivals) {
    const { scheduledFor, webhookId } = arrival;
    const at = arrival.senderAt ?? arrival.at;
    if (at <= updatedAt || manual.has(webhookId)) continue;
    const fired = `${nameOf(seen.id, scheduledFor)} came at ${iso(at)}`;
    tell('firedCompleted', `${fired}, and it had completed at ${iso(updatedAt)}.`);
  }
  return true;
}

function goesOnAt(run: RunSeen, at: number): boolean {
  return hasBegun(run) && hasEnded(run) && run.finishedAt > at;
}
