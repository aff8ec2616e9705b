import type { Evidence } from './evidence.ts';
import { checkArrivals } from './rules/arrivals.ts';
import { checkAwaited } from './rules/awaited.ts';
import { checkBreakers } from './rules/breakers.ts';
import { checkCallbacks } from './rules/callbacks.ts';
import { checkChanges } from './rules/changes.ts';
import { checkClients } from './rules/clients.ts';
import { checkCompletion } from './rules/completion.ts';
import { checkCounts } from './rules/counts.ts';
import { checkExplained } from './rules/explained.ts';
import { checkForecasts } from './rules/forecasts.ts';
import { checkGivesWay } from './rules/give-way.ts';
import { checkHolds } from './rules/holds.ts';
import { checkLateness } from './rules/lateness.ts';
import { checkLimits } from './rules/limits.ts';
import { checkNexts } from './rules/nexts.ts';
import { checkOverlaps } from './rules/overlap.ts';
import { checkOwners } from './rules/ownerless.ts';
import { checkPauses } from './rules/pauses.ts';
import { checkRetries } from './rules/retries.ts';
import type { Rule, Tell, Violation } from './rules/rule.ts';
import { checkRuns } from './rules/runs.ts';
import { checkSignatures } from './rules/signatures.ts';
import { checkSkipped } from './rules/skipped.ts';
import { checkSteered } from './rules/steered.ts';
import { checkTimes } from './rules/times.ts';
import { type Slack, type View, viewOf } from './rules/view.ts';
import { checkWire } from './rules/wire.ts';

export interface Figures {
  kills: number;
  schedules: number;
  /** Nominal times. */
  due: number;
  /** Requests at the target. */
  requests: number;
  /** Requests sent again because a crash had left the one before without a record. */
  duplicates: number;
  lost: number;
  retries: number;
  missed: number;
  skipped: number;
  /** Missed although the service was up: it was late by more than an interval. */
  overrun: number;
  callbacks: number;
  /** Schedules that had no time left to come, and have completed. */
  completed: number;
  /** From a kill to the next process that listens, the pause in between included. */
  longestDownMs: number;
  /** The longest time without a request of a schedule that fires every second. */
  longestGapMs: number;
}

export interface Report {
  violations: Violation[];
  figures: Figures;
}

/** What may still come right when the service is given more time. */
export const MAY_COME_RIGHT: readonly Rule[] = [
  'unrecorded',
  'unfinished',
  'latestMissed',
  'triggerLost',
  'callbackLost',
  'callbackUnfinished',
  'callbackUnrecorded',
  'notCompleted',
  'clientLeft',
];

/** Two processes read the same clock, and are told to go on by the same two processors. */
export const OF_PROCESSES: Slack = {
  slackMs: 1_000,
  graceMs: 3_000,
  connectMs: 0,
  lateMs: Number.POSITIVE_INFINITY,
  heardMs: 0,
  toldMs: 0,
  blindMs: 0,
  apartMs: 0,
};

/**
 * The checker: whether a service that was killed again and again kept its promise.
 *
 * Pure, and it shares no code with the engine: what was due comes from another calendar, what was
 * sent from the target, what was recorded from the API.
 */
export function check(evidence: Evidence, slack: Slack = OF_PROCESSES): Report {
  const violations: Violation[] = [];
  const tell: Tell = (rule, sentence) => violations.push({ rule, sentence });
  const view = viewOf(evidence, slack);
  for (const { id, listed, acknowledged } of evidence.schedules) {
    if (acknowledged && !listed) tell('gone', `Schedule ${id} was created, and is gone.`);
  }
  for (const label of evidence.madeTwice)
    tell('madeTwice', `The schedule ${label} was asked for under one key, and made twice.`);
  for (const told of evidence.refused) tell('refused', `A caller was refused: ${told}.`);
  for (const row of evidence.setAside ?? []) tell('undecided', `A row was set aside: ${row}.`);
  const overrun = checkTimes(view, tell);
  checkSkipped(view, tell);
  checkRuns(view, tell);
  const duplicates = checkArrivals(view, tell);
  checkAwaited(view, tell);
  checkSteered(view, tell);
  checkCallbacks(view, tell);
  checkChanges(view, tell);
  checkCounts(evidence, view, tell);
  checkExplained(view, tell);
  checkNexts(view, tell);
  checkForecasts(evidence, view, tell);
  checkRetries(view, tell);
  checkGivesWay(view, tell);
  const { clients = [], signed = [] } = evidence;
  checkLateness(clients, view, tell);
  checkHolds(evidence, view, tell);
  checkOverlaps(view, tell);
  checkOwners(evidence.inFlight ?? [], view, tell);
  checkBreakers(view, tell);
  checkLimits(view, tell);
  checkClients(clients, view, tell);
  checkPauses(evidence, view, tell);
  checkSignatures(clients, signed, view, tell);
  checkWire(evidence, tell);
  const completed = checkCompletion(view, tell);
  return { violations, figures: { ...figuresOf(view), overrun, duplicates, completed } };
}

function figuresOf(view: View): Omit<Figures, 'overrun' | 'duplicates' | 'completed'> {
  const { until, schedules, kills, callbackArrivals } = view;
  const runs = schedules.flatMap(schedule => schedule.runs).filter(({ at }) => at <= until);
  const attempts = schedules
    .flatMap(schedule => [...schedule.runs, ...schedule.manual])
    .flatMap(run => (run.at <= until ? run.attempts : []));
  const count = (status: string) => runs.filter(run => run.status === status).length;
  const lost = attempts.filter(({ outcome }) => outcome === 'lost').length;
  return {
    kills: kills.length,
    schedules: schedules.length,
    due: schedules.reduce((sum, { due }) => sum + due.filter(time => time <= until).length, 0),
    requests: view.arrivals.filter(({ scheduledFor }) => scheduledFor <= until).length,
    lost,
    retries: attempts.filter(({ number }) => number > 1).length - lost,
    missed: count('missed'),
    skipped: count('skipped'),
    callbacks: callbackArrivals.filter(({ scheduledFor }) => scheduledFor <= until).length,
    longestDownMs: Math.max(0, ...view.windows.map(({ from, to }) => to - from)),
    longestGapMs: longestGap(view),
  };
}

function longestGap({ schedules }: View): number {
  let longest = 0;
  for (const { seen, arrivals } of schedules) {
    if (seen.interval !== '* * * * * *') continue;
    for (const [index, { at }] of arrivals.entries()) {
      if (index > 0) longest = Math.max(longest, at - arrivals[index - 1]!.at);
    }
  }
  return longest;
}
