import type * as Wire from '@punctual/client';
import type { Timing } from '../domain/calendar/timing.ts';
import { iso } from '../domain/iso.ts';
import type { Attempt, AttemptCompletion } from '../domain/run/run.ts';
import { timingBodyOf } from '../domain/schedule/patch.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { CallbackView, RunView } from '../store/contract/runs.ts';
import type { OpenBreaker } from '../store/contract/stats.ts';

/** Facts as the wire shows them. Optional fields that are unset are left out, never null. */

/** @param now a pause that is over is left out */
export function scheduleAnswer(schedule: Schedule, now: number): Wire.Schedule {
  const { createdAt, updatedAt, timing, delivery } = schedule;
  const answer: Wire.Schedule = { ...shownAsStored(schedule), createdAt: iso(createdAt) };
  if (updatedAt !== undefined) answer.updatedAt = iso(updatedAt);
  if (delivery?.body !== undefined) answer.body = delivery.body;
  if (delivery?.destination !== undefined) answer.destination = delivery.destination;
  return timing === undefined ? answer : { ...answer, ...timingAnswer(timing, now) };
}

/** A whole copy is fast, and one that leaves something out is not: most schedules have nothing to leave out. */
function shownAsStored(schedule: Schedule): Omit<Schedule, 'updatedAt' | 'timing' | 'delivery'> {
  if (schedule.timing === undefined && schedule.delivery === undefined) return schedule;
  const { timing: _, delivery: __, ...shown } = schedule;
  return shown;
}

function timingAnswer(timing: Timing, now: number): Wire.TimingInput {
  const { pausedUntil, ...shown } = timingBodyOf(timing);
  return timing.pausedUntil === undefined || timing.pausedUntil <= now
    ? shown
    : { ...shown, pausedUntil: iso(timing.pausedUntil) };
}

/** Without what only the single run shows: its lists are long, and bodies are large. */
export function runListAnswer(run: RunView): Wire.Run {
  return { ...runFields(run), attempts: run.attempts.map(attemptFields) };
}

export function runAnswer(run: RunView, callbacks: CallbackView[]): Wire.Run {
  return {
    ...runFields(run),
    attempts: run.attempts.map(attemptAnswer),
    ...(callbacks.length > 0 && { callbacks: callbacks.map(callbackAnswer) }),
  };
}

function runFields(run: RunView): Omit<Wire.Run, 'attempts'> {
  const {
    scheduledFor,
    startedAt,
    finishedAt,
    completionUntil,
    missed,
    attempts: _,
    ...same
  } = run;
  return {
    ...same,
    scheduledFor: iso(scheduledFor),
    ...(startedAt !== undefined && { startedAt: iso(startedAt) }),
    ...(finishedAt !== undefined && { finishedAt: iso(finishedAt) }),
    ...(completionUntil !== undefined && { completionUntil: iso(completionUntil) }),
    ...(missed && { missedCount: missed.count, from: iso(missed.from), to: iso(missed.to) }),
  };
}

function callbackAnswer({ attempts, ...same }: CallbackView): Wire.Callback {
  return { ...same, attempts: attempts.map(attemptAnswer) };
}

export function attemptAnswer(attempt: Attempt): Wire.Attempt {
  const { completion, ...same } = attempt;
  return {
    ...same,
    startedAt: iso(attempt.startedAt),
    ...(completion && { completion: completionAnswer(completion) }),
  };
}

function completionAnswer(completion: AttemptCompletion): Wire.AttemptCompletion {
  const { until, endedAt, acceptedAt: _, timedOutAt: __, ...same } = completion;
  return { until: iso(until), ...(endedAt !== undefined && { endedAt: iso(endedAt) }), ...same };
}

function attemptFields(attempt: Attempt): Wire.Attempt {
  const { responseHeaders: _, responseBody: __, ...shown } = attemptAnswer(attempt);
  return shown;
}

export function breakerAnswer({ origin, since, openedAt }: OpenBreaker): Wire.Breaker {
  return { origin, since: iso(since), openedAt: iso(openedAt) };
}
