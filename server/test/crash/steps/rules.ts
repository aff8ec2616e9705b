import type { Run } from '@punctual/client';
import { dueTimes } from '../../../sim/model/calendar/due-times.ts';
import type { Arrival, CallbackArrival, Life, ScheduleSeen } from '../../../sim/model/evidence.ts';
import type { Stall } from '../stall.ts';
import type { Step } from './faked-clock.ts';

/**
 * The checker of a service whose clock was stepped, ahead and back, and that was killed between.
 *
 * Pure, and it shares no code with the engine. Instants are epoch ms: those of requests, kills and steps by
 * the machine's clock, nominal times by the service's.
 */
export const RULES = {
  early: 'No request starts before its nominal time, by the clock of the service.',
  sentTwice:
    'No nominal time is sent twice, but after a kill, as a retry, and under one webhook-id.',
  fence: 'Each attempt of a schedule has a greater fence than all before it.',
  silent: 'A time that comes while the service is up, and was never sent, fires.',
  unrecorded: 'In the end every nominal time has its record.',
  recordedTwice: 'No nominal time has two records.',
  arrivalUnrecorded: 'Every request that the target saw is an attempt in history.',
  attemptUnseen: 'Every attempt that was answered was seen by the target.',
  unfinished: 'Every run that has begun comes to its end.',
  callbackLost: 'Every run that failed has called back, whatever the clock said when it ended.',
  notUpcoming: 'Explain calls an instant ahead upcoming.',
  stepsMiscounted: 'Every step of more than a second is counted, and nothing else.',
} as const;

export type Rule = keyof typeof RULES;

export interface Violation {
  rule: Rule;
  sentence: string;
}

export interface StepEvidence {
  schedules: ScheduleSeen[];
  lives: Life[];
  steps: Step[];
  /** When the machine stood still. */
  stalls: Stall[];
  arrivals: Arrival[];
  callbacks: CallbackArrival[];
  /** As `GET /v1/run` tells them in the end, those of times to come included. */
  runs: Run[];
  /** What explain said of an instant that was still to come. */
  explained: { at: number; verdict: string }[];
  /** For each life that was asked: the steps that it counted, and those that were made in it. */
  counted: { told: number; made: number }[];
  /** Schedules whose target answers at once: nothing but the clock may keep these from firing. */
  prompt: Set<string>;
  /** Nominal times up to here must be on record. */
  until: number;
}

type Tell = (rule: Rule, sentence: string) => void;

/** How long a service may take after its start, a step or a stall until it has looked at every schedule. */
export const LOOK_MS = 3_000;
/** How long after its time a request may still be on its way to the target. */
const ON_ITS_WAY_MS = 1_500;
/** From an answer to the commit that settles it: a kill between the two has the request sent again. */
const SETTLE_MS = 3_000;

export function check(evidence: StepEvidence): Violation[] {
  const violations: Violation[] = [];
  const tell: Tell = (rule, sentence) => violations.push({ rule, sentence });
  const arrivalsOf = Map.groupBy(evidence.arrivals, ({ scheduleId }) => scheduleId);
  const runsOf = Map.groupBy(evidence.runs, ({ scheduleId }) => scheduleId);
  const spans = steadySpans(evidence);
  for (const schedule of evidence.schedules) {
    const arrivals = arrivalsOf.get(schedule.id) ?? [];
    checkRecords(schedule, runsOf.get(schedule.id) ?? [], evidence, tell);
    checkFences(schedule.id, arrivals, tell);
    if (evidence.prompt.has(schedule.id)) checkSilence(schedule, arrivals, spans, evidence, tell);
    for (const same of Map.groupBy(arrivals, ({ scheduledFor }) => scheduledFor).values()) {
      checkOnce(same, evidence, tell);
    }
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

/** A span in which the service was up, had looked, and its clock went on without a step. */
export interface Span {
  from: number;
  to: number;
  offsetMs: number;
}

export function steadySpans({ lives, steps, until }: StepEvidence): Span[] {
  const spans: Span[] = [];
  for (const { readyAt, end } of lives) {
    if (readyAt === null) continue;
    const lifeEnd = end?.from ?? until;
    for (const [index, { at, offsetMs }] of steps.entries()) {
      const from = Math.max(readyAt, at) + LOOK_MS;
      const to = Math.min(lifeEnd, steps[index + 1]?.at ?? Number.POSITIVE_INFINITY, until);
      if (to > from) spans.push({ from, to, offsetMs });
    }
  }
  return spans;
}

function checkFences(id: string, arrivals: Arrival[], tell: Tell): void {
  let highest = 0;
  for (const { fence, at } of arrivals) {
    if (fence === undefined) continue;
    if (fence > highest) highest = fence;
    else tell('fence', `A request of schedule ${id} at ${iso(at)} has ${fence}, after ${highest}.`);
  }
}

function checkSilence(
  { id, interval, timezone, createdAt }: ScheduleSeen,
  arrivals: Arrival[],
  spans: Span[],
  evidence: StepEvidence,
  tell: Tell,
): void {
  const sent = new Set(arrivals.map(({ scheduledFor }) => scheduledFor));
  for (const { from, to, offsetMs } of spans) {
    const after = Math.max(from + offsetMs, createdAt);
    for (const time of dueTimes(interval, timezone, after, to + offsetMs - ON_ITS_WAY_MS)) {
      if (sent.has(time) || wasBehind(time, offsetMs, evidence)) continue;
      if (stoodStill(time - offsetMs, evidence)) continue;
      tell('silent', `${nameOf(id, time)} came at ${iso(time - offsetMs)}, and was never sent.`);
    }
  }
}

/** Whether the service was late with others of that time or the next: a busy machine is no silence. */
function wasBehind(time: number, offsetMs: number, { arrivals }: StepEvidence): boolean {
  return arrivals.some(({ scheduledFor, at }) => {
    const isNear = scheduledFor >= time && scheduledFor <= time + 2_000;
    return isNear && Math.abs(at + offsetMs - scheduledFor - 1_000) < 500;
  });
}

/** Whether the machine stood still around that instant: of the times that passed meanwhile the last fires. */
function stoodStill(instant: number, { stalls }: StepEvidence): boolean {
  return stalls.some(({ from, to }) => instant >= from - ON_ITS_WAY_MS && instant <= to + LOOK_MS);
}

function checkRecords(schedule: ScheduleSeen, runs: Run[], { until }: StepEvidence, tell: Tell) {
  const { id, interval, timezone, createdAt } = schedule;
  const due = dueTimes(interval, timezone, createdAt, until);
  const records = new Map<number, number>();
  for (const { trigger, scheduledFor, missedCount, from, to } of runs) {
    if (trigger !== 'schedule') continue;
    const times =
      missedCount === undefined
        ? [Date.parse(scheduledFor)]
        : due.filter(time => time >= Date.parse(from!) && time <= Date.parse(to!));
    for (const time of times) records.set(time, (records.get(time) ?? 0) + 1);
  }
  for (const time of due) {
    const count = records.get(time) ?? 0;
    if (count === 0) tell('unrecorded', `${nameOf(id, time)} has no record.`);
    if (count > 1) tell('recordedTwice', `${nameOf(id, time)} has ${count} records.`);
  }
}

/** @param same all requests of one nominal time of one schedule, in the order in which they came */
function checkOnce(same: Arrival[], { lives, steps }: StepEvidence, tell: Tell): void {
  const name = nameOf(same[0]!.scheduleId, same[0]!.scheduledFor);
  for (const [index, arrival] of same.entries()) {
    const clock = arrival.at + furthestAhead(steps, arrival.at);
    if (clock < arrival.scheduledFor) tell('early', `${name} came at ${iso(clock)}.`);
    const before = same[index - 1];
    if (before === undefined) continue;
    const isRetry = before.status !== null && before.status >= 500;
    const wasCutOff = lives.some(
      ({ end }) =>
        end?.how === 'killed' &&
        end.from <= arrival.at &&
        end.to >= before.at &&
        (before.status === null || end.from <= before.endedAt + SETTLE_MS),
    );
    const isNext = arrival.attempt > before.attempt && arrival.webhookId === before.webhookId;
    if (!isNext || !(isRetry || wasCutOff)) {
      tell('sentTwice', `${name} came as attempt ${before.attempt} and ${arrival.attempt}.`);
    }
  }
}

/** What leaves just before a step arrives just after it. */
function furthestAhead(steps: Step[], at: number): number {
  const inForce = steps.filter(
    (step, index) =>
      step.at <= at && (steps[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= at - 500,
  );
  return Math.max(...inForce.map(({ offsetMs }) => offsetMs));
}

function checkRuns({ runs, arrivals, until }: StepEvidence, tell: Tell): void {
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
  for (const { webhookId, attempt, scheduleId, scheduledFor } of arrivals) {
    if (scheduledFor > until || known.has(`${webhookId} ${attempt}`)) continue;
    const name = nameOf(scheduleId, scheduledFor);
    tell('arrivalUnrecorded', `${name}: attempt ${attempt} came, and history has no such attempt.`);
  }
}

function checkCallbacks({ runs, callbacks, schedules }: StepEvidence, tell: Tell): void {
  const came = new Set(callbacks.map(({ runId }) => runId));
  const callers = new Set(schedules.filter(s => s.integrations.length > 0).map(({ id }) => id));
  for (const { id, scheduleId, status, scheduledFor } of runs) {
    if (status !== 'failed' || !callers.has(scheduleId) || came.has(id)) continue;
    const name = nameOf(scheduleId, Date.parse(scheduledFor));
    tell('callbackLost', `${name} failed, and no callback of it came.`);
  }
}

function nameOf(scheduleId: string, time: number): string {
  return `${iso(time)} of schedule ${scheduleId}`;
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
