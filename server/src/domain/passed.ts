import { countTimes, lastTime, timesBetween } from './calendar.ts';
import { runId } from './id.ts';
import type { RunRecord } from './run.ts';
import type { Schedule } from './schedule.ts';

/** Nominal times that did not fire, as history keeps them. */

/** Beyond this many in one gap, one record stands for all of them. */
const MAX_RECORDS = 1_000;

/**
 * The records of the times from `from` to `until`, both inclusive.
 *
 * A gap of more than 1,000 times becomes one record that says how many, the first and the last, so
 * that a year of down time of an every-second schedule costs one row and not 31 million.
 */
export function passedRecords(
  schedule: Pick<Schedule, 'id' | 'interval' | 'timezone'>,
  from: number,
  until: number,
  status: 'missed' | 'skipped',
  reason: string,
): RunRecord[] {
  if (from > until) return [];
  const { interval, timezone } = schedule;
  const record = (scheduledFor: number): RunRecord => ({
    id: runId(schedule.id, scheduledFor),
    scheduledFor,
    trigger: 'schedule',
    status,
    attempts: [],
    reason,
  });
  const times = timesBetween(interval, timezone, from, until, MAX_RECORDS + 1);
  if (times.length <= MAX_RECORDS) return times.map(record);
  const first = times[0]!;
  const missed = {
    count: countTimes(interval, timezone, first, until),
    from: first,
    to: lastTime(interval, timezone, first, until)!,
  };
  return [{ ...record(first), missed }];
}
