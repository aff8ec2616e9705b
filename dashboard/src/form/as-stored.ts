import type { PreviewInput, Schedule, ScheduleInput } from '@punctual/client';
import { formOf } from './interval-forms.ts';

/** The facts of a stored schedule that decide its times, and that no form has: its id, its creation, its pause. */
type Stored = Pick<Schedule, 'id' | 'createdAt' | 'externalId' | 'pausedUntil'>;

type Timed = Pick<ScheduleInput, 'interval' | 'startsAt' | 'windowSeconds' | 'externalId'>;

/**
 * An input by which the service counts the times of a stored schedule: with its own offset in a window, a rate from its
 * creation on, and not before it goes on.
 */
export function asStored(input: ScheduleInput, stored: Stored): ScheduleInput {
  return { ...input, ...factsOf(input, stored) };
}

/** The question for a preview of the times of a schedule as it is. */
export function previewOf(schedule: Schedule): PreviewInput {
  const { interval, timezone, startsAt, endsAt, maxRuns, windowSeconds, exclude, onExcluded } =
    schedule;
  return {
    interval,
    timezone,
    ...(startsAt && { startsAt }),
    ...(endsAt && { endsAt }),
    ...(maxRuns && { maxRuns }),
    ...(windowSeconds && { windowSeconds }),
    ...(exclude && { exclude }),
    ...(onExcluded && { onExcluded }),
    ...factsOf(schedule, schedule),
  };
}

function factsOf(
  { interval, startsAt, windowSeconds, externalId }: Timed,
  { id, createdAt, pausedUntil }: Stored,
) {
  const isFromCreation = startsAt === undefined && formOf(interval) === 'every';
  return {
    ...(isFromCreation && { startsAt: wholeSecond(createdAt) }),
    ...(windowSeconds !== undefined && { externalId: externalId ?? id }),
    ...(pausedUntil !== undefined && { pausedUntil }),
  };
}

/** Rates count from the first whole second after the creation. */
function wholeSecond(at: string): string {
  return new Date(Math.ceil(Date.parse(at) / 1_000) * 1_000).toISOString();
}
