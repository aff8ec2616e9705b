import { nextTime } from '../calendar/times.ts';
import type { When } from '../calendar/timing.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { Attempt } from './run.ts';

/**
 * The queue row: at most one per schedule, and all that the engine knows between two looks at it.
 *
 * - `waiting`: `scheduledFor` has not been begun. `dueAt` is `scheduledFor`, or a little later where
 *   it waits for a manual run's request.
 * - `inFlight`: a request is under way; `attempt` was written before its first byte left.
 * - `retrying`: `attempt` attempts were made, the next one is due at `dueAt`.
 * - `lost`: the process stopped with a request in flight; it is sent again before anything newer.
 * - `awaiting`: the request was answered, and the target says later how it ended (completion.ts). `dueAt` is the
 *   deadline, or now where the target has said it.
 */
export type QueueState = 'waiting' | 'inFlight' | 'retrying' | 'lost' | 'awaiting';

/** A node of several confirms a claim that is older than this, in ms, before it sends its request. */
export const SURE_MS = 100;

export interface QueueRow {
  state: QueueState;
  dueAt: number;
  /** The nominal time of the run that this row stands for. */
  scheduledFor: number;
  /** The nominal time after `scheduledFor`, or null when there is none: a run's retries end there. */
  nextFor: number | null;
  /** Attempts begun so far. */
  attempt: number;
  /** The attempts that ended. */
  attempts: Attempt[];
}

/** A row that was taken, with what stands around it. */
export interface TakenRow extends QueueRow {
  was: Exclude<QueueState, 'inFlight'>;
  changedAt: number | null;
  blockedSince: number | null;
  /**
   * When the manual run that blocks it is due, epoch ms: it awaits its completion, and this row waits for its end. Left out
   * where its request is in flight.
   */
  blockedUntil?: number;
  /** Times of this row that are on record already: the clock was set back since. Looked up where that may be. */
  known?: KnownTime[];
}

/** A nominal time that is on record although it is only now coming. */
export interface KnownTime {
  scheduledFor: number;
  /** It was sent: it does not fire again. */
  sent: boolean;
  /** Of one that is to be sent again: the attempts that it had. */
  attempts: Attempt[];
}

/**
 * Whether the engine may send a due row at once. If not, its time or its next one passed while no
 * engine was running, and `decide` chooses what to do.
 *
 * @param unseenUntil times before this instant may have passed unseen
 */
export function mayBegin(
  row: Pick<QueueRow, 'state' | 'scheduledFor' | 'nextFor'>,
  now: number,
  unseenUntil: number,
): boolean {
  if (row.state === 'lost') return true;
  if (row.state === 'awaiting') return false;
  if (row.nextFor !== null && row.nextFor <= now) return false;
  return row.state === 'retrying' || row.scheduledFor >= unseenUntil;
}

/** The first row of a schedule that is to fire, or null where it is not. */
export function waitingRow(
  schedule: Pick<Schedule, 'status'> & When,
  scheduledFor: number | null,
): QueueRow | null {
  if (schedule.status !== 'enabled' || scheduledFor === null) return null;
  const nextFor = nextTime(schedule, scheduledFor);
  return {
    state: 'waiting',
    dueAt: scheduledFor,
    scheduledFor,
    nextFor,
    attempt: 0,
    attempts: [],
  };
}

/** A clock that was set back does not bring a request before its nominal time. */
export function neverEarly({ scheduledFor }: QueueRow, at: number): number {
  return Math.max(at, scheduledFor);
}
