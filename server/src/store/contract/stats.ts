/**
 * The store contract, the part of figures: aggregates for the pages of the dashboard. `store.ts`
 * says the rules of the whole contract.
 *
 * No schedule needs these figures, and they delay none: the embedded backend answers them in a
 * separate thread.
 */
import type { When } from '../../domain/calendar/timing.ts';
import type { MissedTime } from '../../domain/run/bands.ts';
import type { LatenessCount } from '../../domain/run/lateness.ts';
import type { RunRecord } from '../../domain/run/run.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { BreakerRecord } from './breakers.ts';
import type { FailedRunStore } from './failed-runs.ts';

export interface StatusCounts {
  enabled: number;
  disabled: number;
}

/** Enabled schedules that fire at the same times, to the same host. */
export interface ScheduleGroup extends When {
  /** Host and port of the url, in lower case. */
  host: string;
  count: number;
}

/** An enabled schedule without a window, one of a herd. */
export interface HerdMember extends When {
  id: string;
  externalId?: string;
}

export interface GroupedPart {
  groups: ScheduleGroup[];
  /** The rest has lower ids than this; null: there is no rest. */
  next: string | null;
}

/** The runs that ended, or were decided, within one minute. */
export interface MinuteCount {
  /** The start of the minute, epoch ms. */
  minute: number;
  succeeded: number;
  failed: number;
  /** Of the scheduled ones among them. */
  lateness: LatenessCount[];
  /** Times that do not fire, as was decided in this minute: each by the minute of its own. */
  passed: PassedCount[];
}

export interface PassedCount {
  /** Of the nominal times: its start, epoch ms. */
  minute: number;
  skipped: number;
  missed: number;
}

/** Nominal times of one schedule, by what became of them. */
export interface OutcomeCounts {
  succeeded: number;
  failed: number;
  skipped: number;
  missed: number;
}

export interface StepCount extends OutcomeCounts {
  /** The start of the step, epoch ms. */
  at: number;
}

/** One record that stands for many times: the first and the last of them, epoch ms. */
export interface MissedSpan {
  count: number;
  from: number;
  to: number;
}

/** `from` and `to` are multiples of `stepMs`, epoch ms. */
export interface StepRange {
  from: number;
  to: number;
  stepMs: number;
}

export interface CountedHistory {
  /** In which something is on record, oldest first; without what a span stands for. */
  steps: StepCount[];
  /** Those that reach into the range. */
  spans: MissedSpan[];
  /** How many records were read. */
  records: number;
}

/** A schedule with failed runs. */
export interface FailureCount {
  scheduleId: string;
  label: string;
  url: string;
  failures: number;
  lastFailedFor: number;
  /** The latest 20 that were sent and ended, newest nominal time first. */
  latest: LatestRun[];
}

export interface LatestRun {
  status: 'succeeded' | 'failed';
  /** Of its last attempt, where it failed. */
  error?: string;
}

/** The next firing of a schedule. */
export interface Upcoming {
  scheduleId: string;
  label: string;
  url: string;
  dueAt: number;
  scheduledFor: number;
  /** A retry of a run that has begun, and not a new one. */
  isRetry: boolean;
}

/** A run that has ended, or will not be sent. */
export interface EndedRun extends RunRecord {
  scheduleId: string;
  /** When it ended, or it was decided that it is not sent. */
  endedAt: number;
}

/** A host that does not respond to a client. */
export type OpenBreaker = Pick<BreakerRecord, 'origin' | 'since' | 'openedAt'>;

export interface BreakerChange extends OpenBreaker {
  /** Of the breaker: it opens and closes once. */
  id: string;
  change: 'opened' | 'closed';
  /** When it opened or closed. */
  at: number;
}

export interface StatsStore extends FailedRunStore {
  /** How many schedules are not deleted, by status. */
  counts(clientRowId: number): Promise<StatusCounts>;
  /** Of all clients. */
  allCounts(): Promise<StatusCounts>;
  /**
   * Enabled schedules in groups: the newest `limit` of those whose ids are below `before`. To count a
   * million at once takes seconds, and what statements may take is bounded.
   */
  groups(clientRowId: number, limit: number, before?: string): Promise<GroupedPart>;
  /**
   * The newest `limit` enabled schedules without a window that have this interval and host. It looks through all schedules
   * of the client.
   */
  herd(
    clientRowId: number,
    of: Pick<ScheduleGroup, 'interval' | 'host'>,
    limit: number,
  ): Promise<HerdMember[]>;
  /**
   * Runs that ended with from <= finishedAt < to, by minute, oldest first, and times that were then
   * decided not to fire.
   */
  ended(clientRowId: number, from: number, to: number): Promise<MinuteCount[]>;
  /**
   * Ended runs of schedules, and times that did not fire, by their nominal times with
   * from <= scheduledFor < to: of the newest `limit` records of each. One answer for each id, in their order.
   */
  history(
    clientRowId: number,
    scheduleIds: string[],
    range: StepRange,
    limit: number,
  ): Promise<CountedHistory[]>;
  /**
   * The missed times of a schedule with from <= scheduledFor < to, and the record before them if it reaches in, in order.
   * They are the newest `limit` of those among the newest 20,000 that its client missed then.
   */
  missed(
    clientRowId: number,
    scheduleId: string,
    from: number,
    to: number,
    limit: number,
  ): Promise<MissedTime[]>;
  /** Schedules by their failed runs since `from`, most first; of the latest 2,000 such runs. */
  failures(clientRowId: number, from: number, limit: number): Promise<FailureCount[]>;
  /**
   * The next firings, earliest first. Rows claimed ahead count until their time has come at `now`.
   * The list may be incomplete if another client has thousands of schedules due before, and this
   * one has too many to look through.
   */
  upcoming(clientRowId: number, now: number, limit: number): Promise<Upcoming[]>;
  /**
   * Runs that ended at `after` or later, and those that were then decided not to be sent, in that
   * order. A backend may leave out nominal times more than 11 days before that.
   */
  endedSince(clientRowId: number, after: number, limit: number): Promise<EndedRun[]>;
  /** Schedules made or changed at `after` or later, deleted ones included, in that order. */
  changedSince(clientRowId: number, after: number, limit: number): Promise<Schedule[]>;
  /** Hosts whose breaker is open at `now`, each once, those first that answer nothing for longest. */
  openBreakers(clientRowId: number, now: number, limit: number): Promise<OpenBreaker[]>;
  /**
   * Breakers that opened or closed at `after` or later. If several engines have one for the same
   * host, the first that opens and the last that closes count.
   */
  breakersSince(clientRowId: number, after: number, limit: number): Promise<BreakerChange[]>;
}
