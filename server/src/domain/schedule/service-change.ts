import { completedOf } from './draft.ts';
import type { Schedule, StatusReason } from './schedule.ts';

/**
 * A change of a schedule that the service makes itself, with the end of a run or of an attempt. It is written only where
 * the schedule is still enabled. Instants are epoch ms.
 */
export interface ServiceChange {
  /** When it is made: times are counted from here. */
  at: number;
  /** The new status; it stays where this is absent. */
  status?: 'disabled' | 'deleted' | undefined;
  /** Why; set with `status`. */
  statusReason?: StatusReason | undefined;
  /** Nothing fires before it. */
  pausedUntil?: number | undefined;
}

/** The schedule as the change leaves it. */
export function serviceChanged<One extends Schedule>(schedule: One, change: ServiceChange): One {
  const { status = schedule.status, statusReason, pausedUntil } = change;
  return {
    ...schedule,
    status,
    ...(statusReason !== undefined && { statusReason }),
    ...(pausedUntil !== undefined && { timing: { ...schedule.timing, pausedUntil } }),
  };
}

/** No time is left to come: the schedule completes with its last run. @param at when, epoch ms */
export function completion(schedule: Schedule, at: number): ServiceChange {
  return { at, status: completedOf(schedule).status, statusReason: 'completed' };
}

/** Whether the schedule only completes: then nothing changes while a run waits that its target asked for. */
export function isCompletion({ statusReason, pausedUntil }: ServiceChange): boolean {
  return statusReason === 'completed' && pausedUntil === undefined;
}

/** Whether no further run comes that the target asked for. @param now epoch ms */
export function endsFurtherRuns(
  { status, timing }: Pick<Schedule, 'status' | 'timing'>,
  now: number,
): boolean {
  return status !== 'enabled' || (timing?.pausedUntil ?? now) > now;
}
