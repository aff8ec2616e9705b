import { stillGoing } from '../../domain/run/passed.ts';
import { type Cell, type Row, RUN } from '../columns.ts';
import type { Claim } from '../contract/queue.ts';
import { skippedBefore } from '../rows/queue.ts';
import { UNSENT } from '../rows/recount.ts';
import { runRow } from '../rows/runs.ts';
import { loadCalendarsOf } from './calendars.ts';
import { columnsOf, type Query, type Statement } from './connection.ts';
import { runValues, runWriter } from './runs.ts';

/** Times that came while a run was going, at a change of its schedule: they are skipped. */

/** The schedules as they were before the change: it is not written yet. */
const changing: Statement = {
  name: 'passed_times_changing',
  text: `
    SELECT schedule_key, client_key, id AS schedule_id, status, interval, timezone,
      timing
    FROM schedules WHERE schedule_key = ANY ($1)`,
};
const write: Statement = {
  name: 'passed_times_write',
  text: `
    WITH overtaken AS (SELECT 0::bigint AS n WHERE false), ${runWriter(1)}
    SELECT 1`,
};
/** The last bound is the earliest of the runs, and says which days are looked in. */
const behind: Statement = {
  name: 'passed_times_behind',
  text: `
    DELETE FROM runs USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS given (key, at, why)
    WHERE runs.schedule_key = given.key AND runs.scheduled_for > given.at AND keep = 'short'
      AND runs.scheduled_for > $4::bigint
      AND reason = given.why AND ${UNSENT}`,
};

/** A change of times: the key of its schedule, and when it is made, epoch ms. */
interface TimesChange {
  key: number;
  changedAt: number;
}

/**
 * To be called before the changes are written. The caller has locked the schedules and their rows.
 *
 * @param rows of the queue, as they were locked
 */
export async function writePassedTimes(
  send: Query,
  rows: Row[],
  changes: TimesChange[],
): Promise<void> {
  const changedAts = new Map<Cell, number>(changes.map(({ key, changedAt }) => [key, changedAt]));
  const behind = rows.filter(row => hasPassed(row, changedAts.get(row.schedule_key!)));
  if (behind.length === 0) return;
  const byKey = await schedulesBefore(
    send,
    behind.map(row => row.schedule_key as number),
  );
  const runs = behind.flatMap(row => {
    const key = row.schedule_key as number;
    const schedule = byKey.get(key)!;
    return skippedBefore({ ...row, ...schedule }, changedAts.get(key)!).map(run =>
      RUN.cells(runRow(schedule.client_key as number, key, run)),
    );
  });
  if (runs.length > 0) await send(write, runValues([runs]));
}

/** @returns the times of these schedules until the change is written, by their keys */
export async function schedulesBefore(send: Query, keys: number[]): Promise<Map<number, Row>> {
  const schedules = await send(changing, [keys]);
  await loadCalendarsOf(send, schedules);
  return new Map(schedules.map(row => [row.schedule_key as number, row]));
}

/** @param runs that they came behind, and that were never sent */
export async function forgetPassedTimes(
  query: Query,
  runs: Pick<Claim, 'scheduleRowId' | 'scheduledFor'>[],
): Promise<void> {
  const cells = runs.map(({ scheduleRowId, scheduledFor }) => [
    scheduleRowId,
    scheduledFor,
    stillGoing(scheduledFor),
  ]);
  const first = Math.min(...runs.map(({ scheduledFor }) => scheduledFor));
  await query(behind, [...columnsOf(cells, 3), first]);
}

/** Whether times came behind a run of this row that has begun. */
function hasPassed(row: Row, changedAt: number | undefined): boolean {
  if (changedAt === undefined || row.state === 'waiting' || row.attempt === 0) return false;
  return row.next_for !== null && (row.next_for as number) <= changedAt;
}
