import type { HealthPage, LastOutcome, Run, ScheduleHealth } from '@punctual/client';
import { STRIP_LENGTH } from '../board/health-words.ts';

/** Events put into the list of schedules with their health. */

/**
 * A page with the outcome of a run that has ended. Its spans and its next time are only known to the service.
 *
 * @returns the same page where it does not show the schedule, or shows the outcome already
 */
export function withOutcome(page: HealthPage, run: Run): HealthPage {
  const place = page.items.findIndex(({ schedule }) => schedule.id === run.scheduleId);
  const row = page.items[place];
  const last = lastOf(run);
  if (row === undefined || last === null) return page;
  if (row.recent.some(({ id }) => id === last.id)) return page;
  return { ...page, items: page.items.with(place, withLast(row, last)) };
}

function lastOf(run: Run): LastOutcome | null {
  const { id, status, scheduledFor, finishedAt, reason } = run;
  if (!isOutcome(status)) return null;
  const { responseStatus, error = reason } = run.attempts.at(-1) ?? {};
  return {
    id,
    status,
    scheduledFor,
    ...(finishedAt !== undefined && { endedAt: finishedAt }),
    ...(responseStatus !== undefined && { responseStatus }),
    ...(error !== undefined && { error }),
  };
}

function isOutcome(status: Run['status']): status is LastOutcome['status'] {
  return ['succeeded', 'failed', 'skipped', 'missed'].includes(status);
}

function withLast(row: ScheduleHealth, last: LastOutcome): ScheduleHealth {
  const { id, status, scheduledFor } = last;
  const isLatest = row.last === undefined || scheduledFor >= row.last.scheduledFor;
  const recent = [{ id, status, scheduledFor }, ...row.recent]
    .sort((a, b) => (a.scheduledFor < b.scheduledFor ? 1 : -1))
    .slice(0, STRIP_LENGTH);
  return { ...row, recent, ...(isLatest && { last }) };
}
