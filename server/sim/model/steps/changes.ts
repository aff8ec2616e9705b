import type { Run } from '@punctual/client';
import { dueTimes } from '../calendar/due-times.ts';
import type { Arrival, ChangeSeen, Content, ScheduleSeen, VersionSeen } from '../evidence.ts';
import type { Window } from '../rules/cuts.ts';
import {
  furthestAhead,
  iso,
  nameOf,
  offsetAt,
  type Span,
  type Step,
  type StepSlack,
  type Tell,
} from './rules.ts';

/** What callers change while the clock is set: all instants are epoch ms of the machine, but nominal times. */

/** A version of a schedule. In between it and the one after it nobody knows which of the two is in force. */
export interface Held {
  is: Content;
  /** Its date by the clock of then: what the service counts it from. */
  datedAt: number;
  /** When its change was asked for, and answered. */
  mayFrom: number;
  from: number;
  /** The same of the change after it; Infinity: there is none. */
  to: number;
  mayTo: number;
}

/**
 * @param stalls a machine that stands still writes a change later than its caller waits
 * @returns the versions of a schedule that callers have changed, in their order; none of one that nobody has changed
 */
export function heldOf(
  { versions = [], changes = [] }: ScheduleSeen,
  createdBy: number,
  { stalls, settleMs }: { stalls: Window[] } & StepSlack,
): Held[] {
  const spanOf = (number: number) => {
    const change = changes.find(each => each.number === number);
    if (change?.during === undefined || wasAnswered(change)) return change?.during;
    const { from, to } = change.during;
    const late = stalls.filter(stall => stall.from <= to && to <= stall.to);
    return { from, to: Math.max(to, ...late.map(stall => stall.to + settleMs)) };
  };
  return versions.map(({ change, at: datedAt, is }, index) => {
    const { from: mayFrom, to: from } = spanOf(change) ?? { from: 0, to: createdBy };
    const next = versions[index + 1];
    const after = next === undefined ? undefined : spanOf(next.change);
    const { from: to, to: mayTo } = after ?? { from: Infinity, to: Infinity };
    return { is, datedAt, mayFrom, from, to, mayTo };
  });
}

interface Judged extends StepSlack {
  steps: Step[];
}

/** @param own requests of its nominal times */
export function checkChanged(
  { id, versions = [], changes = [] }: ScheduleSeen,
  held: Held[],
  { own, manual }: { own: Arrival[]; manual: Arrival[] },
  judged: Judged,
  tell: Tell,
): void {
  for (const change of changes) {
    if (wasAnswered(change) && !isThere(change, versions))
      tell('changeLost', `Change ${change.number} of schedule ${id} was answered, and is lost.`);
  }
  for (const arrival of own) {
    if (arrival.attempt === 1 && !held.some(each => isOf(arrival, each, judged)))
      tell('notDue', `${nameOf(id, arrival.scheduledFor)} came, and was not due.`);
  }
  for (const each of held) {
    const arrivals = each.is.status === 'deleted' ? [...own, ...manual] : own;
    const started = arrivals.find(arrival => isStopped(arrival, each, judged));
    if (started === undefined) continue;
    const name = nameOf(id, started.scheduledFor);
    tell('firedStopped', `${name} came at ${iso(started.at)}, and its schedule was stopped.`);
  }
}

/** A schedule is deleted once, whoever else asks for that. */
function isThere({ number, isDeleted }: ChangeSeen, versions: VersionSeen[]): boolean {
  if (isDeleted) return versions.at(-1)?.is.status === 'deleted';
  return versions.some(({ change }) => change === number);
}

function wasAnswered({ told, isDeleted }: ChangeSeen): boolean {
  return told !== null || isDeleted;
}

function isOf({ scheduledFor, at }: Arrival, { is, mayFrom, mayTo }: Held, { leftMs }: Judged) {
  if (is.status !== 'enabled' || at < mayFrom || at > mayTo + leftMs) return false;
  return dueTimes(is.interval, is.timezone, scheduledFor - 1, scheduledFor).length === 1;
}

function isStopped({ at }: Arrival, { is, from, to }: Held, { steps, leftMs }: Judged): boolean {
  if (at - leftMs <= from || at >= to) return false;
  if (is.status !== 'enabled') return true;
  return at + furthestAhead(steps, at, leftMs) < (is.pausedUntil ?? 0);
}

/** Whether its target answers at once. */
export function isPrompt({ url }: Content): boolean {
  return /\/(ok|fail)$/.test(url);
}

/** Whether a time came before by a clock that was ahead, and was sent to a target of then that took no connection. */
export function wasRefused(
  time: number,
  runs: Run[],
  held: Held[],
  { steps, leftMs }: Judged,
): boolean {
  const run = runs.find(
    ({ trigger, scheduledFor }) => trigger === 'schedule' && Date.parse(scheduledFor) === time,
  );
  const refused = run?.attempts.filter(({ outcome }) => outcome === 'connectionError') ?? [];
  const startedAt = refused.flatMap(attempt =>
    steps.flatMap(({ at: from, offsetMs }, index) => {
      const at = Date.parse(attempt.startedAt) - offsetMs;
      const to = (steps[index + 1]?.at ?? Number.POSITIVE_INFINITY) + leftMs;
      return at >= from && at <= to ? [at] : [];
    }),
  );
  const others = held.filter(({ is }) => !isPrompt(is));
  return startedAt.some(at =>
    others.some(({ mayFrom, mayTo }) => at >= mayFrom && at <= mayTo + leftMs),
  );
}

/** Whether the store let a process count its rows anew within a span. One that stands still until the end of the process does not. */
export function couldCount(
  { from, to }: Span,
  { stalls, lookMs }: { stalls: Window[] } & StepSlack,
): boolean {
  let at = from;
  for (const stall of stalls.toSorted((a, b) => a.from - b.from)) {
    if (stall.from <= at) at = Math.max(at, stall.to + lookMs);
  }
  return at < to;
}

/** A change that is dated by a clock that was set back since counts from its date, until the row is looked at. */
const RECOUNTED_MS = 2_000;

/**
 * The times of the last version that must be on record: the clock has come to them since, from below, and a process has seen it.
 *
 * @param spans in which a process had looked at its clock
 */
export function owedOf(
  createdAt: number,
  held: Held[],
  spans: Span[],
  judged: Judged & { stalls: Window[]; since: number; until: number },
): number[] {
  const { is, datedAt, from } = held.at(-1)!;
  if (is.status !== 'enabled') return [];
  const { steps, since, until } = judged;
  const seen = spans.filter(span => span.to > from && couldCount(span, judged));
  const shown = seen.flatMap(span => {
    const at = Math.max(span.from, from);
    const isBack = at + span.offsetMs < datedAt;
    return isBack && span.to - at < RECOUNTED_MS ? [] : [at + span.offsetMs];
  });
  const madeAt = Math.max(from + offsetAt(from, steps), datedAt);
  const lowest = Math.max(since, Math.min(madeAt, ...shown));
  // Nobody knows when it was made, but the service: a store that refuses puts that off.
  const after = held.length === 1 ? Math.max(lowest, createdAt) : lowest;
  const times = dueTimes(is.interval, is.timezone, after, until);
  return times.filter(time => time >= (is.pausedUntil ?? 0));
}
