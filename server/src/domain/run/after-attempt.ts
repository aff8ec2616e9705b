import { iso } from '../iso.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { isTooOld, missed, passedRecords, stillGoing, tooOld } from './passed.ts';
import { buffersOne, endedRun, isPausedAt, LATER_WAITS, type Move, pausedReason } from './queue.ts';
import { neverEarly, type QueueRow, type TakenRow, waitingRow } from './queue-row.ts';
import {
  clamped,
  followOf,
  gapsSince,
  lastUnsent,
  lastUnsentOf,
  outside,
  type Range,
  recordedOf,
  sentOf,
  without,
} from './row-times.ts';
import type { Unseen } from './unseen.ts';
import type { Verdict } from './verdict.ts';

/**
 * Decides the next state of a row whose attempt has ended.
 *
 * Times that came while the run was in flight are `skipped`. Times that passed while Punctual was
 * not running are caught up with, as at any start.
 *
 * @param row with the attempt that ended as the last of `attempts`
 * @param endedAt when the attempt ended
 */
export function afterAttempt(
  row: QueueRow & Pick<TakenRow, 'known'>,
  schedule: Schedule,
  verdict: Verdict,
  endedAt: number,
  unseen: Unseen,
): Move {
  if (verdict.kind === 'retry') {
    const dueAt = neverEarly(row, verdict.at);
    const reason = whyNoRetry(row, schedule, dueAt);
    if (reason === null) {
      const retry: QueueRow = { ...row, state: 'retrying', dueAt };
      return { row: retry, passed: [], ended: null };
    }
    return afterAttempt(row, schedule, { kind: 'failed', reason }, endedAt, unseen);
  }
  const ended = endedRun(row, schedule, verdict, endedAt);
  return { ...afterRun(row, schedule, endedAt, unseen), ended };
}

function whyNoRetry({ nextFor }: QueueRow, schedule: Schedule, dueAt: number): string | null {
  const { status } = schedule;
  if (status !== 'enabled') return `It was not tried again: the schedule was ${status}.`;
  if (isPausedAt(schedule, dueAt)) return pausedReason(schedule);
  // The clock was set back: the run's own time lies behind the schedule's next one.
  if (nextFor === null || dueAt < nextFor) return null;
  return `It was not tried again: the schedule's next time, ${iso(nextFor)}, comes first.`;
}

function afterRun(
  row: QueueRow & Pick<TakenRow, 'known'>,
  schedule: Schedule,
  endedAt: number,
  unseen: Unseen,
): Omit<Move, 'ended'> {
  const { nextFor } = row;
  if (nextFor === null || nextFor > endedAt || schedule.status !== 'enabled') {
    return { row: waitingRow(schedule, nextFor), passed: [] };
  }
  const reason = stillGoing(row.scheduledFor);
  const seenFrom = Math.max(nextFor, unseen.until);
  // If the clock was set back, its own time and others already sent may have come again in the
  // meantime.
  const sent = sentOf(row).add(row.scheduledFor);
  const recorded = recordedOf(row).add(row.scheduledFor);
  const open = (ranges: Range[]) => without(ranges, recorded);
  const follow = followOf(row, schedule, endedAt);
  const buffered = buffersOne(schedule) ? lastUnsent(schedule, seenFrom, endedAt, sent) : null;
  if (buffered !== null) {
    const lost = open([[nextFor, seenFrom - 1]]).flatMap(range =>
      missed(schedule, ...range, unseen),
    );
    const overtaken = open([[seenFrom, buffered - 1]]).flatMap(range =>
      passedRecords(schedule, ...range, 'skipped', `${reason} ${LATER_WAITS}`),
    );
    const passed = [...lost, ...overtaken];
    return { row: { ...waitingRow(schedule, buffered)!, nextFor: follow }, passed };
  }
  // With `bufferOne` the latest of all waits.
  const gaps: Range[] = buffersOne(schedule)
    ? [[nextFor, seenFrom - 1]]
    : gapsSince(nextFor, unseen);
  const skipped = open(outside(gaps, nextFor, endedAt)).flatMap(range =>
    passedRecords(schedule, ...range, 'skipped', reason),
  );
  const latest = lastUnsentOf(clamped(gaps, nextFor, endedAt), schedule, sent);
  if (latest === null) return { row: waitingRow(schedule, follow), passed: skipped };
  if (isTooOld(latest, schedule, endedAt, unseen.until)) {
    return {
      row: waitingRow(schedule, follow),
      passed: [
        ...open(clamped(gaps, nextFor, latest)).flatMap(range =>
          tooOld(schedule, ...range, unseen),
        ),
        ...skipped,
      ],
    };
  }
  const lost = open(clamped(gaps, nextFor, latest - 1)).flatMap(range =>
    missed(schedule, ...range, unseen),
  );
  const passed = [...lost, ...skipped];
  return { row: { ...waitingRow(schedule, latest)!, nextFor: follow }, passed };
}
