import type { Run } from '@punctual/client';
import { dueTimes } from './model/calendar/due-times.ts';
import { check, type Figures, type Report } from './model/checker.ts';
import type { Evidence } from './model/evidence.ts';
import type { Violation } from './model/rules/rule.ts';
import type { Slack } from './model/rules/view.ts';
import { checkSteps, type StepEvidence } from './model/steps/checker.ts';
import type { StepSlack, StepViolation } from './model/steps/rules.ts';
import { MANY } from './profile.ts';
import type { ClockSeen } from './wall.ts';
import { CONNECT_MS } from './wire/network.ts';

/**
 * Which rules judge a world. Those of the crash test, unless the clock was set: they know one clock only, and there are others
 * for a clock that is stepped.
 */

export interface Judgement extends Omit<Report, 'violations'> {
  violations: (Violation | StepViolation)[];
}

const ALONE = { heardMs: 0, toldMs: 0, blindMs: 0, apartMs: 0 };
/** Nothing here is late by itself but the way to the store, and what waits for a connection. */
const EXACT = { slackMs: 0, graceMs: 0, connectMs: CONNECT_MS, lateMs: 100, ...ALONE };
/**
 * Nodes that share a store read its clock in whole ms, and look twice a second for what they were not told. They ask the store
 * about claims that are older than 100 ms. They agree that nobody looked where nobody did for 5 s.
 */
const OF_NODES = {
  ...EXACT,
  ...{
    slackMs: 1,
    heardMs: 500,
    toldMs: 100 + CONNECT_MS,
    blindMs: 5_000,
    apartMs: 1,
  },
};

/** The engine looks at its clock once a second. */
const LOOK_MS = 1_100;
const STEPS_EXACT: StepSlack = {
  lookMs: LOOK_MS,
  onItsWayMs: CONNECT_MS + 100,
  leftMs: CONNECT_MS + 1,
  settleMs: 100,
  mayBeBusy: false,
};

/** Instants and spans of real senders are rounded by themselves. Some requests wait for others of their host. */
const THROUGH_SOCKETS = { slackMs: 1 };
const NARROW = { ...THROUGH_SOCKETS, connectMs: 3_000 };

function slackOf({ shared, wire }: Evidence): Slack {
  const slack = shared ? OF_NODES : EXACT;
  if (wire === undefined) return slack;
  return { ...slack, ...(wire.connectionsPerOrigin < MANY ? NARROW : THROUGH_SOCKETS) };
}

/** @param clock null where nobody has set it */
export function judge(evidence: Evidence, clock: ClockSeen | null): Judgement {
  if (clock === null) return check(evidence, slackOf(evidence));
  const seen = steppedOf(evidence, clock);
  return { violations: checkSteps(seen, STEPS_EXACT), figures: figuresOf(evidence) };
}

function steppedOf(evidence: Evidence, clock: ClockSeen): StepEvidence {
  const { schedules, lives, stalls, suspensions = [], arrivals } = evidence;
  const [first] = clock.steps;
  return {
    schedules: schedules.filter(({ listed }) => listed),
    lives,
    steps: clock.steps,
    stalls: [...stalls, ...suspensions],
    arrivals,
    callbacks: evidence.callbackArrivals,
    said: evidence.said ?? [],
    runs: standingRuns(evidence, clock),
    explained: aheadOf(evidence),
    counted: countedOf(evidence, clock),
    prompt: clock.prompt,
    since: first!.at,
    until: evidence.until,
  };
}

/**
 * History without the times that come again. A clock that is set back shortens the records of what was never sent, but not those that
 * retention has taken away before: the world does that in its place.
 */
function standingRuns({ runs, pruned = [] }: Evidence, { steps }: ClockSeen): Run[] {
  const takenAt = new Map(pruned.map(({ run, trueAt }) => [run, trueAt]));
  return runs.flatMap(run => {
    const at = takenAt.get(run);
    if (at === undefined || run.attempts.length > 0) return [run];
    const shown = steps.filter(step => step.at >= at).map(step => step.at + step.offsetMs);
    const until = Math.min(...shown);
    if (Date.parse(run.scheduledFor) > until) return [];
    const isLonger = run.to !== undefined && Date.parse(run.to) > until;
    return [isLonger ? { ...run, to: new Date(until).toISOString() } : run];
  });
}

/** What was asked of times that were still to come, and that no change has made others. */
function aheadOf({ explained, schedules }: Evidence): StepEvidence['explained'] {
  const unchanged = schedules.filter(({ planned, changes }) => !planned && !changes);
  const byId = new Map(unchanged.map(schedule => [schedule.id, schedule]));
  return explained.filter(({ scheduleId, at, askedAt, answeredAt }) => {
    const schedule = byId.get(scheduleId);
    if (schedule === undefined || at <= Math.max(askedAt, answeredAt)) return false;
    return dueTimes(schedule.interval, schedule.timezone, at - 1, at).length === 1;
  });
}

/** Of each step that had the clock for itself, and of what was told without one. */
function countedOf({ lives, suspensions = [] }: Evidence, { steps, told }: ClockSeen) {
  const made = steps.slice(1).map(({ at, offsetMs }, index) => {
    return { at, byMs: offsetMs - steps[index]!.offsetMs };
  });
  const changes = [
    ...made.map(({ at }) => at),
    ...suspensions.flatMap(({ from, to }) => [from, to]),
  ];
  const isAlone = (at: number) =>
    changes.filter(other => Math.abs(other - at) <= LOOK_MS).length === 1;
  const wasSeen = (at: number) =>
    lives.some(({ readyAt, end }) => {
      return readyAt !== null && readyAt < at && (end?.from ?? Infinity) > at + LOOK_MS;
    });
  const toldAfter = (at: number) => told.filter(each => each >= at && each <= at + LOOK_MS).length;
  const counted = made
    .filter(({ at, byMs }) => Math.abs(byMs) > 1_000 && isAlone(at) && wasSeen(at))
    .map(({ at }) => ({ told: toldAfter(at), made: 1 }));
  // One that starts begins to look when it has started.
  const lookedBy = (at: number) =>
    lives.find(({ spawnedAt, end }) => spawnedAt <= at && (end?.to ?? Infinity) >= at)?.readyAt ??
    0;
  const isOwed = (at: number) =>
    changes.some(each => at >= each && at <= Math.max(each, lookedBy(each)) + LOOK_MS);
  const unasked = told.filter(at => !isOwed(at)).length;
  return [...counted, { told: unasked, made: 0 }];
}

function figuresOf({ schedules, runs, arrivals, callbackArrivals, lives }: Evidence): Figures {
  const attempts = runs.flatMap(run => run.attempts);
  const count = (status: string) => runs.filter(run => run.status === status).length;
  const lost = attempts.filter(({ outcome }) => outcome === 'lost').length;
  return {
    kills: lives.filter(({ end }) => end?.how === 'killed').length,
    schedules: schedules.length,
    due: runs.length,
    requests: arrivals.length,
    duplicates: lost,
    lost,
    retries: attempts.filter(({ number }) => number > 1).length - lost,
    missed: count('missed'),
    skipped: count('skipped'),
    overrun: 0,
    callbacks: callbackArrivals.length,
    completed: 0,
    longestDownMs: 0,
    longestGapMs: 0,
  };
}
