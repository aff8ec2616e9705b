import type { ScheduleSeen } from '../evidence.ts';
import { asleepAt } from './cuts.ts';
import type { Halt } from './halts.ts';
import { readLateMs } from './held.ts';
import type { Tell } from './rule.ts';
import { knownBy, nameOf, withGrace } from './times.ts';
import {
  type AttemptSeen,
  attemptsOf,
  endOf,
  inTheWayUntil,
  iso,
  type RunSeen,
  type ScheduleView,
  type View,
} from './view.ts';

/** The retries of runs and callbacks: what is tried again, how long it waits, and how it ends. */

type Policy = ScheduleSeen['policy'];

/** What has attempts: a run, or a callback. */
interface Tried {
  id: string;
  name: string;
  status: string;
  attempts: AttemptSeen[];
  policy: Policy;
  /** A change stopped its schedule before it ended: what was cut off is not sent again. */
  isStopped: boolean;
  /** From then on no retry comes, as far as an attempt that ended goes: the next time comes, or the schedule has completed. */
  barredAt(endedAt: number): number;
  /** When nothing of its schedule is in its way any more, if that was so at an instant. */
  freeFrom(at: number): number;
  /** By how much later its node read an attempt that ended then. */
  readLateMs(endedAt: number): number;
  /** Those of its client. */
  halts: Halt[];
  /** Whether nodes that did nothing may have kept a retry waiting until it was barred. */
  isHeldUp(from: number, to: number): boolean;
  /** Whether limits of its destination did. */
  isHeldBack(from: number, to: number): boolean;
}

const DELAYS_MS = [5_000, 30_000, 120_000];
const MOST_RETRIES = 3;
/** The longest that a delay becomes. */
const JITTER = 1.2;

export function checkRetries(view: View, tell: Tell): void {
  for (const schedule of view.schedules) {
    for (const run of [...schedule.runs, ...schedule.manual]) {
      if (run.at <= view.until) checkRun(run, schedule, view, tell);
    }
  }
}

function checkRun(run: RunSeen, schedule: ScheduleView, view: View, tell: Tell): void {
  const { seen, due } = schedule;
  const { policy, planned } = seen;
  const name = nameOf(run.scheduleId, run.at);
  const completedAt = planned?.status === 'enabled' ? Infinity : (planned?.updatedAt ?? Infinity);
  const barredAt = (endedAt: number) => {
    const since = run.trigger === 'schedule' ? run.at : endedAt;
    const nextAt = due.find(time => time > since) ?? Infinity;
    const changed = changedAt(schedule, since, endedAt);
    return Math.min(nextAt, completedAt, changed, triedUntil(run, policy) + 1);
  };
  const isStopped = schedule.spans.some(({ at, stoppedUntil, isDeleted }) => {
    const stops = run.trigger === 'manual' ? isDeleted : stoppedUntil > at;
    // What is decided before the change is written after it.
    return stops && at <= knownBy(run, view);
  });
  const freeFrom = (at: number) =>
    run.trigger === 'schedule' ? behindManual(at, schedule) : behindAttempts(at, schedule);
  const halts = view.haltsOf(seen.id);
  const isHeldUp = (from: number, to: number) => view.isHeldUp(from, to, seen.id);
  const isHeldBack = (from: number, to: number) => view.isHeldBack(from, to, seen);
  const lateMs = (endedAt: number) => readLateMs(endedAt, seen.id, view);
  const ways = { freeFrom, halts, isHeldUp, isHeldBack, readLateMs: lateMs };
  checkTried({ ...run, name, policy, isStopped, barredAt, ...ways }, view, tell);
  // It is decided about when it is claimed, and waits for its connection then.
  const over = triedUntil(run, policy) + view.connectMs;
  const late = run.attempts.find(
    ({ startedAt }, index) => startedAt > over && retriesAt(run.attempts, index) > 0,
  );
  // A node that is frozen meanwhile sends it as it goes on.
  const isHeldUpBefore = (at: number) => isHeldUp(at - view.connectMs, at);
  const wasFrozen = late && isHeldUpBefore(over) && isHeldUpBefore(late.startedAt);
  const wasLost = late && run.attempts[late.number - 2]?.outcome === 'lost';
  if (late && !wasLost && !wasFrozen)
    tell('retryUnasked', `${name} was tried again at ${iso(late.startedAt)}, when that was over.`);
  // The callbacks of a client that is deleted are dropped, also those whose retry nobody could send before.
  const droppedAt = Math.min(...halts.filter(({ to }) => to === Infinity).map(({ from }) => from));
  for (const callback of run.callbacks) {
    const told = `The callback ${callback.id} of ${name}`;
    const alone = { policy: undefined, barredAt: () => droppedAt, freeFrom: Number };
    const never = { isHeldUp: () => false, isHeldBack: () => false };
    const known = { halts, readLateMs: lateMs, isStopped: droppedAt < Infinity };
    checkTried({ ...callback, ...alone, name: told, ...known, ...never }, view, tell);
  }
}

/** Manual runs go first, in their order. */
function behindManual(at: number, { manual }: ScheduleView): number {
  return manual.reduce(
    (freeAt, run) => (run.at <= freeAt && run.finishedAt > freeAt ? run.finishedAt : freeAt),
    at,
  );
}

/** One request of a schedule at a time: its run may be sent first. */
function behindAttempts(at: number, schedule: ScheduleView): number {
  const begun = (freeAt: number, each: ReturnType<typeof attemptsOf>[number]) =>
    each.attempt.startedAt <= freeAt ? Math.max(freeAt, inTheWayUntil(each)) : freeAt;
  return attemptsOf(schedule).reduce(begun, at);
}

/**
 * The earliest instant at which a change keeps a retry from coming: it stops the schedule, or counts the next time anew. What ends
 * before the change goes by the next time as it was.
 */
function changedAt({ spans }: ScheduleView, since: number, endedAt: number): number {
  const held = spans.filter(({ until, writtenBy }, index) => {
    const replacedBy = spans[index + 1]?.writtenBy ?? until;
    return Math.max(until, writtenBy, replacedBy) >= endedAt;
  });
  return Math.min(
    ...held.map(({ at, stoppedUntil, times }) => {
      if (stoppedUntil > endedAt) return at;
      return times.find(time => time > Math.max(since, at)) ?? Infinity;
    }),
  );
}

/** The last instant at which a retry may start. */
function triedUntil({ at }: RunSeen, policy: Policy): number {
  return at + (policy?.retryForSeconds ?? Infinity) * 1_000;
}

function checkTried(tried: Tried, view: View, tell: Tell): void {
  const { attempts } = tried;
  for (const [index, attempt] of attempts.slice(1).entries()) {
    checkRetry(tried, attempts[index]!, attempt, retriesAt(attempts, index + 1), view, tell);
  }
  checkEnd(tried, view, tell);
}

/** @param retry 1 for the first */
function checkRetry(
  { id, name, policy, isStopped }: Tried,
  before: AttemptSeen,
  attempt: AttemptSeen,
  retry: number,
  view: View,
  tell: Tell,
): void {
  // What was cut off is sent again, which is no retry.
  if (before.outcome === 'lost') return;
  // What is left of a deleted schedule is claimed at once, to be ended. Where that was cut off nobody knows that it was not sent.
  if (isStopped && attempt.outcome === 'lost') return;
  if (!isRetried(before) || retry > mostRetries(policy)) {
    tell('retryUnasked', `${name} was tried again after attempt ${before.number}.`);
    return;
  }
  const from = earliestRetry(id, before, retry, policy, view);
  if (attempt.startedAt >= from - view.slackMs) return;
  const when = `came at ${iso(attempt.startedAt)}, and ${iso(from)} was the earliest`;
  tell('retryEarly', `${name}: attempt ${attempt.number} ${when}.`);
}

/** It ends well if its last attempt did; badly if that is not to be repeated, or the next time comes before. */
function checkEnd(tried: Tried, view: View, tell: Tell): void {
  const { id, name, status, attempts, policy } = tried;
  const last = attempts.at(-1);
  if (last === undefined || (status !== 'succeeded' && status !== 'failed')) return;
  if (isSuccess(last) !== (status === 'succeeded')) {
    tell('verdictWrong', `${name} ${status}, and its last attempt says otherwise.`);
    return;
  }
  if (status === 'succeeded') return;
  if (last.awaited?.status === 'failed') return;
  if (last.outcome === 'lost' && !tried.isStopped)
    tell('lostForGood', `${name} was cut off, and not sent again.`);
  const retry = retriesAt(attempts, attempts.length);
  if (!isRetried(last) || retry > mostRetries(policy)) return;
  const barredAt = tried.barredAt(endOf(last));
  if (tried.isHeldUp(barredAt - 1, barredAt)) return;
  const down = view.windows.filter(({ from, to }) => from < barredAt && to > endOf(last));
  // It waits from when its node read the answer.
  let cameAt = latestRetry(id, last, retry, policy, view) + tried.readLateMs(endOf(last));
  // What waits for the next start goes behind a manual run that was asked for until then.
  for (const { from, to } of down) if (from <= cameAt && to > cameAt) cameAt = to;
  const freeAt = tried.freeFrom(cameAt);
  // The end of what was in its way is written with others, and frees it then.
  if (freeAt > cameAt) cameAt = freeAt + view.lateMs;
  // It waits until its client is resumed; what is deleted drops it.
  for (const { from, to } of tried.halts) if (from <= cameAt && to > cameAt) cameAt = to;
  const couldAt = withGrace(Math.max(cameAt, ...down.map(({ to }) => to)), view);
  if (couldAt >= barredAt || tried.isHeldBack(couldAt, barredAt)) return;
  tell('retryLost', `${name} was not tried again after attempt ${last.number}.`);
}

/** The earliest instant at which an attempt is tried again. @param retry 1 for the first */
export function earliestRetry(
  id: string,
  before: AttemptSeen,
  retry: number,
  policy: Policy,
  view: View,
): number {
  const asked = view.retryAt.get(`${id}/${before.number}`) ?? 0;
  // Who was asked counts from its own clock.
  const behindMs = view.behindMs(before.startedAt, endOf(before));
  return Math.max(endOf(before) + delayMs(policy, retry), asked - behindMs);
}

/** The latest instant at which an attempt is tried again while nothing is in the way. @param retry 1 for the first */
export function latestRetry(
  id: string,
  last: AttemptSeen,
  retry: number,
  policy: Policy,
  view: View,
): number {
  const waitMs = Math.ceil(delayMs(policy, retry) * JITTER);
  return Math.max(readBy(last, view) + waitMs, view.retryAt.get(`${id}/${last.number}`) ?? 0);
}

/** By when its end was read. */
function readBy(last: AttemptSeen, { suspensions }: View): number {
  const at = endOf(last);
  return Math.max(at, ...asleepAt(at, suspensions).map(({ to }) => to));
}

/** The number of the retry that an attempt is, or would be; those that were cut off do not count. */
export function retriesAt(attempts: AttemptSeen[], index: number): number {
  return attempts.slice(0, index).filter(({ outcome }) => outcome !== 'lost').length;
}

function delayMs(policy: Policy, retry: number): number {
  const own = policy?.retryDelaysSeconds;
  if (own !== undefined) return (own[retry - 1] ?? own.at(-1)!) * 1_000;
  return DELAYS_MS[retry - 1] ?? DELAYS_MS.at(-1)! * 2 ** (retry - DELAYS_MS.length);
}

function mostRetries(policy: Policy): number {
  return policy?.maxRetries ?? policy?.retryDelaysSeconds?.length ?? MOST_RETRIES;
}

function isRetried({ outcome, responseStatus: status, control }: AttemptSeen): boolean {
  if (control?.noRetry) return false;
  const isBroken = outcome === 'timeout' || outcome === 'connectionError';
  if (!isBroken && outcome !== 'response') return false;
  // A success has to be complete. Any other status counts also where the rest of its answer did not come.
  if (status === undefined || is2xx(status)) return isBroken;
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

function isSuccess({ outcome, responseStatus, awaited }: AttemptSeen): boolean {
  if (awaited !== null) return awaited.status === 'succeeded';
  return outcome === 'response' && is2xx(responseStatus!);
}

function is2xx(status: number): boolean {
  return status >= 200 && status < 300;
}
