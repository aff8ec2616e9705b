import type { Run } from '@punctual/client';
import { dueTimes } from '../calendar/due-times.ts';
import type { Arrival, CallbackArrival, Life, SaidSeen, ScheduleSeen } from '../evidence.ts';
import { mayCount } from '../rules/awaited.ts';
import type { Window } from '../rules/cuts.ts';
import { AGAIN_MS } from '../rules/times.ts';
import { checkChanged, type Held, heldOf, isPrompt, wasRefused } from './changes.ts';
import { checkRecords } from './records.ts';
import {
  furthestAhead,
  iso,
  nameOf,
  type Span,
  type Step,
  type StepSlack,
  type StepViolation,
  type Tell,
} from './rules.ts';
import { isUnknownSent } from './unknown-sent.ts';

/**
 * The checker of a service whose clock was stepped, ahead and back, and that was killed between.
 *
 * Pure, and it shares no code with the engine. Instants are epoch ms: those of requests, kills and steps by
 * the machine's clock, nominal times by the service's.
 */

export interface StepEvidence {
  schedules: ScheduleSeen[];
  lives: Life[];
  steps: Step[];
  /** When the machine, or the store, stood still. */
  stalls: Window[];
  arrivals: Arrival[];
  callbacks: CallbackArrival[];
  /** What targets said that had answered 202. */
  said: SaidSeen[];
  /** As `GET /v1/run` tells them in the end, those of times to come included. */
  runs: Run[];
  /** Those of them that retention took away, and when. */
  taken: Map<Run, number>;
  /** What explain said of an instant that was still to come. */
  explained: { at: number; verdict: string }[];
  /** For each life that was asked: the steps that it counted, and those that were made in it. */
  counted: { told: number; made: number }[];
  /**
   * Schedules whose target answers at once, and when they were asked for: nothing but the clock may keep these from firing
   * from then on.
   */
  prompt: Map<string, number>;
  /** Nominal times from here on, up to `until`, must be on record. */
  since: number;
  until: number;
}

export const STEPS_OF_PROCESSES: StepSlack = {
  lookMs: 3_000,
  onItsWayMs: 1_500,
  leftMs: 500,
  settleMs: 3_000,
  mayBeBusy: true,
};

type Judged = StepEvidence & StepSlack;

export function checkSteps(
  seen: StepEvidence,
  slack: StepSlack = STEPS_OF_PROCESSES,
): StepViolation[] {
  const violations: StepViolation[] = [];
  const tell: Tell = (rule, sentence) => violations.push({ rule, sentence });
  const evidence = { ...seen, ...slack };
  const manual = new Set(seen.runs.filter(run => run.trigger === 'manual').map(({ id }) => id));
  const arrivalsOf = Map.groupBy(evidence.arrivals, ({ scheduleId }) => scheduleId);
  const runsOf = Map.groupBy(evidence.runs, ({ scheduleId }) => scheduleId);
  const spans = steadySpans(evidence, slack);
  for (const schedule of evidence.schedules) {
    const arrivals = arrivalsOf.get(schedule.id) ?? [];
    const askedAt = evidence.prompt.get(schedule.id);
    // Nobody noted when another one was there: nothing is due of it before that, by the clock that made it.
    const dueFrom = askedAt ?? Math.max(schedule.createdAt, evidence.since);
    const held = heldOf(schedule, dueFrom, evidence);
    const runs = runsOf.get(schedule.id) ?? [];
    checkRecords(schedule, held, spans, runs, evidence, tell);
    const [asked, own] = [
      arrivals.filter(({ webhookId }) => manual.has(webhookId)),
      arrivals.filter(({ webhookId }) => !manual.has(webhookId)),
    ];
    if (held.length > 0) {
      checkChanged(schedule, held, { own, manual: asked }, evidence, tell);
      // One that was sent to another target before may still go on.
      const slow = own
        .map(arrival => ({ ...arrival, endedAt: worksUntil(arrival, schedule, evidence) }))
        .filter(({ at, endedAt }) => endedAt - at > slack.settleMs);
      for (const [version, within] of promptOf(schedule, held, spans))
        checkSilence(version, own, [...asked, ...slow], within, { runs, held }, evidence, tell);
    } else if (askedAt !== undefined)
      checkSilence(schedule, own, asked, spansFrom(askedAt, spans), NO_CHANGES, evidence, tell);
    checkEarly(own, evidence, tell);
    checkFences(schedule.id, arrivals, tell);
    for (const same of Map.groupBy(own, ({ scheduledFor }) => scheduledFor).values())
      checkOnce(same, evidence, tell);
    for (const same of Map.groupBy(asked, ({ webhookId }) => webhookId).values())
      checkOnce(same, evidence, tell);
  }
  checkRuns(evidence, tell);
  checkCallbacks(evidence, tell);
  for (const { at, verdict } of evidence.explained) {
    if (verdict !== 'upcoming') tell('notUpcoming', `${iso(at)} was ahead, and called ${verdict}.`);
  }
  for (const { told, made } of evidence.counted) {
    if (told !== made) tell('stepsMiscounted', `${made} steps were made, and ${told} counted.`);
  }
  return violations;
}

export function steadySpans(
  { lives, steps, until }: StepEvidence,
  { lookMs } = STEPS_OF_PROCESSES,
): Span[] {
  const spans: Span[] = [];
  for (const { readyAt, end } of lives) {
    if (readyAt === null) continue;
    const lifeEnd = end?.from ?? until;
    for (const [index, { at, offsetMs }] of steps.entries()) {
      const from = Math.max(readyAt, at) + lookMs;
      const to = Math.min(lifeEnd, steps[index + 1]?.at ?? Number.POSITIVE_INFINITY, until);
      if (to > from) spans.push({ from, to, offsetMs });
    }
  }
  return spans;
}

function spansFrom(instant: number, spans: Span[]): Span[] {
  return spans.map(span => ({ ...span, from: Math.max(span.from, instant) }));
}

/** The versions whose target answers at once, as schedules of their own, and when they were in force. */
function promptOf(schedule: ScheduleSeen, held: Held[], spans: Span[]): [ScheduleSeen, Span[]][] {
  const prompt = held.filter(({ is }) => is.status === 'enabled' && isPrompt(is));
  return prompt.map(({ is, from, to }) => {
    const { interval, timezone, pausedUntil = 0 } = is;
    const createdAt = Math.max(schedule.createdAt, pausedUntil - 1);
    const within = spansFrom(from, spans).map(span => ({ ...span, to: Math.min(span.to, to) }));
    return [{ ...schedule, interval, timezone, createdAt }, within];
  });
}

function checkFences(id: string, arrivals: Arrival[], tell: Tell): void {
  let highest = 0;
  for (const { fence, at } of arrivals) {
    if (fence === undefined) continue;
    if (fence > highest) highest = fence;
    else tell('fence', `A request of schedule ${id} at ${iso(at)} has ${fence}, after ${highest}.`);
  }
}

const NO_CHANGES = { runs: [], held: [] };

function checkSilence(
  { id, interval, timezone, createdAt }: ScheduleSeen,
  arrivals: Arrival[],
  manual: Arrival[],
  spans: Span[],
  { runs, held }: { runs: Run[]; held: Held[] },
  evidence: Judged,
  tell: Tell,
): void {
  const sent = new Set(arrivals.map(({ scheduledFor }) => scheduledFor));
  for (const { from, to, offsetMs } of spans) {
    const after = Math.max(from + offsetMs, createdAt);
    for (const time of dueTimes(interval, timezone, after, to + offsetMs - evidence.onItsWayMs)) {
      if (sent.has(time) || wasBehind(time, offsetMs, evidence)) continue;
      if (wasRefused(time, runs, held, evidence)) continue;
      const instant = time - offsetMs;
      if (gaveWay({ id, time, instant }, arrivals, evidence)) continue;
      if (stoodStill(instant, evidence) || wasBlocked(instant, manual, evidence)) continue;
      tell('silent', `${nameOf(id, time)} came at ${iso(instant)}, and was never sent.`);
    }
  }
}

/** Whether the service was late with others of that time or the next: a busy machine is no silence. */
function wasBehind(time: number, offsetMs: number, { arrivals, mayBeBusy }: Judged): boolean {
  if (!mayBeBusy) return false;
  return arrivals.some(({ scheduledFor, at }) => {
    const isNear = scheduledFor >= time && scheduledFor <= time + 2_000;
    return isNear && Math.abs(at + offsetMs - scheduledFor - 1_000) < 500;
  });
}

/** Whether the machine stood still around that instant: of the times that passed meanwhile the last fires. */
function stoodStill(instant: number, { stalls, onItsWayMs, lookMs }: Judged): boolean {
  return stalls.some(({ from, to }) => instant >= from - onItsWayMs && instant <= to + lookMs);
}

/** Whether another request was in the way: times that come during its request are skipped. */
function wasBlocked(instant: number, others: Arrival[], { onItsWayMs, settleMs }: Judged): boolean {
  return others.some(
    ({ at, endedAt }) => at - onItsWayMs <= instant && instant <= endedAt + settleMs,
  );
}

/** Whether history has skipped a time because the last retry of a run was in flight as it came. */
function gaveWay(
  { id, time, instant }: { id: string; time: number; instant: number },
  arrivals: Arrival[],
  evidence: Judged,
): boolean {
  const retries = arrivals.filter(({ attempt }) => attempt > 1);
  if (!wasBlocked(instant, retries, evidence)) return false;
  const isOfTime = (run: Run) => run.scheduleId === id && Date.parse(run.scheduledFor) === time;
  const record = evidence.runs.find(isOfTime);
  // Set back, the clock has it come again, and nothing is on record of it.
  return record === undefined ? time > evidence.until : record.status === 'skipped';
}

/** A target that answered 202 is at work, until its deadline at the latest. A clock that is set says nothing of its end. */
function worksUntil(arrival: Arrival, { policy }: ScheduleSeen, { runs, said }: Judged): number {
  const { endedAt, status, webhookId, attempt } = arrival;
  if (status !== 202 || policy?.completion === undefined) return endedAt;
  const run = runs.find(({ id }) => id === webhookId);
  const sent = run?.attempts.find(({ number }) => number === attempt);
  const longerMs = Date.parse(sent?.completion?.until ?? '') - Date.parse(sent?.startedAt ?? '');
  const deadline = endedAt + Math.max(policy.completion.deadlineSeconds * 1_000, longerMs || 0);
  return Math.max(deadline, askedUntil(arrival, said));
}

/** Until when a target asked for more time, unless it ended before that. */
function askedUntil({ webhookId, attempt }: Arrival, said: SaidSeen[]): number {
  const own = said.filter(each => each.runId === webhookId && each.attempt === attempt);
  const heard = own.filter(mayCount);
  const moved = heard.flatMap(({ extendSeconds, endedAt }) =>
    extendSeconds === null ? [] : [endedAt + extendSeconds * 1_000],
  );
  const ended = heard.filter(({ status, code }) => status !== null && code === 200);
  return Math.min(Math.max(...moved), ...ended.map(({ endedAt }) => endedAt));
}

function checkEarly(arrivals: Arrival[], { steps, leftMs }: Judged, tell: Tell): void {
  for (const { scheduleId, scheduledFor, at } of arrivals) {
    const clock = at + furthestAhead(steps, at, leftMs);
    if (clock < scheduledFor)
      tell('early', `${nameOf(scheduleId, scheduledFor)} came at ${iso(clock)}.`);
  }
}

/** @param same all requests of one run, in the order in which they came */
function checkOnce(same: Arrival[], evidence: Judged, tell: Tell): void {
  const name = nameOf(same[0]!.scheduleId, same[0]!.scheduledFor);
  for (const [index, arrival] of same.entries()) {
    const before = same[index - 1];
    if (before === undefined) continue;
    const isRetry =
      hasFailed(before, evidence) || (before.status !== null && isRetried(before.status));
    const wasCutOff = evidence.lives.some(
      ({ end }) =>
        end?.how === 'killed' &&
        end.from <= arrival.at &&
        end.to >= before.at &&
        (before.status === null || end.from <= settledBy(before, evidence)),
    );
    const isSame = arrival.webhookId === before.webhookId;
    const isAgain = isSame && arrival.attempt === before.attempt;
    if (isAgain && isUnknownSent(before, settledBy(before, evidence), evidence)) continue;
    const isNext = isSame && arrival.attempt > before.attempt;
    if (!isNext || !(isRetry || wasCutOff)) {
      tell('sentTwice', `${name} came as attempt ${before.attempt} and ${arrival.attempt}.`);
    }
  }
}

function isRetried(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** Whether a request without an answer was not cut off, but failed; or an answer that only promised one. */
function hasFailed({ webhookId, attempt }: Arrival, { runs }: Judged): boolean {
  const run = runs.find(({ id }) => id === webhookId);
  const outcome = run?.attempts.find(({ number }) => number === attempt)?.outcome;
  return outcome === 'timeout' || outcome === 'connectionError';
}

/** A store that stands still writes no end of a run, and what it refused is tried again. */
function settledBy({ endedAt }: Arrival, { stalls, settleMs }: Judged): number {
  let until = endedAt + settleMs;
  for (const { from, to } of stalls.toSorted((a, b) => a.from - b.from)) {
    if (from <= until && to > endedAt) until = Math.max(until, to + AGAIN_MS + settleMs);
  }
  return until;
}

function checkRuns(evidence: Judged, tell: Tell): void {
  const { runs, arrivals, until } = evidence;
  const seen = new Set(arrivals.map(a => `${a.webhookId} ${a.attempt}`));
  const known = new Set(
    runs.flatMap(run => run.attempts.map(({ number }) => `${run.id} ${number}`)),
  );
  for (const run of runs) {
    const time = Date.parse(run.scheduledFor);
    const hasEnded = run.status !== 'running' && run.status !== 'retrying';
    if (time <= until && !hasEnded) {
      tell('unfinished', `${nameOf(run.scheduleId, time)} is still ${run.status}.`);
    }
    for (const { number, outcome } of run.attempts) {
      if (outcome === 'response' && !seen.has(`${run.id} ${number}`)) {
        const name = nameOf(run.scheduleId, time);
        tell('attemptUnseen', `${name}: attempt ${number} was answered, and never came.`);
      }
    }
  }
  for (const arrival of arrivals) {
    const { webhookId, attempt, scheduleId, scheduledFor } = arrival;
    if (scheduledFor > until || known.has(`${webhookId} ${attempt}`)) continue;
    if (isUnknownSent(arrival, settledBy(arrival, evidence), evidence)) continue;
    const name = nameOf(scheduleId, scheduledFor);
    tell('arrivalUnrecorded', `${name}: attempt ${attempt} came, and history has no such attempt.`);
  }
}

function checkCallbacks({ runs, callbacks, schedules }: Judged, tell: Tell): void {
  const came = new Set(callbacks.map(({ runId }) => runId));
  const callers = new Set(schedules.filter(s => s.integrations.length > 0).map(({ id }) => id));
  for (const { id, scheduleId, status, scheduledFor } of runs) {
    if (status !== 'failed' || !callers.has(scheduleId) || came.has(id)) continue;
    const name = nameOf(scheduleId, Date.parse(scheduledFor));
    tell('callbackLost', `${name} failed, and no callback of it came.`);
  }
}
