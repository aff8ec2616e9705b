import type { Schedule, StatusReason } from '@punctual/client';

/** The state of a schedule as people call it. */

export type ScheduleState = 'enabled' | 'snoozed' | 'disabled' | StatusReason | 'deleted';

export function stateOf(
  { status, statusReason, pausedUntil }: Pick<Schedule, 'status' | 'statusReason' | 'pausedUntil'>,
  now: number,
): ScheduleState {
  if (status === 'disabled' && statusReason !== undefined) return statusReason;
  const isSnoozed = pausedUntil !== undefined && Date.parse(pausedUntil) > now;
  return status === 'enabled' && isSnoozed ? 'snoozed' : status;
}

/** A tag as addresses and the API have it: `team:billing`, or `team` for one without a value. */
export function tagText([name, value]: [name: string, value: string]): string {
  return value === '' ? name : `${name}:${value}`;
}
