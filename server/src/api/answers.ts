import type * as Wire from '@punctual/client';
import { iso } from '../domain/iso.ts';
import type { Attempt } from '../domain/run/run.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { CallbackView, RunView } from '../store/contract/runs.ts';
import type { OpenBreaker } from '../store/contract/stats.ts';

/** Facts as the wire shows them. Optional fields that are unset are left out, never null. */

export function scheduleAnswer(schedule: Schedule): Wire.Schedule {
  const { createdAt, updatedAt } = schedule;
  const same: Omit<Schedule, 'updatedAt'> = schedule;
  if (updatedAt === undefined) return { ...same, createdAt: iso(createdAt) };
  return { ...same, createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
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
  const { scheduledFor, startedAt, finishedAt, missed, attempts: _, ...same } = run;
  return {
    ...same,
    scheduledFor: iso(scheduledFor),
    ...(startedAt !== undefined && { startedAt: iso(startedAt) }),
    ...(finishedAt !== undefined && { finishedAt: iso(finishedAt) }),
    ...(missed && { missedCount: missed.count, from: iso(missed.from), to: iso(missed.to) }),
  };
}

function callbackAnswer({ attempts, ...same }: CallbackView): Wire.Callback {
  return { ...same, attempts: attempts.map(attemptAnswer) };
}

function attemptAnswer(attempt: Attempt): Wire.Attempt {
  return { ...attempt, startedAt: iso(attempt.startedAt) };
}

function attemptFields(attempt: Attempt): Wire.Attempt {
  const { responseHeaders: _, responseBody: __, ...shown } = attemptAnswer(attempt);
  return shown;
}

export function breakerAnswer({ origin, since, openedAt }: OpenBreaker): Wire.Breaker {
  return { origin, since: iso(since), openedAt: iso(openedAt) };
}
