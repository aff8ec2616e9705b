import { nextTime } from '../calendar/times.ts';
import { iso } from '../iso.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { completion, type ServiceChange, serviceChanged } from '../schedule/service-change.ts';
import { passedRecords } from './passed.ts';
import type { Move } from './queue.ts';
import { type QueueRow, type TakenRow, waitingRow } from './queue-row.ts';
import { skippedBehind } from './row-times.ts';
import type { Attempt, RunRecord } from './run.ts';
import type { Verdict } from './verdict.ts';

/**
 * The consequences of an answer for its schedule: what the target asked for (`Punctual-Control`), and what the policy
 * says of a 410 and of failures in a row.
 */

/** The change of the schedule that the answer asks for, and the further run. Instants are epoch ms. */
export interface Consequence {
  change: ServiceChange | null;
  againAt: number | null;
}

const GONE = 410;

/**
 * @param answeredAt when the answer came: the change is made then, and spans are counted from it
 * @returns null where the answer asks for nothing, as most do
 */
export function consequenceOf(
  { control, outcome, responseStatus }: Attempt,
  schedule: Schedule,
  answeredAt: number,
): Consequence | null {
  const isGone =
    outcome === 'response' && responseStatus === GONE && schedule.policy?.disableOnGone === true;
  if (control === undefined && !isGone) return null;
  if (schedule.status !== 'enabled') return { change: null, againAt: null };
  if (control?.disable) return { change: disabled(answeredAt, 'targetDisabled'), againAt: null };
  if (isGone) return { change: disabled(answeredAt, 'targetGone'), againAt: null };
  if (control?.pauseSeconds !== undefined) {
    const pausedUntil = answeredAt + control.pauseSeconds * 1_000;
    // A pause that lasts longer stays.
    const isLonger = pausedUntil > (schedule.timing?.pausedUntil ?? 0);
    return { change: isLonger ? { at: answeredAt, pausedUntil } : null, againAt: null };
  }
  const { againSeconds } = control!;
  const againAt = againSeconds === undefined ? null : answeredAt + againSeconds * 1_000;
  return { change: null, againAt };
}

function disabled(
  at: number,
  statusReason: 'targetDisabled' | 'targetGone' | 'tooManyFailures',
): ServiceChange {
  return { at, status: 'disabled', statusReason };
}

/** A failure is final where the target asked for it. @param attempt the last one */
export function finalBy({ control }: Attempt, verdict: Verdict): Verdict {
  if (verdict.kind !== 'retry' || !control?.noRetry) return verdict;
  return { kind: 'failed', reason: 'It was not tried again: the target asked for no retry.' };
}

/** A retry does not come under the change that its answer asks for. */
export function underChange(verdict: Verdict, change: ServiceChange | null): Verdict {
  if (verdict.kind !== 'retry' || change === null) return verdict;
  const { status, pausedUntil } = change;
  if (status !== undefined) {
    return { kind: 'failed', reason: `It was not tried again: the schedule was ${status}.` };
  }
  if (pausedUntil === undefined || verdict.at >= pausedUntil) return verdict;
  const reason = `It was not tried again: the schedule is paused until ${iso(pausedUntil)}.`;
  return { kind: 'failed', reason };
}

/** Whether this end makes the failures of the schedule be counted. */
export function countsFailures(
  { status, trigger }: Pick<RunRecord, 'status' | 'trigger'>,
  { policy }: Schedule,
): boolean {
  return status === 'failed' && trigger !== 'manual' && policy?.disableAfterFailures !== undefined;
}

/**
 * @param failures of runs in a row, this one included
 * @returns null where they are not too many, or the schedule is not enabled any more
 */
export function afterFailures(
  schedule: Schedule,
  failures: number,
  now: number,
): ServiceChange | null {
  const most = schedule.policy?.disableAfterFailures;
  if (most === undefined || failures < most || schedule.status !== 'enabled') return null;
  return disabled(now, 'tooManyFailures');
}

/** A row, with the times that are on record already. */
type KnownRow = QueueRow & Pick<TakenRow, 'known'>;

/**
 * The move of a row whose answer has consequences.
 *
 * Times that came while the run was going are decided about by the schedule as it was; nothing that is still to come is.
 *
 * @param endedAt when the attempt ended
 * @param decide the move of such a row under such a schedule
 */
export function movedBy<Row extends KnownRow>(
  { change, againAt }: Consequence,
  row: Row,
  schedule: Schedule,
  endedAt: number,
  decide: (row: Row, schedule: Schedule) => Move,
): Move {
  if (change !== null) return movedUnder(row, schedule, change, endedAt, decide);
  const move = decide(row, schedule);
  return againAt === null ? move : { ...move, againAt };
}

function movedUnder<Row extends KnownRow>(
  row: Row,
  schedule: Schedule,
  change: ServiceChange,
  endedAt: number,
  decide: (row: Row, schedule: Schedule) => Move,
): Move {
  const after = serviceChanged(schedule, change);
  const { nextFor } = row;
  if (nextFor !== null && nextFor <= endedAt) {
    const move = decide(row, schedule);
    const isGoing = move.row !== null && move.row.state !== 'waiting';
    const changed = isGoing
      ? { ...move, ...goOnBehind(row, move.row!, schedule, after, endedAt) }
      : goOnAs(after, move, endedAt);
    return { ...changed, change };
  }
  const move = decide({ ...row, nextFor: firstFrom(after, nextFor) }, after);
  return { ...move, change };
}

/** The same of a run that has ended, when its failures were counted. */
export function movedAfterFailures(
  move: Move,
  schedule: Schedule,
  failures: number,
  endedAt: number,
): Move {
  const before = move.change === undefined ? schedule : serviceChanged(schedule, move.change);
  const failing = afterFailures(before, failures, endedAt);
  if (failing === null) return move;
  const change = { ...move.change, ...failing };
  const { againAt: _, ...rest } = goOnAs(serviceChanged(schedule, change), move, endedAt);
  return { ...rest, change };
}

/**
 * The run goes on, because it awaits its completion: the times that came meanwhile are skipped, and the next one is of the
 * schedule as it is now.
 */
function goOnBehind(
  row: KnownRow,
  going: QueueRow,
  before: Schedule,
  after: Schedule,
  endedAt: number,
): Pick<Move, 'row' | 'passed'> {
  const passed = skippedBehind(row, before, endedAt);
  return { row: { ...going, nextFor: firstFrom(after, endedAt + 1) }, passed };
}

/** The row goes on as the schedule is now. A time that was to start behind the run is skipped. */
function goOnAs(after: Schedule, move: Move, endedAt: number): Move {
  const { row } = move;
  if (row === null || row.state !== 'waiting') return move;
  if (row.scheduledFor > endedAt) {
    return { ...move, row: waitingRow(after, firstFrom(after, row.scheduledFor)) };
  }
  const { scheduledFor } = row;
  const times = { ...after, timing: unpaused(after) };
  const passed = passedRecords(times, scheduledFor, scheduledFor, 'skipped', whyHeldBack(after));
  const next = after.status === 'enabled' ? nextTime(after, endedAt) : null;
  return { ...move, passed: [...move.passed, ...passed], row: waitingRow(after, next) };
}

function unpaused({ timing }: Schedule) {
  const { pausedUntil: _, ...rest } = timing ?? {};
  return rest;
}

function whyHeldBack({ status, timing }: Schedule): string {
  return status === 'enabled'
    ? `The run before it paused the schedule until ${iso(timing!.pausedUntil!)}.`
    : 'The run before it disabled the schedule.';
}

/** The first time of the schedule as it is now that is not before `time`. */
function firstFrom(schedule: Schedule, time: number | null): number | null {
  return time === null || schedule.status !== 'enabled' ? null : nextTime(schedule, time - 1);
}

/**
 * The change that a run's end makes, with the completion of a schedule that has no time to come.
 *
 * @param isLast no time and no further run is to come, once the change is made
 */
export function withCompletion(
  schedule: Schedule,
  change: ServiceChange | undefined,
  isLast: boolean,
  now: number,
): ServiceChange | undefined {
  const after = change === undefined ? schedule : serviceChanged(schedule, change);
  if (!isLast || after.status !== 'enabled') return change;
  return { ...change, ...completion(after, now) };
}
