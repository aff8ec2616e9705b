import { openPause } from '../calendar/changed-times.ts';
import type { ChangeSeen, Content, VersionSeen } from '../evidence.ts';
import type { Tell } from './rule.ts';
import { nameOf, wasTakenBack } from './times.ts';
import { iso, type RunSeen, type ScheduleView, type View } from './view.ts';

/** What callers changed: it is there, nothing else is, and what was stopped has stopped. */
export function checkChanges(view: View, tell: Tell): void {
  for (const schedule of view.schedules) {
    const { id, versions = [], changes = [] } = schedule.seen;
    for (const change of changes) {
      if (isThere(change, versions)) checkStopped(schedule, change, view, tell);
      else
        tell('changeLost', `Change ${change.number} of schedule ${id} was answered, and is lost.`);
      checkNamed(id, change, versions, tell);
      checkRefused(id, change, schedule.seen, view, tell);
    }
    for (const [index, version] of versions.entries()) {
      const before = versions[index - 1];
      if (before === undefined || version.isByTarget) continue;
      if (wasAsked(before, version, changes, view)) continue;
      tell('changeUnasked', `Schedule ${id} was changed at ${iso(version.at)} as nobody asked.`);
    }
  }
}

function isThere({ told, endedAt, isDeleted }: ChangeSeen, versions: VersionSeen[]): boolean {
  if (isDeleted) return versions.at(-1)?.is.status === 'deleted';
  if (told === null) return true;
  // An answer leaves out a pause that is over.
  return versions.some(({ at, is }) => at === told.at && isSame(is, told.is, endedAt));
}

/**
 * The place of a version is its number less one: so the one before it has its place as number. A deletion of what was deleted
 * already makes no version, and names the last one.
 */
function checkNamed(
  id: string,
  { number, told, isDeleted, match }: ChangeSeen,
  versions: VersionSeen[],
  tell: Tell,
): void {
  if (match === undefined || (told === null && !isDeleted)) return;
  const isLate = isDeleted && versions.at(-1)?.change !== number;
  const last = isLate ? versions.length : versions.length - 1;
  const made = isDeleted ? last : versions.findIndex(({ at }) => at === told!.at);
  if (made === -1 || made === match) return;
  tell('overwritten', `Change ${number} of schedule ${id} names version ${match}, not ${made}.`);
}

function checkRefused(
  id: string,
  change: ChangeSeen,
  seen: ScheduleView['seen'],
  view: View,
  tell: Tell,
): void {
  const { number, askedAt, endedAt, match, refusedWith } = change;
  const { client, versions = [], changes = [] } = seen;
  // Who may call is asked elsewhere, where there are several clients.
  if (refusedWith === STOPPED && client !== undefined) return;
  if (refusedWith === undefined || refusedWith >= 500) return;
  // Its instant may be later than its answer, as that of any change.
  const latest = endedAt + changes.length + view.behindMs(askedAt, endedAt);
  const was = versions.filter(({ at }) => at <= latest);
  const isGone = match !== undefined && was.length > match;
  const isDeleted = was.at(-1)?.is.status === 'deleted';
  if ((refusedWith === GONE && isGone) || (refusedWith === DELETED && isDeleted)) return;
  if (refusedWith === UNFIT && isAstray(seen, change, view)) return;
  const of = match === undefined ? '' : ` of version ${match}`;
  tell('changeRefused', `Change ${number}${of} of schedule ${id} was refused with ${refusedWith}.`);
}

/** Whether it was made just as its destination was deleted, and that is not there again: neither call knew of the other one. */
function isAstray(
  { destination, versions: [made] = [] }: ScheduleView['seen'],
  { askedAt, endedAt }: ChangeSeen,
  { limited }: View,
): boolean {
  const limits = limited.get(destination ?? '');
  if (limits === undefined || made === undefined) return false;
  const isGone = (from: number, to: number) => limits.within(from, to).includes(null);
  return isGone(made.at, made.writtenBy) && isGone(askedAt, endedAt);
}

/** Its client is stopped; the version is no longer there; the schedule is deleted; there is no such destination. */
const STOPPED = 401;
const GONE = 412;
const DELETED = 400;
const UNFIT = 400;

function wasAsked(
  before: VersionSeen,
  { change, at, is }: VersionSeen,
  changes: ChangeSeen[],
  { apartMs, behindMs, heardBy, stalls }: View,
): boolean {
  return changes.some(({ number, askedAt, endedAt, fields, told }) => {
    // Who waits no more may have asked a node that is frozen, and whose store is slow as it goes on.
    const goesOnBy = heardBy(endedAt);
    const writtenBy = told === null ? afterStalls(goesOnBy, stalls) : goesOnBy;
    // Of two changes within one ms the later one says the next ms.
    const latest = writtenBy + changes.length + apartMs;
    const earliest = askedAt - behindMs(askedAt, endedAt);
    const isMeant = number === change && earliest <= at && at <= latest;
    return isMeant && isSame(is, { ...before.is, ...fields }, at);
  });
}

function afterStalls(instant: number, stalls: View['stalls']): number {
  const within = stalls.filter(({ from, to }) => from <= instant && to >= instant);
  return Math.max(instant, ...within.map(({ to }) => to));
}

/** @param at a pause that is over by then is none */
function isSame(one: Content, other: Content, at: number): boolean {
  const textOf = (content: Content) => {
    const { url, interval, timezone, status } = content;
    return JSON.stringify([url, interval, timezone, status, openPause(content, at)]);
  };
  return textOf(one) === textOf(other);
}

/** Once a change was answered that stops the schedule, nothing of it starts until another one lets it go on. */
function checkStopped(
  schedule: ScheduleView,
  { number, endedAt, told, isDeleted }: ChangeSeen,
  view: View,
  tell: Tell,
): void {
  const heardBy = view.heardBy(endedAt);
  const { seen, runs, manual, spans } = schedule;
  const span = spans.find(each => (isDeleted ? each.isDeleted : each.at === told?.at));
  if (span === undefined || span.stoppedUntil <= heardBy) return;
  const until = Math.min(span.overFrom, span.stoppedUntil);
  // A manual run is never claimed ahead of its time.
  const mayCount = (run: RunSeen, index: number) =>
    run.trigger === 'schedule' && wasTakenBack(run, schedule, index);
  const started = (run: RunSeen) =>
    run.attempts.find(
      ({ startedAt }, index) => startedAt > heardBy && startedAt < until && !mayCount(run, index),
    );
  for (const run of isDeleted ? [...runs, ...manual] : runs) {
    const attempt = started(run);
    if (attempt === undefined) continue;
    const when = `started at ${iso(attempt.startedAt)}, after change ${number} had stopped it`;
    tell('firedStopped', `${nameOf(seen.id, run.at)} ${when}.`);
  }
}
