import { lastTime, nextTime } from '../calendar/times.ts';
import type { When } from '../calendar/timing.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { missed, passedRecords, stillGoing } from './passed.ts';
import type { QueueRow, TakenRow } from './queue-row.ts';
import type { RunRecord } from './run.ts';
import type { Unseen } from './unseen.ts';

/** The nominal times that a row of the queue stands for. */

/** Two instants, both inclusive. */
export type Range = [from: number, until: number];

/** The row at its first time that was not sent yet, or null where there is none. */
export function beyondSent(row: TakenRow, schedule: Schedule): TakenRow | null {
  const sent = sentOf(row);
  let open: TakenRow = row;
  while (sent.has(open.scheduledFor)) {
    const { nextFor: scheduledFor } = open;
    if (scheduledFor === null) return null;
    open = { ...open, scheduledFor, nextFor: nextTime(schedule, scheduledFor) };
  }
  return open;
}

/** A time that was cut off, and may be sent again, keeps that record where it passes after all. */
export function recordedOf({ known = [] }: Pick<TakenRow, 'known'>): Set<number> {
  return new Set(known.map(({ scheduledFor }) => scheduledFor));
}

export function sentOf({ known = [] }: Pick<TakenRow, 'known'>): Set<number> {
  return new Set(known.filter(({ sent }) => sent).map(({ scheduledFor }) => scheduledFor));
}

/**
 * The latest time of a row up to `until` that was not sent: its own, or one from `nextFor` on.
 * `nextFor` itself may no longer be a time, if the rules of the time zone have changed since.
 */
export function latestOf(row: TakenRow, schedule: Schedule, until: number): number {
  const { scheduledFor, nextFor } = row;
  if (nextFor === null) return scheduledFor;
  return lastUnsent(schedule, nextFor, until, sentOf(row)) ?? scheduledFor;
}

/** The latest time from `from` to `until`, both inclusive, that is not among those that were sent. */
export function lastUnsent(
  schedule: Schedule,
  from: number,
  until: number,
  sent: ReadonlySet<number>,
): number | null {
  let latest = from > until ? null : lastTime(schedule, from, until);
  while (latest !== null && sent.has(latest)) {
    latest = lastTime(schedule, from, latest - 1);
  }
  return latest;
}

/** The same of several ranges. @param ranges in order, each with both ends inclusive */
export function lastUnsentOf(
  ranges: Range[],
  schedule: Schedule,
  sent: ReadonlySet<number>,
): number | null {
  for (const [from, until] of ranges.toReversed()) {
    const latest = lastUnsent(schedule, from, until, sent);
    if (latest !== null) return latest;
  }
  return null;
}

/** The records of the times of a row that lose to its latest. */
export function missedBefore(
  latest: number,
  row: TakenRow,
  schedule: Schedule,
  unseen: Unseen,
): RunRecord[] {
  if (latest === row.scheduledFor) return [];
  return openRanges(row, schedule, latest - 1).flatMap(range => missed(schedule, ...range, unseen));
}

/**
 * The records of the times that came up to `until` while the run of this row was going: to be written where the schedule
 * changes before the run ends. The run counts on from the change.
 *
 * @param schedule as it was before the change
 */
export function skippedBehind(
  row: Pick<TakenRow, 'scheduledFor' | 'nextFor' | 'known'>,
  schedule: Pick<Schedule, 'id'> & When,
  until: number,
): RunRecord[] {
  const { scheduledFor, nextFor } = row;
  if (nextFor === null) return [];
  const recorded = recordedOf(row).add(scheduledFor);
  return without([[nextFor, until]], recorded).flatMap(range =>
    passedRecords(schedule, ...range, 'skipped', stillGoing(scheduledFor)),
  );
}

/** The time that a row goes on to when all up to `until` are decided. */
export function followOf({ nextFor }: QueueRow, schedule: Schedule, until: number): number | null {
  if (nextFor === null || nextFor > until) return nextFor;
  return nextTime(schedule, until);
}

/**
 * The times of a row up to `until`, as ranges: its own and those from `nextFor` on, without those
 * that are on record. Times between the two are rare; they were recorded when a run ended (`afterRun`).
 */
export function openRanges(row: TakenRow, schedule: Schedule, until: number): Range[] {
  const { scheduledFor, nextFor } = row;
  const isWhole = nextFor === null || nextTime(schedule, scheduledFor) === nextFor;
  const ranges: Range[] = isWhole
    ? [[scheduledFor, until]]
    : [
        [scheduledFor, scheduledFor],
        [nextFor, until],
      ];
  return without(ranges, recordedOf(row));
}

/** When nobody looked since `from`, in order. */
export function gapsSince(from: number, { awake = [], until }: Unseen): Range[] {
  return outside(
    awake.map(span => [span.from, span.until]),
    from,
    until - 1,
  );
}

/** The parts between `from` and `until`, both inclusive, that lie in none of the ranges. @param ranges in order */
export function outside(ranges: Range[], from: number, until: number): Range[] {
  const starts = [from, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), until];
  return clamped(
    starts.map((start, index) => [start, ends[index]!]),
    from,
    until,
  ).filter(([first, last]) => first <= last);
}

/** The parts of the ranges between two instants, both inclusive. Ranges may come out empty. */
export function clamped(ranges: Range[], from: number, until: number): Range[] {
  return ranges.map(([first, last]) => [Math.max(first, from), Math.min(last, until)]);
}

/** The ranges without single instants that may lie in them. Ranges may come out empty. */
export function without(ranges: Range[], instants: Iterable<number>): Range[] {
  const sorted = [...instants].sort((a, b) => a - b);
  return ranges.flatMap(([from, until]) => {
    const within = sorted.filter(instant => instant >= from && instant <= until);
    const starts = [from, ...within.map(instant => instant + 1)];
    return starts.map((start, index): Range => [start, (within[index] ?? until + 1) - 1]);
  });
}
