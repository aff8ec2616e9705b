import type { Attempt, RunStatus, RunTrigger } from '../../domain/run/run.ts';
import type { PreviousRun } from '../../domain/schedule/template/names.ts';

/** A run as it is shown: ended, or as the queue and the outbox tell of it. */
export interface RunView {
  id: string;
  scheduleId: string;
  scheduledFor: number;
  trigger: RunTrigger;
  status: RunStatus;
  startedAt?: number;
  finishedAt?: number;
  /** Of one that awaits its completion: by when. */
  completionUntil?: number;
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

export interface ListedRuns {
  runs: RunView[];
  /** The id at which a search has stopped: the rest has lower ids. Null: nothing is left, or there are `limit`. */
  next: string | null;
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

/** The question for the run before another one. */
export interface PreviousRunQuery {
  clientRowId: number;
  scheduleRowId: number;
  /** Exclusive: only runs with an earlier nominal time, epoch ms. */
  before: number;
  /** Whether the last one that succeeded is looked for, among the last 100. */
  isSuccessAsked: boolean;
}

/** The question for the failures of a schedule in a row. */
export interface FailuresQuery {
  clientRowId: number;
  scheduleRowId: number;
  /** Inclusive: only runs with a later nominal time, epoch ms. Before it, runs that succeeded may be gone. */
  from: number;
  /** The number that is enough: 1 to 1,000. */
  most: number;
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
  /**
   * The same, only of schedules that have all these tags. One search is bounded: it may stop before it has found `limit`
   * runs, or any.
   */
  listTagged(
    clientRowId: number,
    filter: RunFilter & { tags: string[] },
    limit: number,
    before?: string,
  ): Promise<ListedRuns>;
  /** @param now as in the filter of `list` */
  find(clientRowId: number, id: string, now?: number): Promise<RunView | null>;
  /**
   * The facts about the last run that ended before a nominal time, one for each question and in their order: whatever became
   * of it, skipped and missed ones too. Empty where there is none.
   */
  previous(queries: PreviousRunQuery[]): Promise<PreviousRun[]>;
  /**
   * How many of the last runs failed in a row, one number for each question and in their order. Runs that somebody asked for
   * count neither way, nor do times that were skipped or missed. They are counted from the instant at which the schedule was
   * enabled last. It looks at the last 10,000 records of a schedule.
   */
  failuresInRow(queries: FailuresQuery[]): Promise<number[]>;
  /** The callbacks of one run, oldest first. */
  callbacks(clientRowId: number, runId: string): Promise<CallbackView[]>;
  /**
   * Takes away runs whose nominal time is before their limit, their ended callbacks, and what
   * schedules were (their versions too), and breakers that closed, before the limit of failed runs. One call is
   * bounded work, so that writers need not wait for it: it is to be called until it answers 0. To be
   * called at least once a day even where nothing is to go: a backend may prepare the days to come.
   *
   * @returns how many runs and callbacks went; about how many where a backend drops them unread
   */
  prune(limits: HistoryLimits): Promise<number>;
}
