import type { ScheduleSeen } from '../evidence.ts';
import { RECOVERY_MS, type Window } from './cuts.ts';
import { isLatestDropped, isLatestStopped, needsNone } from './dropped.ts';
import { hadToWait } from './full-hosts.ts';
import { haltIn } from './halts.ts';
import { isHeldAt, isPutOffAgain } from './held.ts';
import { quietFrom, unseenFrom } from './last-look.ts';
import type { Tell } from './rule.ts';
import { hasBegun, iso, type RunSeen, type ScheduleView, type View } from './view.ts';
import { AWAKE_MS, LOOK_MS } from './windows.ts';

/**
 * What was due against what was recorded.
 *
 * @returns how many times were missed although the service was up, because it was late
 */
export function checkTimes(view: View, tell: Tell): number {
  const overrun = view.schedules.reduce((sum, schedule) => sum + checkOne(schedule, view, tell), 0);
  for (const id of view.triggered) {
    if (!view.byId.has(id)) tell('triggerLost', `The manual run ${id} is not in history.`);
  }
  return overrun;
}

function checkOne(schedule: ScheduleView, view: View, tell: Tell): number {
  const { seen, due, runs } = schedule;
  const next = new Map(due.map((time, index) => [time, due[index + 1] ?? Infinity]));
  const recorded = new Set<number>();
  let overrun = 0;
  for (const [index, run] of runs.entries()) {
    for (const time of timesOf(run, schedule, tell)) {
      if (time > view.until) continue;
      const name = nameOf(seen.id, time);
      if (!next.has(time) && wasTakenBack(run, schedule)) continue;
      if (!next.has(time)) tell('notDue', `${name} is recorded, and was not due.`);
      else if (recorded.has(time)) tell('recordedTwice', `${name} has two records.`);
      recorded.add(time);
      // Whether it was is asked elsewhere.
      if (run.status === 'missed' && haltIn(run.reason) === null) {
        checkCause(run, time, view, tell);
        const follower = runs.slice(index + 1).find(hasBegun);
        overrun += checkMissed(time, next.get(time)!, follower, schedule, view, tell);
      }
      if (hasBegun(run)) checkAge(run, seen, view, tell);
    }
  }
  for (const time of due) {
    if (time <= view.until && !recorded.has(time) && !needsNone(time, schedule, view)) {
      tell('unrecorded', `${nameOf(seen.id, time)} has no record.`);
    }
  }
  return overrun;
}

/**
 * Whether an attempt may be of a request that was never begun. It was claimed ahead of its time, a change took it back, and the
 * process died before that was written: the next start takes it for one that was cut off, and sends it again if the schedule is
 * enabled. Or nobody knew of the claim.
 *
 * @param index of the attempt
 */
export function wasTakenBack(
  { id, attempts }: RunSeen,
  { arrivals }: ScheduleView,
  index = 0,
): boolean {
  const attempt = attempts[index];
  if (attempt?.outcome !== 'lost') return false;
  return !arrivals.some(
    ({ webhookId, attempt: sent }) => webhookId === id && sent === attempt.number,
  );
}

function checkCause({ scheduleId, reason }: RunSeen, time: number, view: View, tell: Tell): void {
  const isInOne = view.suspensions.some(({ from, to }) => time > from && time < to);
  if (!isInOne || reason?.startsWith('It passed while Punctual was not running')) return;
  tell('causeWrong', `${nameOf(scheduleId, time)} says: ${reason ?? 'Nothing.'}`);
}

function timesOf(run: RunSeen, { due, optional }: ScheduleView, tell: Tell): number[] {
  if (run.missed === null) return [run.at];
  const { count, from, to } = run.missed;
  const times = due.filter(time => time >= from && time <= to);
  const least = times.filter(time => !optional.has(time)).length;
  if (count < least || count > times.length) {
    const name = nameOf(run.scheduleId, run.at);
    tell('wrongCount', `${name} stands for ${count} times, and ${times.length} were due.`);
  }
  return times;
}

/** @returns 1 where it was missed although the service was up */
function checkMissed(
  time: number,
  next: number,
  follower: RunSeen | undefined,
  schedule: ScheduleView,
  view: View,
  tell: Tell,
): number {
  const name = nameOf(schedule.seen.id, time);
  // Once the run is over that it waited for, a later time makes it late, and not skipped.
  if (schedule.seen.policy?.overlap === 'bufferOne' && isGoing(time, schedule, view)) return 0;
  let isUndecided = false;
  for (const [index, window] of view.windows.entries()) {
    const { from, until, lookedAt, goesUntil } = blindOf(schedule, window);
    if (time > until || (!isUndecided && next <= window.from && time <= from)) continue;
    const lookedUntil = withGrace(lookedAt, view);
    const isUnseen = window.to - unseenFrom(window, view) >= view.blindMs - view.notedMs;
    if (isUnseen && lookedUntil - time > catchUpMs(schedule.seen)) return 0;
    // While it waits for its connection, a later time takes its place.
    const sentBy = lookedUntil + view.connectMs;
    if (follower === undefined || next > sentBy) {
      // A node that woke to stop has looked, but could not note it: the window goes on beyond that.
      if (isTooOld(time, schedule.seen, view)) return 0;
      if (isLatestDropped(time, lookedUntil, schedule, view)) return 0;
      if (isLatestStopped(time, lookedUntil, schedule)) return 0;
      // It ended again before it had looked, or sent: then the start after that one decides.
      // Or a claim kept it from others, then or until the next one came.
      const { id } = schedule.seen;
      const decidedAt = view.heldUntil(Math.max(sentBy, goesUntil), schedule.seen.id);
      isUndecided =
        (view.windows[index + 1]?.from ?? Infinity) <= decidedAt ||
        isHeldAt(decidedAt, id, view) ||
        isHeldAt(next - 1, id, view);
      if (isUndecided) continue;
      if (hadToWait(decidedAt, next, schedule, view)) return 0;
      tell(
        'latestMissed',
        `${name} was missed, was the latest to pass before ${iso(window.to)}, and no later one ` +
          'fired in its place.',
      );
    }
    return 0;
  }
  if (isLostInStall(time, schedule, view) || isTooOld(time, schedule.seen, view)) return 0;
  const { id } = schedule.seen;
  const isLate = follower !== undefined && follower.startedAt >= next;
  if (isLate && (wasBehind(time, next, id, view) || isPutOffAgain(time, next, id, view))) return 1;
  if (hadToWait(time, next, schedule, view)) return 0;
  // Before a later one could fire, its schedule was stopped, or a change dropped that one.
  // Or nothing of it has begun by the end of history, and the store stood still until the next one came.
  const isOverBefore =
    view.isHeldUp(next - 1, next, id) ||
    stoodStill(time, next, view) ||
    isLatestDropped(time, withGrace(time, view), schedule, view);
  if (follower === undefined && isOverBefore) return 1;
  tell('missedWhileUp', `${name} was missed while the service was up.`);
  return 0;
}

/** Whether it came during a run that a node lost, and then no node could say for long that it looked. */
function isLostInStall(time: number, { runs }: ScheduleView, view: View): boolean {
  if (!view.isShared) return false;
  const lost = runs.find(
    ({ at, finishedAt, attempts }) =>
      at < time && finishedAt >= time && attempts.some(({ outcome }) => outcome === 'lost'),
  );
  return view.stalls.some(({ from, to }) => {
    const isLong = to - from >= view.blindMs - view.notedMs;
    return isLong && to > time && from <= (lost?.finishedAt ?? 0);
  });
}

/** Whether it passed before a node could note again that it was awake, and nobody could catch up with it in time. */
function isTooOld(time: number, seen: ScheduleSeen, view: View): boolean {
  const passed = view.unnoted.find(({ from, to }) => from <= time && time <= withGrace(to, view));
  return passed !== undefined && withGrace(passed.to, view) - time > catchUpMs(seen);
}

/** How long after it a time that passed unseen fires. */
function catchUpMs({ policy }: ScheduleSeen): number {
  return (policy?.catchUpSeconds ?? 86_400) * 1_000;
}

function checkAge({ at, startedAt }: RunSeen, seen: ScheduleSeen, view: View, tell: Tell): void {
  const isOld = view.windows.some(({ from, to, isSuspension, isFirst }) => {
    // A start goes by the clock as it first read it. One that woke may look at once.
    const lookedAt = isSuspension ? to : view.unseenBefore(to) + 1;
    return (
      from < at &&
      (isFirst || to - quietFrom(from, to, view) >= view.blindMs) &&
      at <= (isSuspension ? to - AWAKE_MS : lookedAt - 1) &&
      to <= startedAt + view.slackMs &&
      lookedAt - at > catchUpMs(seen) + view.slackMs &&
      // A start that waits for its store decides before it says that it listens.
      !view.stalls.some(stall => stall.from <= to && stall.to >= at)
    );
  });
  if (isOld) tell('oldFired', `${nameOf(seen.id, at)} fired at ${iso(startedAt)}, too late.`);
}

/**
 * Whether others were late as well when a time was late by a whole interval: those of that time, if any began
 * at all, or those of the next one. A store that stands still is no better witness than the test that held
 * it: what was claimed before departs at its time, and only what was not is late.
 */
function wasBehind(time: number, next: number, id: string, view: View): boolean {
  const { lateness } = view;
  if (isHeldAt(next - 1, id, view)) return true;
  const latenessMs = Math.max(lateness(time, id) ?? Infinity, lateness(next, id) ?? 0);
  return latenessMs >= (next - time) / 2 || stoodStill(time, next, view);
}

function stoodStill(time: number, next: number, { stalls }: View): boolean {
  return stalls.some(({ from, to }) => from < next && to > time && to + RECOVERY_MS > next);
}

/**
 * How long the service was blind to one schedule around a window in which it was down: from the run
 * that was cut off, since a time that came during it was not recorded yet, to the end of the runs
 * that go first, which are the one that was cut off and manual ones.
 *
 * @returns also the latest instant at which it looked: what passes between `until` and that may have been seen, or not; and
 *   until when a run went on that was in flight as the machine was suspended
 */
function blindOf(schedule: ScheduleView, window: Window): Blind {
  const known = blindKept.get(schedule) ?? new Map<Window, Blind>();
  const blind = known.get(window) ?? blindSpanOf(schedule, window);
  blindKept.set(schedule, known.set(window, blind));
  return blind;
}

/** Each time that was missed asks for it. */
const blindKept = new WeakMap<ScheduleView, Map<Window, Blind>>();
type Blind = ReturnType<typeof blindSpanOf>;

function blindSpanOf(schedule: ScheduleView, window: Window) {
  const { runs, manual } = schedule;
  let from = window.from;
  let until = window.to;
  let lookedAt = window.to;
  let goesUntil = window.to;
  for (const run of [...runs, ...manual].toSorted((a, b) => a.at - b.at)) {
    // One that is in flight around a suspension goes on after it.
    if (window.isSuspension && run.startedAt <= window.to && run.finishedAt >= window.from) {
      from = Math.min(from, unseenSince(run, window, schedule));
      goesUntil = Math.max(goesUntil, run.finishedAt);
    }
    const wasCutOff = isCutOff(run, window.from, window.to);
    if (wasCutOff) from = Math.min(from, run.at);
    const isOver = run.finishedAt <= window.from;
    const goesFirst = run.trigger !== 'schedule' && !isOver && run.at <= lookedAt;
    if (!wasCutOff && !goesFirst) continue;
    until = Math.max(until, run.finishedAt);
    lookedAt = Math.max(lookedAt, run.finishedAt + WRITTEN_MS);
  }
  return { from, until, lookedAt, goesUntil };
}

/** What came during a run is recorded at its end: by then the engine knows until when it had looked. */
function unseenSince({ at }: RunSeen, { from }: Window, { seen }: ScheduleView): number {
  return seen.policy?.overlap === 'bufferOne' ? at : Math.max(at, from - LOOK_MS);
}

/** An end is written with others: 20 ms after it, and 20 ms more where a batch was on its way. Only then the schedule goes on. */
export const WRITTEN_MS = 45;
/** What the store refused is tried again so much later. */
export const AGAIN_MS = 250;

/** An engine looks at nothing while its store or its machine stands still. @param waitMs until it looks where nothing does */
export function withGrace(instant: number, { stalls, graceMs }: View, waitMs = 0): number {
  let until = instant + waitMs + graceMs;
  for (const { from, to } of stalls.toSorted((a, b) => a.from - b.from)) {
    // Who tries again waits for that also with what has come since.
    const againAt = to + AGAIN_MS;
    if (from <= until && againAt > instant) until += againAt - Math.max(from, instant);
  }
  return until;
}

/** To others the end of a run is known once it is written, which a store that stands still puts off. */
export function knownBy({ scheduleId, finishedAt, attempts }: RunSeen, view: View): number {
  let until = view.heldUntil(finishedAt, scheduleId);
  if (!attempts.at(-1)?.awaited) return writtenBy(until, view);
  // Nobody holds what awaits its completion. A node that hears of its end takes it, and may do nothing with it; then another one does.
  for (;;) {
    // Nobody was up: the next one to start, or to go on after a pause, finds it.
    until = view.windows.find(({ from, to }) => from <= until && until < to)?.to ?? until;
    const heardAt = until + view.heardMs;
    const by = writtenBy(heardAt, view);
    // A slow store lets a node have it later than that.
    const heldAt = [heardAt, by].find(at => view.heldUntil(at, scheduleId) > at);
    // Who would have written it ended before: its target's word stands, and the next one to start finds it.
    const cutOff = view.windows.find(({ from, to }) => from >= until && from <= by && to > until);
    if (heldAt === undefined && cutOff === undefined) return by;
    until = heldAt === undefined ? cutOff!.to : view.heldUntil(heldAt, scheduleId);
  }
}

export function writtenBy(endedAt: number, view: View): number {
  // It waits with a batch that the store has refused just before.
  const refused = view.stalls.filter(({ to }) => to <= endedAt && endedAt < to + AGAIN_MS);
  const tried = [endedAt, ...refused.map(({ to }) => to + AGAIN_MS)];
  return Math.max(...tried.map(at => withGrace(at, view, WRITTEN_MS)));
}

/** Whether a request of the run was in flight when the window began. */
function isCutOff(run: RunSeen, from: number, to: number): boolean {
  return run.attempts.some(
    ({ outcome, startedAt }) => outcome === 'lost' && startedAt <= to && run.finishedAt >= from,
  );
}

/** Whether a run of the schedule, or a manual one, was going on when the time came. */
export function isGoing(time: number, { runs, manual, spans }: ScheduleView, view: View): boolean {
  // A change knows of the end of a run as little as others do.
  const isChanged = spans.some(({ writtenBy }) => writtenBy >= time);
  // A command that deletes a client while nobody runs knows of none that came meanwhile.
  const unseen = view.windows.filter(({ from, to }) =>
    spans.some(({ at }) => at >= time && from <= at && at <= to),
  );
  const knownTo = (run: RunSeen) => {
    const isIn = ({ from, to }: Window) => from <= run.finishedAt && run.finishedAt <= to;
    return Math.max(knownBy(run, view), unseen.find(isIn)?.to ?? 0);
  };
  const endOf = (run: RunSeen) => (isChanged ? knownTo(run) : run.finishedAt);
  return (
    runs.some(other => hasBegun(other) && other.at < time && time <= endOf(other)) ||
    manual.some(other => other.at <= time && time <= knownBy(other, view))
  );
}

export function nameOf(scheduleId: string, time: number): string {
  return `${iso(time)} of schedule ${scheduleId}`;
}
