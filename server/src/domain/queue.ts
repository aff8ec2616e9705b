import type { Attempt } from './run.ts';

/**
 * The queue row: at most one per schedule, and all that the engine knows between two looks at it.
 *
 * - `waiting`: `scheduledFor` has not been begun. `dueAt` is `scheduledFor`, or a little later where
 *   it waits for a manual run's request.
 * - `inFlight`: a request is under way; `attempt` was written before its first byte left.
 * - `retrying`: `attempt` attempts were made, the next one is due at `dueAt`.
 * - `lost`: the process stopped with a request in flight; it is sent again before anything newer.
 */
export type QueueState = 'waiting' | 'inFlight' | 'retrying' | 'lost';

export interface QueueRow {
  state: QueueState;
  dueAt: number;
  /** The nominal time of the run that this row stands for. */
  scheduledFor: number;
  /** The nominal time after `scheduledFor`, or null when there is none: a run's retries end there. */
  nextFor: number | null;
  /** Attempts begun so far. */
  attempt: number;
  /** What is known of the attempts that ended. */
  attempts: Attempt[];
}
