import type { When } from '../../domain/calendar/timing.ts';
import type { HeldSchedule } from '../../domain/run/standing.ts';
import type { ScheduleStatus } from '../../domain/schedule/schedule.ts';
import { type Row, SCHEDULE } from '../columns.ts';
import type { ScheduleAt } from '../contract/schedules.ts';
import { whenFrom } from './row.ts';

/** @param row a schedule's row, what the first later change replaced, and its row of the queue */
export function scheduleAtFrom(row: Row): ScheduleAt {
  const schedule = SCHEDULE.fromRow(row);
  const isChanged = row.held_until !== null;
  return {
    schedule,
    held: {
      ...(isChanged ? heldWhen(row) : whenOf(schedule)),
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

function heldWhen({ held_interval, held_timezone, held_timing }: Row): When {
  return whenFrom({
    interval: held_interval!,
    timezone: held_timezone!,
    timing: held_timing ?? null,
  });
}

function whenOf({ interval, timezone, timing }: When): When {
  return timing === undefined ? { interval, timezone } : { interval, timezone, timing };
}

/**
 * @param present the schedule's row
 * @param changes newest first: each with the state that it replaced. The oldest may stand before `from`, and tells since
 *   when the first state held.
 */
export function statesFrom(
  present: Row,
  changes: Row[],
  { from, to, limit }: { from: number; to: number; limit: number },
): HeldSchedule[] {
  const states: HeldSchedule[] = [];
  let since: number | null = null;
  for (const [index, row] of changes.toReversed().entries()) {
    const until = row.changed_at as number;
    // Nobody knows since when the first of too many held.
    const isCut = index === 0 && changes.length >= limit;
    if (until > from && !isCut) {
      states.push({ ...whenFrom(row), status: row.status as ScheduleStatus, since, until });
    }
    since = until;
  }
  if (since === null || since <= to) {
    const schedule = SCHEDULE.fromRow(present);
    states.push({ ...whenOf(schedule), status: schedule.status, since, until: null });
  }
  return states;
}
