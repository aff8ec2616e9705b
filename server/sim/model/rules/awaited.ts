import type { Arrival, SaidSeen } from '../evidence.ts';
import { asleepAt, WHOLE_MS } from './cuts.ts';
import { goesOnAt } from './held.ts';
import type { Tell } from './rule.ts';
import { nameOf, writtenBy } from './times.ts';
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

/** Attempts whose targets answered 202: they end as the target says later, or at their deadline. */
export function checkAwaited(view: View, tell: Tell): void {
  const saidOf = Map.groupBy(view.said, ({ runId, attempt }) => `${runId}/${attempt}`);
  for (const schedule of view.schedules) {
    const deadlineMs = (schedule.seen.policy?.completion?.deadlineSeconds ?? Number.NaN) * 1_000;
    if (Number.isNaN(deadlineMs)) continue;
    const attempts = attemptsOf(schedule);
    for (const { run, attempt, index } of attempts) {
      if (run.at > view.until) continue;
      const name = `${nameOf(run.scheduleId, run.at)}, attempt ${attempt.number},`;
      const said = saidOf.get(`${run.id}/${attempt.number}`) ?? [];
      checkEnd(name, { run, attempt, said }, view, tell);
      checkDeadline(name, { run, attempt, said }, deadlineMs, view, tell);
      const overAt = endOf(attempt) || replacedAt({ run, attempt, index }, schedule);
      for (const [place, each] of said.entries())
        checkAnswer(name, overAt, each, said.slice(0, place), tell);
    }
    const waits = attempts.flatMap(({ run, attempt }) => waitOf(run, attempt));
    checkQuiet(schedule, waits, view, tell);
  }
}

/** A lost attempt is over as the next one is claimed: its fence is not before. */
function replacedAt(lost: ReturnType<typeof attemptsOf>[number], { arrivals }: ScheduleView) {
  const { run, attempt } = lost;
  const isNext = (arrival: Arrival) =>
    arrival.webhookId === run.id && arrival.attempt === attempt.number + 1;
  return Math.min(inTheWayUntil(lost), arrivals.find(isNext)?.fence ?? Number.POSITIVE_INFINITY);
}

/** Whether it counts, or may count: an answer may have been lost. */
export function mayCount({ code, tries }: SaidSeen): boolean {
  return code !== 410 || tries > 1;
}

/** An attempt, and what its target said of it. */
interface Spoken {
  run: RunSeen;
  attempt: AttemptSeen;
  said: SaidSeen[];
}

/** As the target said, and because it said so. */
function checkEnd(name: string, spoken: Spoken, view: View, tell: Tell): void {
  const { attempt, said } = spoken;
  const { awaited } = attempt;
  const told = said.find(({ status, code }) => status !== null && code === 200);
  const status = awaited?.status;
  const isEnded = status === 'succeeded' || status === 'failed';
  if (told !== undefined && status !== told.status) {
    const is = status ?? 'as if it had said nothing';
    tell('completionLost', `${name} was said to have ${told.status}, and is ${is}.`);
  } else if (isEnded && !said.some(each => isCauseOf(each, spoken, view))) {
    tell('completionUnasked', `${name} ${status} at ${iso(awaited!.endedAt)}, which nobody said.`);
  }
}

function isCauseOf({ status, ...said }: SaidSeen, { run, attempt }: Spoken, view: View): boolean {
  const { awaited, startedAt, durationMs = Number.NaN } = attempt;
  const { askedAt } = said;
  const at = awaited!.endedAt;
  if (status !== awaited!.status) return false;
  if (isWhile(said, at, view)) return true;
  // A process that was suspended reads the answer, and writes it, when it goes on.
  if (view.suspensions.some(({ from, to }) => from <= at && at <= to && askedAt <= to)) return true;
  // What is said while the answer is being written ends the run with its answer.
  const writtenAt = Math.max(writtenBy(at, view), heldTo(at, run.scheduleId, view));
  // A real sender rounds how long that took, and a clock that goes by the store's may be set by a ms at both ends.
  const roundedMs = Math.max(2 * view.apartMs, Math.min(1, view.slackMs));
  const answeredAt = startedAt + durationMs;
  const asleep = asleepAt(answeredAt, view.suspensions);
  const isOfAnswer = [answeredAt, ...asleep.map(({ to }) => to)].some(
    readAt => Math.abs(at - readAt) <= roundedMs,
  );
  // A node that was frozen reads it as it goes on.
  const isOfThaw = goesOnAt(answeredAt, run.scheduleId, view).some(
    to => Math.abs(at - to) <= Math.max(roundedMs, WHOLE_MS),
  );
  return (isOfAnswer || isOfThaw) && at <= askedAt && askedAt <= writtenAt;
}

/** When the claims end that nodes had then: an answer is written by then, also behind a batch that the store refused. */
function heldTo(at: number, scheduleId: string, { holds }: View): number {
  const held = (holds.get(scheduleId) ?? []).filter(({ from, to }) => from <= at && at <= to);
  return Math.max(at, ...held.map(({ to }) => to));
}

/** Whether it was said then, by the clock of the node that was asked or of the one that decided. */
function isWhile(
  { askedAt, endedAt }: Pick<SaidSeen, 'askedAt' | 'endedAt'>,
  at: number,
  view: View,
) {
  return askedAt - view.behindMs(askedAt, endedAt) <= at && at <= endedAt + view.apartMs;
}

/** An answer is read within this time, ms. */
const READ_MS = 2;

/** Nothing came by its deadline, which heartbeats move. */
function checkDeadline(
  name: string,
  { run, attempt, said }: Spoken,
  deadlineMs: number,
  view: View,
  tell: Tell,
): void {
  const { awaited, startedAt, durationMs = Number.NaN } = attempt;
  if (awaited?.status !== 'timeout') return;
  const answeredAt = startedAt + durationMs;
  const moves = said.filter(({ extendSeconds }) => extendSeconds !== null).filter(mayCount);
  const moved = moves.some(each =>
    isWhile(each, awaited.endedAt - each.extendSeconds! * 1_000, view),
  );
  const hasMoved = moves.some(({ code }) => code === 200);
  const readMs = READ_MS + view.behindMs(startedAt, answeredAt);
  // A node that was frozen reads an answer when it goes on, although its sender was not.
  const readBy = view.heldUntil(answeredAt, run.scheduleId);
  const readAt = awaited.endedAt - deadlineMs;
  const isRead = (from: number, by: number) => readAt >= from - readMs && readAt <= by + readMs;
  // So does a process whose machine was suspended as the answer came.
  const isReadAwake = asleepAt(answeredAt, view.suspensions).some(({ to }) => isRead(to, to));
  const byAnswer = isRead(answeredAt, readBy) || isReadAwake;
  if (moved || (byAnswer && !hasMoved)) return;
  const when = iso(awaited.endedAt);
  tell('deadlineWrong', `${name} waited until ${when}, and was answered at ${iso(answeredAt)}.`);
}

/** A target is refused only what comes too late. @param overAt when the attempt ended, or a newer one began */
function checkAnswer(
  name: string,
  overAt: number,
  said: SaidSeen,
  before: SaidSeen[],
  tell: Tell,
): void {
  const { askedAt, endedAt, code } = said;
  const hasEnded = before.some(each => each.status !== null && mayCount(each));
  if (code !== 404 && (mayCount(said) || hasEnded || overAt <= endedAt)) return;
  tell(
    'completionRefused',
    `${name} was over at ${iso(askedAt)}, as its target was told: ${code}.`,
  );
}

/** From the answer of an attempt until it ended. */
interface Wait {
  /** Of its request. */
  id: string;
  name: string;
  from: number;
  to: number;
}

/** Nothing else of the schedule is sent while a run awaits. */
function checkQuiet({ seen, arrivals }: ScheduleView, waits: Wait[], view: View, tell: Tell): void {
  for (const { webhookId, attempt, senderAt, ...arrival } of arrivals) {
    const at = senderAt ?? arrival.at;
    const id = `${webhookId}/${attempt}`;
    const wait = waits.find(wait => wait.id !== id && wait.from < at && at < wait.to);
    if (wait === undefined || view.killedWithin(wait.from, at, seen.id)) continue;
    const when = `came at ${iso(at)}, and ${wait.name} awaited its completion until ${iso(wait.to)}`;
    tell('firedAwaiting', `Attempt ${attempt} of ${webhookId} ${when}.`);
  }
}

function waitOf(run: RunSeen, attempt: AttemptSeen): Wait[] {
  const { awaited, startedAt, durationMs } = attempt;
  if (awaited === null || durationMs === undefined) return [];
  const name = nameOf(run.scheduleId, run.at);
  const id = `${run.id}/${attempt.number}`;
  return [{ id, name, from: startedAt + durationMs, to: awaited.endedAt }];
}
