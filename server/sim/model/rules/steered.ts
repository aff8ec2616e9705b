import type { ControlAsked, VersionSeen } from '../evidence.ts';
import type { Tell } from './rule.ts';
import { nameOf } from './times.ts';
import {
  attemptsOf,
  endOf,
  hasBegun,
  inTheWayUntil,
  iso,
  type RunSeen,
  type ScheduleView,
  type View,
} from './view.ts';

/** What targets ask for by `Punctual-Control`: history shows it, it is done, and nothing else is. */
export function checkSteered(view: View, tell: Tell): void {
  const askedOf = new Map(
    view.arrivals.map(({ webhookId, attempt, asked }) => [`${webhookId}/${attempt}`, asked]),
  );
  for (const schedule of view.schedules) {
    const { seen, further } = schedule;
    const asks = asksOf(schedule, askedOf, view, tell);
    for (const [index, version] of (seen.versions ?? []).entries())
      if (version.isByTarget)
        checkChange(seen.id, version, seen.versions![index - 1], asks, view, tell);
    for (const ask of asks) {
      checkDone(schedule, ask, view, tell);
      checkFurther(schedule, ask, asks, view, tell);
    }
    for (const run of further)
      if (!asks.some(ask => isRead(ask, run.at - ask.againMs, view))) {
        tell(
          'furtherUnasked',
          `${nameOf(seen.id, run.at)} is a further run that nobody asked for.`,
        );
      }
  }
}

/** What an answer asked for that was recorded. Instants are epoch ms. */
interface Ask {
  name: string;
  at: number;
  /** A node that was frozen reads it later, and all spans count from then. */
  readBy: number;
  /** NaN: no pause. */
  pauseMs: number;
  isDisabled: boolean;
  /** NaN: no further run. */
  againMs: number;
}

function asksOf(
  schedule: ScheduleView,
  askedOf: Map<string, ControlAsked | undefined>,
  view: View,
  tell: Tell,
): Ask[] {
  const { policy, id } = schedule.seen;
  return attemptsOf(schedule).flatMap(({ run, attempt }) => {
    if (attempt.outcome !== 'response') return [];
    const asked = askedOf.get(`${run.id}/${attempt.number}`);
    const { isFaulty, ...control } = (policy?.obeyTarget !== false && asked) || {};
    const name = `${nameOf(id, run.at)}, attempt ${attempt.number},`;
    const isShown = textOf(attempt.control ?? {}) === textOf(control);
    if (run.at <= view.until && (!isShown || attempt.hasControlFault !== (isFaulty === true)))
      tell(
        'controlDiffers',
        `${name} shows ${textOf(attempt.control ?? {})} of ${textOf(control)}.`,
      );
    const at = endOf(attempt);
    const readBy = view.heldUntil(at, id);
    const { pauseSeconds = Number.NaN, disable = false, againSeconds = Number.NaN } = control;
    const spans = { pauseMs: pauseSeconds * 1_000, againMs: againSeconds * 1_000 };
    const isAny = Object.keys(control).length > 0;
    return isAny ? [{ name, at, readBy, isDisabled: disable, ...spans }] : [];
  });
}

function textOf({ noRetry, pauseSeconds, disable, againSeconds }: ControlAsked): string {
  return JSON.stringify({ noRetry, pauseSeconds, disable, againSeconds });
}

/** An answer is read within this time, ms, by the clock of its node. */
const READ_MS = 2;

function isRead({ at, readBy }: Ask, instant: number, view: View): boolean {
  const nearMs = READ_MS + view.behindMs(instant, instant);
  return instant >= at - nearMs && instant <= readBy + nearMs;
}

/** A change that no caller made is one that an answer asked for. */
function checkChange(
  id: string,
  { at, is }: VersionSeen,
  before: VersionSeen | undefined,
  asks: Ask[],
  view: View,
  tell: Tell,
): void {
  if (before === undefined) return;
  const isAsked = asks.some(ask => {
    if (!isRead(ask, at, view)) return false;
    if (is.status !== before.is.status) return ask.isDisabled && is.status === 'disabled';
    return isRead(ask, (is.pausedUntil ?? 0) - ask.pauseMs, view);
  });
  if (!isAsked) tell('steeredUnasked', `Schedule ${id} was changed at ${iso(at)} as nobody asked.`);
}

/** An answer that asked for a pause or an end has changed its schedule, unless that had stopped for longer. */
function checkDone({ seen, spans }: ScheduleView, ask: Ask, view: View, tell: Tell): void {
  const { name, at, readBy, pauseMs, isDisabled } = ask;
  if (seen.versions === undefined || (!isDisabled && Number.isNaN(pauseMs))) return;
  const until = isDisabled ? Number.POSITIVE_INFINITY : at + pauseMs;
  const near = READ_MS + view.behindMs(at, at);
  const isStopped = spans.some(
    span => span.at <= readBy + near && span.stoppedUntil >= until - near,
  );
  const wasDisabled = isStoppedAt({ spans }, at - near);
  if (!isStopped && !wasDisabled)
    tell('steeredLost', `${name} asked for a stop until ${iso(until)}, which never came.`);
}

function isStoppedAt({ spans }: Pick<ScheduleView, 'spans'>, at: number): boolean {
  const span = spans.findLast(each => each.at <= at);
  return span !== undefined && span.stoppedUntil > at;
}

/** A further run comes, unless a newer one takes its place or the schedule stops; then it does not. */
function checkFurther(schedule: ScheduleView, ask: Ask, asks: Ask[], view: View, tell: Tell): void {
  const { seen, further, spans } = schedule;
  const { name, at, readBy, againMs } = ask;
  const againAt = at + againMs;
  if (Number.isNaN(againAt) || againAt > view.until || isOver(schedule, readBy)) return;
  // Several may be due within some ms: the nearest is meant.
  const [run] = further
    .filter(each => isRead(ask, each.at - againMs, view))
    .toSorted((a, b) => Math.abs(a.at - againAt) - Math.abs(b.at - againAt));
  if (isStoppedAt(schedule, at)) return;
  if (run === undefined) {
    tell('furtherLost', `${name} asked for a further run at ${iso(againAt)}, which is not there.`);
    return;
  }
  const newer = asks.filter(each => each.at > at && !Number.isNaN(each.againMs));
  const stops = spans.filter(span => span.at >= at && span.stoppedUntil > span.at);
  const stoppedAt = Math.min(...stops.map(each => each.at));
  const droppedAt = Math.min(stoppedAt, ...newer.map(each => each.at));
  const droppedBy = Math.min(stoppedAt, ...newer.map(each => each.readBy));
  const startedAt = run.attempts[0]?.startedAt ?? Number.NaN;
  // Another one may be meant that is due within the same ms.
  const nearMs = READ_MS + view.behindMs(run.at, run.at);
  const isAlone = further.filter(each => Math.abs(each.at - run.at) <= nearMs).length === 1;
  if (!isAlone) return;
  if (startedAt > droppedBy + READ_MS + view.behindMs(droppedBy, startedAt)) {
    const when = `started at ${iso(startedAt)}, and was dropped at ${iso(droppedBy)}`;
    tell('furtherUnasked', `The further run ${nameOf(seen.id, run.at)} ${when}.`);
  }
  if (run.status !== 'skipped') return;
  const freeAt = freeFrom(run, schedule, view);
  const lateMs = isFree(freeAt, seen.id, view) ? view.lateMs : Number.POSITIVE_INFINITY;
  if (droppedAt > freeAt + lateMs)
    tell('furtherLost', `The further run ${nameOf(seen.id, run.at)} was skipped.`);
}

/** Its schedule may have completed by then, or was deleted. */
function isOver({ seen }: ScheduleView, at: number): boolean {
  const { status = 'enabled', updatedAt = null } = seen.planned ?? {};
  return status !== 'enabled' && updatedAt !== null && updatedAt <= at;
}

/** From when no request of its schedule is in its way: one of them is in flight, or waits for its connection. */
function freeFrom({ at }: RunSeen, schedule: ScheduleView, { connectMs }: View): number {
  let freeAt = at;
  for (const each of attemptsOf(schedule))
    if (each.attempt.startedAt - connectMs <= freeAt)
      freeAt = Math.max(freeAt, inTheWayUntil(each));
  return freeAt;
}

/** Whether what was due was to start within a second. */
function isFree(at: number, scheduleId: string, view: View): boolean {
  return view.isUndisturbed(at, at + 1_000, scheduleId);
}

/** When further runs go on, or are to come. */
export function furtherAfter({ further }: ScheduleView, at: number): RunSeen | undefined {
  return further.find(run => hasBegun(run) && run.finishedAt > at);
}
