import { runId } from '../../domain/id.ts';
import type { QueueState } from '../../domain/run/queue-row.ts';
import type { Row } from '../columns.ts';
import type {
  CountedHours,
  HourCount,
  QueuedSchedule,
  RankedSchedules,
  RecentRun,
  TagCount,
} from '../contract/health.ts';

/** Rows of health, as both backends read them. */

export const HOUR_MS = 3_600_000;

/** The columns of a record that is judged; of its attempts nothing. */
export const JUDGED = [
  'scheduled_for',
  'manual_id',
  'trigger',
  'status',
  'started_at',
  'finished_at',
  'reason',
];

/** @param row with its schedule's `schedule_id`, and the last attempt's `response_status` and `error` where it is the latest */
export function recentFrom(row: Row): RecentRun {
  const [scheduleId, scheduledFor] = [row.schedule_id as string, row.scheduled_for as number];
  const status = row.status as RecentRun['status'];
  const run: RecentRun = {
    id: (row.manual_id as string) || runId(scheduleId, scheduledFor),
    scheduleId,
    scheduledFor,
    trigger: row.trigger as RecentRun['trigger'],
    status,
  };
  if (row.started_at != null) run.startedAt = row.started_at as number;
  if (row.finished_at != null) run.endedAt = row.finished_at as number;
  if (row.finished_at != null && (status === 'succeeded' || status === 'failed')) {
    run.finishedAt = row.finished_at as number;
  }
  if (row.response_status != null) run.responseStatus = Number(row.response_status);
  const error = row.error ?? (row.is_latest ? row.reason : null);
  if (error != null) run.error = error as string;
  return run;
}

export function queuedFrom(row: Row): QueuedSchedule {
  return {
    scheduleId: row.id as string,
    state: row.state as QueueState,
    dueAt: row.due_at as number,
    nextFor: row.next_for as number | null,
  };
}

/** @param rows of one schedule, one for each hour and status */
export function countedHoursFrom(scheduleId: string, rows: Row[]): CountedHours {
  const hours = new Map<number, HourCount>();
  let records = 0;
  for (const row of rows) {
    const [status, count] = [row.status as string, row.count as number];
    records += count;
    const at = (row.hour as number) * HOUR_MS;
    const hour = hours.get(at) ?? { at, succeeded: 0, failed: 0 };
    if (status === 'succeeded' || status === 'failed') hour[status] += count;
    hours.set(at, hour);
  }
  return { scheduleId, hours: [...hours.values()].sort((a, b) => a.at - b.at), records };
}

/** @param rows each with `records`, of all schedules together */
export function rankedFrom(rows: Row[]): RankedSchedules {
  return {
    schedules: rows
      .filter(({ id }) => id !== null)
      .map(row => ({ scheduleId: row.id as string, figure: row.figure as number })),
    records: (rows[0]?.records as number | undefined) ?? 0,
  };
}

/** @param row with a mark such as `tag:team:billing` */
export function tagCountFrom({ mark, count }: Row): TagCount {
  const name = (mark as string).slice('tag:'.length).replace(/^([^:]*):$/, '$1');
  return { name, count: count as number };
}
