import { nextTime } from '../calendar/times.ts';
import { runId } from '../id.ts';
import { iso } from '../iso.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { ServiceChange } from '../schedule/service-change.ts';
import { isAwaiting } from './completion.ts';
import { isTooOld, missed, passedRecords, tooOld } from './passed.ts';
import { neverEarly, type QueueRow, type TakenRow, waitingRow } from './queue-row.ts';
import { beyondSent, clamped, followOf, latestOf, missedBefore, openRanges } from './row-times.ts';
import type { Attempt, RunRecord } from './run.ts';
import type { Unseen } from './unseen.ts';
import { retriesFrom, type Verdict, whyTooLate } from './verdict.ts';

/** The next state of a row, and the records for history. */
export interface Move {
  /** Null where the schedule fires no more. `inFlight` where the request is to be sent now. */
  row: QueueRow | null;
  /** Times that passed without a request. */
  passed: RunRecord[];
  /** The run that has ended for good, which calls back. */
  ended: RunRecord | null;
  /** A change of the schedule that comes with it; `row` is as the schedule is after that. */
  change?: ServiceChange;
  /** When a further run comes that the target asked for, epoch ms. */
  againAt?: number;
}

/** How long a row waits before it looks again whether a manual run's request has ended. */
const BLOCKED_WAIT_MS = 250;
/** Behind a manual run that takes hours it looks less often: a part of that time later, up to a bound. */
const BLOCKED_PART = 10_000;
const MOST_BLOCKED_WAIT_MS = 5_000;

/** Decides the next state of a due row that was taken and may not be sent at once (`mayBegin`). */
export function decide(row: TakenRow, schedule: Schedule, now: number, unseen: Unseen): Move {
  if (row.was !== 'waiting') return decideBegun(row, schedule, now);
  // A crash came between the change and its settlement: the row's own time is of the old interval.
  if (row.changedAt !== null) return giveBack(row, schedule, now);
  if (schedule.status !== 'enabled') return { row: null, passed: [], ended: null };
  const open = beyondSent(row, schedule);
  if (open === null) return { row: null, passed: [], ended: null };
  if (open.scheduledFor > now) return putBack(open, open.scheduledFor);
  return decideOpen(open, schedule, now, unseen);
}

/** @param row whose own time was not sent */
function decideOpen(row: TakenRow, schedule: Schedule, now: number, unseen: Unseen): Move {
  if (row.blockedSince !== null) {
    return decideBlocked(row, row.blockedSince, schedule, now, unseen);
  }
  return decidePassed(row, schedule, now, unseen);
}

/** A run that has begun is finished, and never `missed`, unless its time is yet to come again. */
function decideBegun(row: TakenRow, schedule: Schedule, now: number): Move {
  const reason = whyEnded(row, schedule, now);
  if (reason !== null) {
    const ended = endedRun(row, schedule, { kind: 'failed', reason }, now);
    return { row: waitingRow(schedule, row.nextFor), passed: [], ended };
  }
  if (isAheadOfNext(row, now)) return putAside(row, schedule);
  // A change may have brought it forward to a time that another change has taken away.
  const retryAt = neverEarly(row, broughtForward(row, schedule, now));
  if (retryAt > now) return putBack(row, retryAt);
  if (row.blockedSince !== null) return putBehind(row, row.blockedSince, now);
  return begin(row);
}

/** When a retry is due that a change has brought forward to a next time, which another change has taken away. */
function broughtForward(row: TakenRow, { policy }: Schedule, now: number): number {
  if (row.was !== 'retrying' || row.changedAt === null) return now;
  return Math.min(retriesFrom(row.attempts, policy, now), row.nextFor ?? Number.POSITIVE_INFINITY);
}

/** The clock was set back since it began: other times come before its own. */
function isAheadOfNext({ scheduledFor, nextFor }: QueueRow, now: number): boolean {
  return scheduledFor > now && nextFor !== null && nextFor < scheduledFor;
}

/**
 * A request that was cut off, and whose time is yet to come again: it is sent again then (`KnownTime`), and
 * the times before it fire. Until then its attempts stand in history.
 */
function putAside(row: TakenRow, schedule: Schedule): Move {
  const { scheduledFor, attempts } = row;
  const reason =
    'It was cut off before the clock was set back, and is sent again if its time comes again.';
  const record = missedRecord(schedule, scheduledFor, attempts, reason);
  return { row: waitingRow(schedule, row.nextFor), passed: [record], ended: null };
}

function missedRecord(
  { id }: Schedule,
  scheduledFor: number,
  attempts: Attempt[],
  reason: string,
): RunRecord {
  const trigger = 'schedule';
  return { id: runId(id, scheduledFor), scheduledFor, trigger, status: 'missed', attempts, reason };
}

function whyEnded(row: TakenRow, schedule: Schedule, now: number): string | null {
  if (schedule.status !== 'enabled') {
    return `It was not tried again: the schedule was ${schedule.status}.`;
  }
  if (isPausedAt(schedule, now)) return pausedReason(schedule);
  if (row.was === 'retrying' && row.nextFor !== null && row.nextFor <= now) {
    return `It was not tried again: the schedule's next time, ${iso(row.nextFor)}, came.`;
  }
  return whyTooLate(row, schedule.policy, now);
}

export function isPausedAt({ timing }: Schedule, at: number): boolean {
  return timing?.pausedUntil !== undefined && at < timing.pausedUntil;
}

export function pausedReason({ timing }: Schedule): string {
  return `It was not tried again: the schedule is paused until ${iso(timing!.pausedUntil!)}.`;
}

/** The row waits for the end of the manual run that blocks it. */
function putBehind(row: TakenRow, blockedSince: number, now: number): Move {
  return putBack(row, lookAgainAt(row, blockedSince, now));
}

/**
 * When to look again whether the manual run that blocks a row has ended. One that awaits its completion ends at its
 * deadline, or makes the row due with its end. A time that comes in between is decided about when it comes: once the
 * run has ended, nobody knows that it came meanwhile.
 */
function lookAgainAt(
  { blockedUntil, nextFor }: Pick<TakenRow, 'blockedUntil' | 'nextFor'>,
  blockedSince: number,
  now: number,
): number {
  const isAwaited = blockedUntil !== undefined && blockedUntil > now;
  const lookAt = isAwaited ? blockedUntil : now + lookAfterMs(now - blockedSince);
  return nextFor !== null && nextFor > now ? Math.min(nextFor, lookAt) : lookAt;
}

function lookAfterMs(blockedMs: number): number {
  const waitMs = Math.min(blockedMs / BLOCKED_PART, MOST_BLOCKED_WAIT_MS);
  return Math.max(BLOCKED_WAIT_MS, Math.floor(waitMs));
}

/**
 * One request per schedule: times that come during a manual run's request are skipped. One that
 * came before it, or unseen, waits for its end and is decided about then. With `bufferOne` the latest
 * of all waits.
 */
function decideBlocked(
  row: TakenRow,
  blockedSince: number,
  schedule: Schedule,
  now: number,
  unseen: Unseen,
): Move {
  const { scheduledFor, nextFor } = row;
  const reason = `A manual run that began at ${iso(blockedSince)} was still in flight.`;
  const skippedFrom = Math.max(blockedSince, unseen.until);
  const waitingAs = (times: Pick<QueueRow, 'scheduledFor' | 'nextFor'>): Move =>
    putBehind({ ...row, ...times }, blockedSince, now);
  if (buffersOne(schedule)) {
    const latest = latestOf(row, schedule, now);
    const follow = followOf(row, schedule, now);
    // Times that were sent before, by a clock that was ahead, are behind it as well.
    if (latest === scheduledFor) return waitingAs({ scheduledFor, nextFor: follow });
    const overtaken = openRanges(row, schedule, latest - 1);
    return {
      ...waitingAs({ scheduledFor: latest, nextFor: follow }),
      passed: [
        ...clamped(overtaken, scheduledFor, unseen.until - 1).flatMap(range =>
          missed(schedule, ...range, unseen),
        ),
        // One that came before the manual run began waited for its end as well.
        ...clamped(overtaken, unseen.until, latest).flatMap(range =>
          passedRecords(schedule, ...range, 'skipped', `${reason} ${LATER_WAITS}`),
        ),
      ],
    };
  }
  if (scheduledFor >= skippedFrom) {
    return {
      row: waitingRow(schedule, followOf(row, schedule, now)),
      passed: openRanges(row, schedule, now).flatMap(range =>
        passedRecords(schedule, ...range, 'skipped', reason),
      ),
      ended: null,
    };
  }
  if (nextFor === null || nextFor > now) return waitingAs(row);
  const latest = latestOf(row, schedule, Math.min(now, skippedFrom - 1));
  const follow = followOf(row, schedule, now);
  return {
    ...waitingAs({ scheduledFor: latest, nextFor: follow }),
    passed: [
      ...missedBefore(latest, row, schedule, unseen),
      ...passedRecords(schedule, Math.max(nextFor, skippedFrom), now, 'skipped', reason),
    ],
  };
}

/** Of the times that passed, the latest fires once, late, if it is not too old. */
function decidePassed(row: TakenRow, schedule: Schedule, now: number, unseen: Unseen): Move {
  const latest = latestOf(row, schedule, now);
  if (isTooOld(latest, schedule, now, unseen.until)) {
    return {
      row: waitingRow(schedule, followOf(row, schedule, now)),
      passed: openRanges(row, schedule, latest).flatMap(range =>
        tooOld(schedule, ...range, unseen),
      ),
      ended: null,
    };
  }
  if (latest === row.scheduledFor) return begin(row);
  const nextFor = nextTime(schedule, latest);
  const passed = missedBefore(latest, row, schedule, unseen);
  return { ...begin({ ...row, scheduledFor: latest, nextFor }), passed };
}

export const LATER_WAITS = 'A later time took its place and waited.';

/** Whether the latest time that comes while a run is going starts when that ends. */
export function buffersOne({ policy }: Pick<Schedule, 'policy'>): boolean {
  return policy?.overlap === 'bufferOne';
}

function begin(row: TakenRow): Move {
  const { scheduledFor, nextFor, dueAt, known = [] } = row;
  const aside = known.find(time => time.scheduledFor === scheduledFor && !time.sent)?.attempts;
  const { attempt, attempts } = aside ? { attempt: aside.length, attempts: aside } : row;
  const begun: QueueRow = {
    state: 'inFlight',
    dueAt,
    scheduledFor,
    nextFor,
    attempt: attempt + 1,
    attempts,
  };
  return { row: begun, passed: [], ended: null };
}

/** The state of a row that was taken and not begun, by its attempts. One that was put aside has some (`KnownTime`). */
export function notBegun(attempts: Attempt[]): TakenRow['was'] {
  const last = attempts.at(-1);
  if (last === undefined) return 'waiting';
  if (isAwaiting(last)) return 'awaiting';
  return last.outcome === 'lost' ? 'lost' : 'retrying';
}

function putBack(row: TakenRow, at: number): Move {
  const { scheduledFor, nextFor, attempt, attempts } = row;
  const dueAt = neverEarly(row, at);
  const back: QueueRow = { state: row.was, dueAt, scheduledFor, nextFor, attempt, attempts };
  return { row: back, passed: [], ended: null };
}

/**
 * Gives back a claimed row whose request was never started: the schedule was changed, the engine
 * stops, or its host is at its limit. The attempt does not count, because no target has seen it.
 *
 * @param dueAt when it is due again
 */
export function giveBack(row: TakenRow, schedule: Schedule, now: number, dueAt = row.dueAt): Move {
  const taken = { ...row, attempt: row.attempts.length };
  const isChanged = row.changedAt !== null;
  if (isChanged && row.was === 'waiting')
    return { row: waitingRow(schedule, row.nextFor), passed: [], ended: null };
  const reason = isChanged
    ? whyEnded(taken, schedule, now)
    : whyTooLate(taken, schedule.policy, now);
  // Its own time is yet to come again: until then it would keep the others back.
  if (reason === null && isChanged && row.was !== 'awaiting' && isAheadOfNext(row, now)) {
    return putAside(taken, schedule);
  }
  if (reason === null) return putBack(taken, isChanged ? changedDueAt(row, schedule, now) : dueAt);
  const ended = endedRun(taken, schedule, { kind: 'failed', reason }, now);
  return { row: waitingRow(schedule, row.nextFor), passed: [], ended };
}

/**
 * When a row that has begun is due, after a change. A retry gives way to the next time, also to one that the change has
 * brought. But a change may have brought it forward, and another one has followed: then it waits its time.
 */
function changedDueAt(row: TakenRow, { policy }: Schedule, now: number): number {
  const { was, dueAt, attempts, nextFor } = row;
  const at = was === 'retrying' ? Math.max(dueAt, retriesFrom(attempts, policy, now)) : dueAt;
  return Math.min(at, nextFor ?? at);
}

export function endedRun(
  row: QueueRow,
  schedule: Schedule,
  verdict: Exclude<Verdict, { kind: 'retry' }>,
  endedAt: number,
): RunRecord {
  const record: RunRecord = {
    id: runId(schedule.id, row.scheduledFor),
    scheduledFor: row.scheduledFor,
    trigger: 'schedule',
    status: verdict.kind,
    startedAt: row.attempts[0]?.startedAt ?? endedAt,
    finishedAt: endedAt,
    attempts: row.attempts,
  };
  if (verdict.kind === 'failed' && verdict.reason !== undefined) record.reason = verdict.reason;
  return record;
}
