import { resolveTiming } from '../calendar/resolve-timing.ts';
import type { Schedule } from './schedule.ts';
import { isSameTiming } from './timing-draft.ts';

/**
 * A schedule after the rules of its time zone have changed: the last time that `maxRuns` leaves is another one. No caller has
 * changed it, so `updatedAt` stays. Its calendars are known to this thread.
 *
 * @returns null where nothing changes
 */
export function withZoneRules(schedule: Schedule): Schedule | null {
  const { timing, id, externalId, createdAt } = schedule;
  if (timing?.maxRuns === undefined || schedule.status === 'deleted') return null;
  const facts = { createdAt, hashed: externalId ?? id, versions: timing.calendars ?? [] };
  const resolved = resolveTiming(schedule, facts)!;
  return isSameTiming(timing, resolved) ? null : { ...schedule, timing: resolved };
}
