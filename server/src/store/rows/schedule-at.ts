import type { ScheduleStatus } from '../../domain/schedule/schedule.ts';
import { type Row, SCHEDULE } from '../columns.ts';
import type { ScheduleAt } from '../contract/schedules.ts';

/** @param row a schedule's row, what the first later change replaced, and its row of the queue */
export function scheduleAtFrom(row: Row): ScheduleAt {
  const schedule = SCHEDULE.fromRow(row);
  const isChanged = row.held_until !== null;
  return {
    schedule,
    held: {
      interval: isChanged ? (row.held_interval as string) : schedule.interval,
      timezone: isChanged ? (row.held_timezone as string) : schedule.timezone,
      status: isChanged ? (row.held_status as ScheduleStatus) : schedule.status,
      since: row.held_since as number | null,
      until: row.held_until as number | null,
    },
    row:
      row.scheduled_for === null
        ? null
        : { scheduledFor: row.scheduled_for as number, begun: (row.attempt as number) > 0 },
  };
}
