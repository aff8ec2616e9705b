import { runId } from '../../domain/id.ts';
import { causeOf, isOwnCause } from '../../domain/run/cause.ts';
import type { Failure } from '../../domain/run/incident.ts';
import { hostOf } from '../../domain/schedule/target.ts';
import type { Row } from '../columns.ts';
import type { Recovered } from '../contract/failed-runs.ts';
import { attemptsFrom } from './row.ts';

/** Rows of failed runs, as both backends read them. */

/** Runs after a failure that are looked through for one that succeeded. */
export const MOST_AFTER = 1_000;

/** @param row of a run, with its schedule's `schedule_id` and `url` beside it */
export function failedFrom(row: Row): Failure {
  const [scheduleId, scheduledFor] = [row.schedule_id as string, row.scheduled_for as number];
  const found = causeOf({
    status: row.status as string,
    attempts: attemptsFrom(row.attempts),
    reason: (row.reason ?? '') as string,
  });
  return {
    runId: (row.manual_id as string) || runId(scheduleId, scheduledFor),
    scheduleId,
    scheduledFor,
    count: countOf(row),
    ...found,
    host: isOwnCause(found.cause) ? '' : hostOf(row.url as string),
  };
}

function countOf({ missed }: Row): number {
  return missed === null ? 1 : (JSON.parse(missed as string) as { count: number }).count;
}

/** @param row undefined where there is no such schedule */
export function recoveredFrom(row: Row | undefined): Recovered {
  return {
    succeededFor: (row?.succeeded_for ?? null) as number | null,
    isEnabled: row?.status === 'enabled',
  };
}
