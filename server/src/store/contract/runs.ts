import type { Attempt, RunStatus, RunTrigger } from '../../domain/run/run.ts';

/** A run as it is shown: ended, or as the queue and the outbox tell of it. */
export interface RunView {
  id: string;
  scheduleId: string;
  scheduledFor: number;
  trigger: RunTrigger;
  status: RunStatus;
  startedAt?: number;
  finishedAt?: number;
  attempts: Attempt[];
  reason?: string;
  missed?: { count: number; from: number; to: number };
}

export interface CallbackView {
  id: string;
  integrationId: string;
  url: string;
  status: 'queued' | 'running' | 'retrying' | 'succeeded' | 'failed';
  attempts: Attempt[];
}

export interface RunFilter {
  scheduleId?: string;
  status?: RunStatus;
  /** Nominal time, inclusive. */
  from?: number;
  /** Nominal time, exclusive. */
  to?: number;
  /** Rows claimed ahead for a later instant than this do not show as begun. */
  now?: number | undefined;
}

/**
 * The ends of history, epoch ms: for runs that failed, and for all others. Days of UTC go as a
 * whole: each of the two counts as the start of the day that holds it.
 */
export interface HistoryLimits {
  succeededBefore: number;
  failedBefore: number;
}

export interface RunStore {
  /**
   * Newest nominal time first; those of one time in an order that stays.
   *
   * @param before the id of a run: only those behind it in this order
   */
  list(clientRowId: number, filter: RunFilter, limit: number, before?: string): Promise<RunView[]>;
  /** @param now as in the filter of `list` */
  find(clientRowId: number, id: string, now?: number): Promise<RunView | null>;
  /** The callbacks of one run, oldest first. */
  callbacks(clientRowId: number, runId: string): Promise<CallbackView[]>;
  /**
   * Takes away runs whose nominal time is before their limit, their ended callbacks, and what
   * schedules were, and breakers that closed, before the limit of failed runs. One call is
   * bounded work, so that writers need not wait for it: it is to be called until it answers 0. To be
   * called at least once a day even where nothing is to go: a backend may prepare the days to come.
   *
   * @returns how many runs and callbacks went; about how many where a backend drops them unread
   */
  prune(limits: HistoryLimits): Promise<number>;
}
