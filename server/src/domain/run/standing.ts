import type { Timing, When } from '../calendar/timing.ts';
import { iso } from '../iso.ts';
import type { Schedule, ScheduleStatus, StatusReason } from '../schedule/schedule.ts';

/**
 * Standing: the state of a schedule that keeps all of its times from firing, such as paused or deleted. Explanations and
 * bands take it from here, so that they never contradict each other.
 */
export type Standing =
  | 'notCreated'
  | 'deleted'
  | 'completed'
  | 'beforeStart'
  | 'afterEnd'
  | 'paused';

/** A standing, and one sentence that says why. */
export type StandingAnswer = [Standing, string];

/** A schedule at an instant: its configuration between two changes of its times. */
export interface HeldSchedule extends When {
  status: ScheduleStatus;
  /** The change that made it so, epoch ms; null: since it was created, or since longer than is kept. */
  since: number | null;
  /** The change that ended it; null: it still holds. */
  until: number | null;
}

export interface StandingFacts {
  held: HeldSchedule;
  schedule: Pick<Schedule, 'createdAt' | 'statusReason'>;
}

/**
 * The standing of a schedule at an instant that is not to come.
 *
 * @param at epoch ms
 * @returns null where its times fire
 */
export function standingAt(facts: StandingFacts, at: number): StandingAnswer | null {
  const { held, schedule } = facts;
  const { timing = {} } = held;
  if (at <= schedule.createdAt) return notCreated(facts);
  if (held.status === 'deleted') return deleted(facts);
  const bounds = boundsOf(timing);
  if (at < bounds.created) return beforeCreate(facts);
  if (at < bounds.from) return beforeStart(held);
  if (at >= bounds.until) return afterEnd(held);
  if (held.status === 'disabled') return disabled(facts, false);
  return timing.pausedUntil !== undefined && at < timing.pausedUntil ? pausedUntil(held) : null;
}

/** The instants between which the standing of a held schedule stays as it is, in order. */
export function standingEdges({ held, schedule }: StandingFacts): number[] {
  const { timing = {} } = held;
  const { created, from, until } = boundsOf(timing);
  return [schedule.createdAt + 1, created, from, until, timing.pausedUntil ?? 0]
    .filter(edge => Number.isFinite(edge) && edge > 0)
    .sort((a, b) => a - b);
}

/** The span of the times of the interval with their offset, epoch ms, none before `created`; `until` is exclusive. */
function boundsOf({ createdAt, startsAt, endsAt, lastAt, offsetMs = 0 }: Timing) {
  const lastMs = lastAt === undefined ? Number.POSITIVE_INFINITY : lastAt + 1;
  return {
    created: (createdAt ?? Number.NEGATIVE_INFINITY) + offsetMs,
    from: (startsAt ?? Number.NEGATIVE_INFINITY) + offsetMs,
    until: Math.min(endsAt ?? Number.POSITIVE_INFINITY, lastMs) + offsetMs,
  };
}

export function notCreated({ schedule }: StandingFacts): StandingAnswer {
  return ['notCreated', `The schedule was created later, at ${iso(schedule.createdAt)}.`];
}

export function beforeCreate({ schedule }: StandingFacts): StandingAnswer {
  const created = iso(schedule.createdAt);
  return [
    'notCreated',
    `It does not fire: without its window it lies before the create, ${created}.`,
  ];
}

export function deleted(facts: StandingFacts): StandingAnswer {
  if (hasCompleted(facts)) return completed(facts);
  const { since } = facts.held;
  const when = since === null ? '' : ` at ${iso(since)}`;
  return ['deleted', `The schedule was deleted${when}, and fires no more.`];
}

export function disabled(facts: StandingFacts, isToCome: boolean): StandingAnswer {
  if (hasCompleted(facts)) return completed(facts);
  const { held, schedule } = facts;
  // Only the last change of a status has its reason on record.
  const why = held.until === null ? DISABLED_BY[schedule.statusReason ?? 'completed'] : '';
  return ['paused', `${disabledSentence(held, isToCome)}${why}`];
}

const DISABLED_BY: Record<StatusReason, string> = {
  completed: '',
  targetDisabled: ' Its target disabled it.',
  targetGone: ' Its target answered 410.',
  tooManyFailures: ' Too many of its runs had failed in a row.',
};

export function pausedUntil({ timing }: HeldSchedule): StandingAnswer {
  return [
    'paused',
    `The schedule is paused until ${iso(timing!.pausedUntil!)}; paused times are not caught up with.`,
  ];
}

export function beforeStart({ timing }: HeldSchedule): StandingAnswer {
  return ['beforeStart', `It does not fire: startsAt is ${iso(timing!.startsAt!)}.`];
}

export function afterEnd({ timing = {} }: HeldSchedule): StandingAnswer {
  return ['afterEnd', `It does not fire: ${endText(timing)}.`];
}

function endText({ endsAt, lastAt, maxRuns, offsetMs = 0 }: Timing): string {
  if (lastAt === undefined || (endsAt !== undefined && endsAt <= lastAt)) {
    return `endsAt is ${iso(endsAt!)}`;
  }
  return `the last of its ${maxRuns} times is ${iso(lastAt + offsetMs)}`;
}

/** Only the last change of a status has its reason on record. */
function hasCompleted({ held, schedule }: StandingFacts): boolean {
  return held.until === null && schedule.statusReason === 'completed';
}

function completed({ held }: StandingFacts): StandingAnswer {
  const when = held.since === null ? '' : ` at ${iso(held.since)}`;
  return [
    'completed',
    `It does not fire: the schedule completed${when}, with no time left to come.`,
  ];
}

function disabledSentence(held: HeldSchedule, isToCome: boolean): string {
  const until = held.until === null ? '' : ` until ${iso(held.until)}`;
  return isToCome
    ? `It will not fire: the schedule is disabled${sinceText(held)}.`
    : `The schedule was disabled${sinceText(held)}${until}; paused times are not caught up with.`;
}

function sinceText({ since }: HeldSchedule): string {
  return since === null ? '' : ` since ${iso(since)}`;
}
