import type { OldSecret } from '../../domain/access/rotation.ts';
import type { Timing, When } from '../../domain/calendar/timing.ts';
import { runId } from '../../domain/id.ts';
import type { Attempt, RunRecord, RunStatus, RunTrigger } from '../../domain/run/run.ts';
import { whyTooLate } from '../../domain/run/verdict.ts';
import type { Policy } from '../../domain/schedule/schedule.ts';
import { type Cell, type Row, SCHEDULE } from '../columns.ts';
import type { FireableSchedule } from '../contract/queue.ts';
import type { RunView } from '../contract/runs.ts';

/** Rows as the database gives them, and the values that they mean. */

export function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

export { fold } from '../../domain/schedule/matching.ts';

export function attemptsFrom(cell: Cell | undefined): Attempt[] {
  return cell ? (JSON.parse(cell as string) as Attempt[]) : [];
}

/** @param row a schedule's row with its client's `client_id` and secrets beside it */
export function fireableScheduleFrom(row: Row): FireableSchedule {
  const schedule = SCHEDULE.fromRow(row) as FireableSchedule;
  schedule.clientId = row.client_id as string;
  schedule.signingSecret = row.signing_secret as string;
  if (row.old_secret != null) schedule.oldSecret = oldSecretFrom(row);
  return schedule;
}

/** @param row of a client that has an old secret */
export function oldSecretFrom(row: Row): OldSecret {
  return { secret: row.old_secret as string, until: row.old_secret_until as number };
}

/** @param row a run's row with its schedule's `schedule_id` beside it */
export function runViewFrom(row: Row): RunView {
  const scheduleId = row.schedule_id as string;
  const scheduledFor = row.scheduled_for as number;
  const view: RunView = {
    id: (row.manual_id as string) || runId(scheduleId, scheduledFor),
    scheduleId,
    scheduledFor,
    trigger: row.trigger as RunTrigger,
    status: row.status as RunStatus,
    attempts: attemptsFrom(row.attempts),
  };
  if (row.started_at != null) view.startedAt = row.started_at as number;
  if (row.finished_at != null && wasSent(view)) view.finishedAt = row.finished_at as number;
  if (row.reason != null) view.reason = row.reason as string;
  if (row.missed != null)
    view.missed = JSON.parse(row.missed as string) as RunRecord['missed'] & {};
  return view;
}

/** Of a run that was not sent, its row tells there when that was decided. */
function wasSent({ status }: RunView): boolean {
  return status !== 'skipped' && status !== 'missed';
}

/** The record of an attempt that was cut off with the process that made it. */
export function lostAttempt(number: number, startedAt: number): Attempt {
  return {
    number,
    startedAt,
    outcome: 'lost',
    error: 'Punctual stopped before the answer to this attempt was recorded.',
  };
}

/** Whether the retries of its run had ended when a row was claimed. @param row with the policy of its schedule */
export function wasClaimedTooLate(row: Row): boolean {
  if (row.policy == null) return false;
  const attempts = attemptsFrom(row.attempts);
  const scheduledFor = row.scheduled_for as number;
  const policy = JSON.parse(row.policy as string) as Policy;
  return whyTooLate({ attempts, scheduledFor }, policy, row.claimed_at as number) !== null;
}

/** @param row with a schedule's interval, time zone and timing */
export function whenFrom({ interval, timezone, timing }: Row): When {
  const when: When = { interval: interval as string, timezone: timezone as string };
  if (timing != null) when.timing = JSON.parse(timing as string) as Timing;
  return when;
}
