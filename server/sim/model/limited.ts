import type { Run } from '@punctual/client';
import type { Arrival, DestinationSeen, Evidence, Life, LimitsSeen } from './evidence.ts';
import { RECOVERY_MS } from './rules/cuts.ts';

/** What limits of destinations let through, and when they were in the way. Instants are epoch ms. */

/** A destination that schedules name, with all requests that went to it. */
export interface Limited {
  name: string;
  /** By their instants. */
  arrivals: Arrival[];
  /** How many schedules name it. */
  schedules: number;
  /** All limits that it has had, each with the span in which it may have been in force. */
  spans: LimitsSpan[];
  /** Those that may have been in force at some instant between the two, both inclusive. */
  within(from: number, to: number): LimitsSeen['limits'][];
  /** When a process began: it knows of no request before. One that goes on after a pause does. */
  starts: number[];
  /** The spans in which a request could have started, as far as limits go, so long that what waits has started in them. */
  open: { from: number; to: number }[];
}

interface LimitsSpan {
  limits: LimitsSeen['limits'];
  from: number;
  to: number;
}

/** By the names of destinations. */
export function limitedOf(evidence: Evidence, startsWithinMs: number): Map<string, Limited> {
  const { destinations = [], schedules, lives, arrivals } = evidence;
  const starts = startsOf(lives);
  const all = destinations.map(seen => {
    const names = schedules.filter(({ destination }) => destination === seen.name);
    const ids = new Set(names.map(({ id }) => id));
    const own = arrivals.filter(({ scheduleId }) => ids.has(scheduleId));
    const spans = spansOf(seen);
    const limited = {
      name: seen.name,
      schedules: ids.size,
      arrivals: own.toSorted((a, b) => a.at - b.at),
      spans,
      within: withinOf(spans),
      starts,
    };
    const sent = [...limited.arrivals, ...unseenOf(evidence, ids)].toSorted((a, b) => a.at - b.at);
    return [
      seen.name,
      {
        ...limited,
        open: openOf(limited, sent, claimsOf(evidence, ids), evidence, startsWithinMs),
      },
    ] as const;
  });
  return new Map(all);
}

/** Where one process is there at a time, each life is one. */
function startsOf(lives: Life[]): number[] {
  const firsts = lives.filter(
    ({ node }, index) =>
      node === undefined || lives.findIndex(life => life.node === node) === index,
  );
  return firsts.map(({ spawnedAt }) => spawnedAt);
}

export function limitChangesOf({ destinations = [] }: Evidence) {
  const changes = destinations.flatMap(({ versions }) => versions);
  return changes.map(({ askedAt, answeredAt }) => {
    return { at: askedAt, writtenBy: answeredAt ?? askedAt };
  });
}

/** Requests that got no connection: their target has not seen them. */
function unseenOf({ runs }: Evidence, ids: Set<string>): Sent[] {
  const attempts = runs.flatMap(run => (ids.has(run.scheduleId) ? run.attempts : []));
  const failed = attempts.filter(({ outcome }) => outcome === 'connectionError');
  return failed.map(({ startedAt, durationMs = 0 }) => {
    const at = Date.parse(startedAt);
    return { at, endedAt: at + durationMs };
  });
}

type Sent = Pick<Arrival, 'at' | 'endedAt'>;

/** From when requests were claimed, at the latest, until they left; those that did not are claimed once as well. */
function claimsOf({ runs }: Evidence, ids: Set<string>): Claimed[] {
  const own = runs.filter(({ scheduleId }) => ids.has(scheduleId)).map(spanOf);
  const runsOf = Map.groupBy(own, ({ scheduleId }) => scheduleId);
  return own.flatMap(run => {
    const { at, startedAt } = run;
    const freeAt = freeFrom(run, runsOf.get(run.scheduleId)!);
    // What passes behind a run is not claimed.
    if (startedAt === undefined && freeAt > at) return [];
    const first = { at: freeAt, leftAt: Math.max(freeAt, startedAt ?? at) };
    return [first, ...run.retriesAt.map(retryAt => ({ at: retryAt, leftAt: retryAt }))];
  });
}

/** From when on a run could be claimed: no other one of its schedule was going. */
function freeFrom(run: RunSpan, all: RunSpan[]): number {
  const { at, startedAt: leftAt = at } = run;
  const isBefore = (other: RunSpan) => other !== run && (other.startedAt ?? Infinity) <= leftAt;
  const ends = all.filter(other => isBefore(other) && other.endedAt > at);
  return Math.max(at, ...ends.map(({ endedAt }) => endedAt));
}

function spanOf({ scheduleId, scheduledFor, attempts, finishedAt }: Run) {
  const [startedAt, ...retriesAt] = attempts.map(each => Date.parse(each.startedAt));
  const endedAt = finishedAt === undefined ? Infinity : Date.parse(finishedAt);
  return { scheduleId, at: Date.parse(scheduledFor), startedAt, retriesAt, endedAt };
}

type RunSpan = ReturnType<typeof spanOf>;

interface Claimed {
  at: number;
  leftAt: number;
}

/** A claim brings the limits as they are then. A change takes back what waits, and that is claimed anew. */
function learnedAt(changedAt: number, claims: Claimed[]): number {
  const after = claims.filter(({ leftAt }) => leftAt >= changedAt);
  return Math.min(...after.map(({ at }) => Math.max(at, changedAt)));
}

/** One that was not answered may be in force until one that comes after it is. */
function spansOf({ versions }: DestinationSeen): LimitsSpan[] {
  return versions.map(({ limits, askedAt }, index) => {
    const later = versions.slice(index + 1).map(({ answeredAt }) => answeredAt ?? Infinity);
    return { limits, from: askedAt, to: Math.min(Infinity, ...later) };
  });
}

function withinOf(spans: LimitsSpan[]): Limited['within'] {
  return (from, to) =>
    spans.filter(span => span.from <= to && span.to >= from).map(({ limits }) => limits);
}

/** So fine is it looked at. */
const STEP_MS = 10;

/**
 * Goes through all instants of the world, and counts as strictly as the limits may have been. While nobody is up, or the store
 * cannot be reached, nothing is claimed.
 */
function openOf(
  { within, starts }: Pick<Limited, 'within' | 'starts'>,
  sent: Sent[],
  claims: Claimed[],
  { lives, stalls, until }: Evidence,
  startsWithinMs: number,
): Limited['open'] {
  const open: Limited['open'] = [];
  let tokens = 0;
  let next = 0;
  let begun = 0;
  let known = Infinity;
  let rateBefore = Infinity;
  let learnsAt = 0;
  let since: number | null = null;
  const close = (at: number) => {
    if (since !== null && at - since > startsWithinMs) open.push({ from: since, to: at });
    since = null;
  };
  let going: Sent[] = [];
  const isUp = (at: number) =>
    lives.some(({ readyAt, end }) => (readyAt ?? Infinity) <= at && (end?.from ?? Infinity) > at) &&
    !stalls.some(({ from, to }) => from <= at && to + RECOVERY_MS >= at);
  const begin = Math.min(...lives.map(({ spawnedAt }) => spawnedAt));
  let before: LimitsSeen['limits'][] = [];
  for (let at = begin; at <= until; at += STEP_MS) {
    const limits = within(at - STEP_MS, at);
    const isNew = starts.some(start => start > at - STEP_MS && start <= at);
    const rate = Math.min(...limits.map(each => each?.perSecond ?? Infinity));
    if (isNew) known = Infinity;
    // It learns of limits that were raised meanwhile when it fires again, with the first request.
    if (rate > known && rate !== rateBefore) learnsAt = learnedAt(at - STEP_MS, claims);
    rateBefore = rate;
    const perSecond = isUp(at) && learnsAt <= at ? rate : Math.min(rate, known);
    known = perSecond;
    const most = Math.max(1, perSecond);
    const lived = lives.filter(({ spawnedAt }) => spawnedAt <= at).length;
    // What waits is claimed anew.
    if (lived > begun || !isSame(limits, before)) close(at);
    before = limits;
    begun = lived;
    tokens = isNew ? most : Math.min(most, tokens + (STEP_MS * perSecond) / 1_000);
    for (; next < sent.length && sent[next]!.at <= at; next += 1) {
      tokens -= 1;
      going.push(sent[next]!);
    }
    going = going.filter(({ endedAt }) => endedAt > at - STEP_MS);
    const mostGoing = Math.min(...limits.map(each => each?.maxConcurrent ?? Infinity));
    if (tokens >= 1 && going.length < mostGoing && isUp(at)) since ??= at;
    else close(at);
  }
  close(until);
  return open;
}

function isSame(limits: unknown[], before: unknown[]): boolean {
  return limits.length === before.length && limits.every((each, i) => each === before[i]);
}

/**
 * Whether limits explain that a request which could start at `from` had not by `to`: they were in the way all the while, or it was put
 * off because more were waiting than they let through soon.
 *
 * @param waitsSince limits that were in force then may have put it off
 */
export function holdsBack(
  limited: Limited,
  from: number,
  to: number,
  startsWithinMs: number,
  waitsSince = from,
): boolean {
  if (wasPutOff(limited, from, to)) return true;
  return limited.open.every(span => {
    const since = Math.max(span.from, from);
    const least = Math.min(span.to, to);
    if (least - since <= startsWithinMs) return true;
    return (
      putOffMs(limited, waitsSince, least) >= least - Math.max(from, lastClosed(limited, since))
    );
  });
}

/** When limits were in the way for the last time, at `at` or before. */
function lastClosed({ open }: Limited, at: number): number {
  return open.find(span => span.from <= at && span.to > at)?.from ?? at;
}

const SOON_SECONDS = 5;
const PUT_OFF_MS = 5_000;
const MOST_PUT_OFF_MS = 30_000;

/** Whether limits that were in force before `from` may have put it off: raised ones count for it when it returns. */
function wasPutOff({ spans, schedules }: Limited, from: number, to: number): boolean {
  const before = spans.filter(span => span.from <= from);
  return before.some(span => Math.min(span.to, from) + putOffBy(span.limits, schedules) >= to);
}

function putOffMs({ within, schedules }: Limited, from: number, to: number): number {
  return Math.max(0, ...within(from, to).map(limits => putOffBy(limits, schedules)));
}

/** How long a request may be put off; 0 where no more were waiting than limits let through soon. */
function putOffBy(limits: LimitsSeen['limits'], schedules: number): number {
  const { maxConcurrent = Infinity, perSecond = Infinity } = limits ?? {};
  const isMany = schedules > Math.min(2 * maxConcurrent, perSecond * SOON_SECONDS);
  if (!isMany) return 0;
  const turnsMs = perSecond === Infinity ? PUT_OFF_MS : (schedules / perSecond) * 1_000;
  return Math.min(Math.max(turnsMs, 1_000), MOST_PUT_OFF_MS);
}
