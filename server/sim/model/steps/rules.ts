/** The rules of a clock that is set, and what they share. Instants are epoch ms. */

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
  changeLost: 'A change that was answered is there.',
  notDue: 'Nothing is sent that was not due by the times of then.',
  firedStopped: 'Once it is answered that a schedule is stopped, nothing of it starts.',
  stepsMiscounted: 'Every step of more than a second is counted, and nothing else.',
} as const;

export type StepRule = keyof typeof RULES;

export interface StepViolation {
  rule: StepRule;
  sentence: string;
}

/** From `at` (epoch ms of the machine) on, the service's clock is ahead by `offsetMs`. */
export interface Step {
  at: number;
  offsetMs: number;
}

/** A span in which the service was up, had looked, and its clock went on without a step. */
export interface Span {
  from: number;
  to: number;
  offsetMs: number;
}

/** What a service may take, and real processes more than played ones. */
export interface StepSlack {
  /** After its start, a step or a stall, until it has looked at every schedule. */
  lookMs: number;
  /** After its time, a request may still be on its way to the target. */
  onItsWayMs: number;
  /** A request that left just before a step arrives so much later at most. */
  leftMs: number;
  /** From an answer to the commit that settles it: a kill between the two has the request sent again. */
  settleMs: number;
  /** Where others are late by a second, a busy machine is no silence. */
  mayBeBusy: boolean;
}

/** Told by rules: which one is broken, and how. */
export type Tell = (rule: StepRule, sentence: string) => void;

/** By how much the service's clock is ahead at an instant of the machine. */
export function offsetAt(instant: number, steps: Step[]): number {
  return steps.findLast(({ at }) => at <= instant)?.offsetMs ?? 0;
}

/** What leaves just before a step arrives just after it. */
export function furthestAhead(steps: Step[], at: number, leftMs: number): number {
  const inForce = steps.filter(
    (step, index) =>
      step.at <= at && (steps[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= at - leftMs,
  );
  return Math.max(...inForce.map(({ offsetMs }) => offsetMs));
}

export function nameOf(scheduleId: string, time: number): string {
  return `${iso(time)} of schedule ${scheduleId}`;
}

export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
