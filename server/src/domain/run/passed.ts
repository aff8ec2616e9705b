import { countTimes, lastTime, timesBetween } from '../calendar/times.ts';
import type { When } from '../calendar/timing.ts';
import { runId } from '../id.ts';
import { iso } from '../iso.ts';
import { POLICY_DEFAULTS, type Schedule } from '../schedule/schedule.ts';
import type { RunRecord } from './run.ts';
import { causesBetween, type Unseen } from './unseen.ts';

/** Nominal times that did not fire, as history keeps them. */

/** Beyond this many in one gap, one record stands for all of them. */
const MAX_RECORDS = 1_000;

/**
 * The records of the times from `from` to `until`, both inclusive.
 *
 * A gap of more than 1,000 times becomes one record with their number, the first and the last. So a
 * year of downtime of an every-second schedule costs one row and not 31 million.
 */
export function passedRecords(
  schedule: Pick<Schedule, 'id'> & When,
  from: number,
  until: number,
  status: 'missed' | 'skipped',
  reason: string,
): RunRecord[] {
  if (from > until) return [];
  const record = (scheduledFor: number): RunRecord => ({
    id: runId(schedule.id, scheduledFor),
    scheduledFor,
    trigger: 'schedule',
    status,
    attempts: [],
    reason,
  });
  const times = timesBetween(schedule, from, until, MAX_RECORDS + 1);
  if (times.length <= MAX_RECORDS) return times.map(record);
  const first = times[0]!;
  const all = {
    count: countTimes(schedule, first, until),
    from: first,
    to: lastTime(schedule, first, until)!,
  };
  return [{ ...record(first), missed: all }];
}

/** Why a time is skipped that came while a run was going. @param scheduledFor of that run */
export function stillGoing(scheduledFor: number): string {
  return `The run of ${iso(scheduledFor)} was still going.`;
}

/** Whether a time has passed for good: one that came while somebody looked fires, however late. */
export function isTooOld(
  time: number,
  schedule: Schedule,
  now: number,
  unseenUntil: number,
): boolean {
  const seconds = schedule.policy?.catchUpSeconds ?? POLICY_DEFAULTS.catchUpSeconds;
  return time < unseenUntil && now - time > seconds * 1_000;
}

/** The records of times that lost to a later one of the same gap. */
export function missed(
  schedule: Schedule,
  from: number,
  until: number,
  unseen: Unseen,
): RunRecord[] {
  return missedWith(schedule, from, until, unseen, '; of such times only the latest fires.');
}

/** The records of a gap whose latest time is too old to fire: then all of them are. */
export function tooOld(
  schedule: Schedule,
  from: number,
  latest: number,
  unseen: Unseen,
): RunRecord[] {
  const seconds = schedule.policy?.catchUpSeconds ?? POLICY_DEFAULTS.catchUpSeconds;
  const end =
    seconds === 0 ? ', and catching up is turned off.' : `, and is older than ${seconds} s.`;
  return missedWith(schedule, from, latest, unseen, end);
}

function missedWith(
  schedule: Schedule,
  from: number,
  until: number,
  unseen: Unseen,
  end: string,
): RunRecord[] {
  return causesBetween(unseen, from, until).flatMap(({ why, ...range }) =>
    passedRecords(schedule, range.from, range.until, 'missed', `It passed while ${why}${end}`),
  );
}
