import { nextTime } from '../calendar/times.ts';
import type { When } from '../calendar/timing.ts';
import { iso } from '../iso.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { passedRecords } from './passed.ts';
import { type QueueRow, type TakenRow, waitingRow } from './queue-row.ts';
import type { RunRecord } from './run.ts';
import { SUSPENDED } from './unseen.ts';

/**
 * A client that an operator suspended: none of its runs starts. Rows that become due are put off,
 * beyond every instant that is ever due, so that they delay no other client. They come back when
 * the client is resumed.
 */

/** Added to `dueAt` of what is put off, ms. No instant is due as late as this: it is in the year 33658. */
export const PUT_OFF_MS = 1e15;

/**
 * A row that comes back is due at least this much later than now, in ms. Until all rows are back,
 * every due row is put off again.
 */
export const RETURN_MS = 1_000;

/** So long after its claim, in ms, a row may still be put off: its engine is looking who is suspended. */
export const LOOKED_AT_MS = 2_000;

/** The next state of a row that was put off, and the records for history. */
export interface Readmitted {
  /** Null where the schedule fires no more. */
  row: QueueRow | null;
  passed: RunRecord[];
}

/**
 * Brings back a row that was put off. Times that passed meanwhile are missed, whatever `catchUpSeconds` says; a run
 * that had begun goes on. If a change took its request back before it was put off, its own time is of the old interval, and
 * `nextFor` is the first one of the new.
 *
 * @param suspendedAt since when its client is suspended, epoch ms
 * @param now when it comes back, epoch ms
 * @throws PunctualError `timezone_unknown` where the zone is known no more
 */
export function readmitted(
  { changedAt, ...row }: QueueRow & Pick<TakenRow, 'changedAt'>,
  schedule: Pick<Schedule, 'id' | 'status'> & When,
  suspendedAt: number,
  now: number,
): Readmitted {
  const back = { ...row, dueAt: Math.max(row.dueAt - PUT_OFF_MS, now + RETURN_MS) };
  const isOwnOpen = row.state === 'waiting' && changedAt === null;
  const from = isOwnOpen ? row.scheduledFor : row.nextFor;
  if (schedule.status !== 'enabled' || from === null || from > now) {
    return { row: back, passed: [] };
  }
  const since = iso(suspendedAt);
  // It waited when the client was suspended: nobody had run, or the store was away.
  const before = `It passed before ${SUSPENDED}, at ${since}, and had not begun.`;
  const reason = `It passed while ${SUSPENDED}, from ${since} to ${iso(now)}.`;
  const passed = [
    ...passedRecords(schedule, from, suspendedAt - 1, 'missed', before),
    ...passedRecords(schedule, Math.max(from, suspendedAt), now, 'missed', reason),
  ];
  const nextFor = nextTime(schedule, now);
  if (row.state === 'waiting') return { row: waitingRow(schedule, nextFor), passed };
  return { row: { ...back, nextFor }, passed };
}
