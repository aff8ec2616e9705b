/**
 * The store contract: what every backend promises. Here the part that the API asks for; the
 * engine's part, the queue and the outbox, stands in `work.ts`, clients and keys in `access.ts`.
 *
 * - What a resolved promise acknowledges is durable: a power cut does not take it back.
 * - Owners are part of every question: a caller can only reach rows of its own client.
 * - "No row changed" is an answer, not an error.
 * - Instants are epoch ms. Ids are lower-case UUID version 7. Keys (`clientRowId`, `scheduleRowId`) are
 *   the backend's own short names for rows, stable while the store is open, and never answered.
 *
 * The suite in `test/store/contract.ts` states each promise as a test; every backend passes it.
 */
import type { HeldSchedule } from '../domain/explain.ts';
import type { Attempt, RunStatus, RunTrigger } from '../domain/run.ts';
import type { Schedule, ScheduleStatus } from '../domain/schedule.ts';
import type { Start } from '../domain/start.ts';
import type { ClientStore } from './access.ts';
import type { BreakerStore } from './breakers.ts';
import type { DataKeyStore } from './data-keys.ts';
import type { InstallationStore } from './installation.ts';
import type { OutboxStore, QueueStore } from './queue.ts';
import type { StatsStore } from './stats.ts';
import type { SuspensionStore } from './suspensions.ts';

export type {
  ApiKey,
  Caller,
  Client,
  ClientStore,
  FoundSession,
  Revocation,
  Session,
} from './access.ts';

export interface Store {
  readonly clients: ClientStore;
  readonly schedules: ScheduleStore;
  readonly runs: RunStore;
  readonly queue: QueueStore;
  readonly outbox: OutboxStore;
  readonly stats: StatsStore;
  readonly breakers: BreakerStore;
  readonly dataKeys: DataKeyStore;
  readonly installation: InstallationStore;
  readonly suspensions: SuspensionStore;
  /** Null where one process has the store for itself. */
  readonly cluster: Cluster | null;
  /**
   * Resolves when the store answers and can be written to.
   *
   * @param writing whether a write is tried also where none has failed
   * @throws PunctualError `store_unavailable`, `store_unusable`
   */
  check(writing?: boolean): Promise<void>;
  /** How much of the disk it takes. */
  size(): Promise<StoreSize>;
  /** What the connections to its server do; null where it has no server. */
  pool(): PoolUse | null;
  /** Waits for writes under way. Idempotent. */
  close(): Promise<void>;
}

export interface StoreSize {
  /** Of the database; the log of an embedded one not among them. */
  bytes: number;
  /** Of these: empty, and used again before it grows. Null where it is not known. */
  freeBytes: number | null;
  /** The file system that holds it, where it is this machine's. */
  disk: { bytes: number; freeBytes: number } | null;
}

/** Connections of this process to the server of its store. */
export interface PoolUse {
  /** How many there may be. */
  most: number;
  busy: number;
  idle: number;
  /** Calls that wait for one. */
  waiting: number;
}

/** What the nodes that share a store go by. */
export interface Cluster {
  /** How long what was claimed is held without `renew`, ms. */
  readonly leaseMs: number;
  /** The store's clock, epoch ms: the one that all nodes share. */
  now(): Promise<number>;
  /** One sentence about what the store cannot promise as it is set up, or null. */
  warning(): Promise<string | null>;
  /**
   * Notes that this node has looked at the clock from `awakeSince` to now.
   *
   * @param blindAfterMs how long nobody must have looked for it to count
   * @returns until when (epoch ms) times may have passed while no node looked
   */
  looked(awakeSince: number, blindAfterMs: number): Promise<number>;
  /**
   * Hears what other nodes write, soon after it is durable. A node that cannot hear, or not at the
   * moment, sees all of it by looking, a little later; it tries again by itself.
   */
  listen(listener: NodeListener): Listening;
}

export interface Listening {
  /** Nothing is told from here on. Idempotent. */
  close(): Promise<void>;
}

/** Told what other nodes have written; what the node itself wrote is not told. */
export interface NodeListener {
  /** Rows of the queue were written, of which the first is due at `dueAt`. */
  wake(dueAt: number): void;
  /** A schedule was changed. */
  changed(scheduleId: string, changedAt: number): void;
  /** A manual run of the schedule waits. */
  wakeOutbox(scheduleId: string): void;
  /** A client signs with other secrets from here on. */
  rotated(clientRowId: number): void;
  /**
   * Whether it hears from here on. Told again and again.
   *
   * @param why one sentence, where it does not
   */
  listening(isListening: boolean, why?: string): void;
}

/** The right to be the one engine of an embedded store. */
export interface EngineLock {
  /** What the engine before had claimed ahead for later than this was never sent, epoch ms; null: unknown. */
  readonly sentUntil: number | null;
  /** What is due until then may be sent from here on. */
  noteSentUntil(until: number): void;
  release(): void;
}

// Schedules --------------------------------------------------------------------------------------

export interface NewSchedule {
  schedule: Schedule;
  start: Start | null;
}

/** A schedule with the number that its next change must name (compare and set). */
export interface VersionedSchedule {
  schedule: Schedule;
  version: number;
}

/**
 * What a change does to the queue. Where interval, time zone or status changed, times are counted
 * anew from `changedAt`: a waiting row moves to `start` or goes; a run that has begun stays, is
 * marked as changed and brought forward, so that the engine decides about it. What has fired since
 * `changedAt` does not fire again: the schedule starts after it (domain/start.ts).
 */
export type Requeue = 'keep' | { changedAt: number; start: Start | null };

export interface ScheduleFilter {
  /** Deleted schedules are left out unless asked for here. */
  status?: ScheduleStatus;
  /** Contained, any case. */
  label?: string;
  /** Contained, any case. */
  url?: string;
}

/** What is known of one schedule at an instant (domain/explain.ts). */
export interface ScheduleAt {
  schedule: Schedule;
  held: HeldSchedule;
  /** The queue's row; null where the schedule fires no more. */
  row: { scheduledFor: number; begun: boolean } | null;
}

export interface ListedSchedules {
  schedules: Schedule[];
  /** Where a search has stopped: what is left has lower ids. Null: nothing is left, or there are `limit`. */
  next: string | null;
}

export interface ScheduleStore {
  /** All or nothing. */
  insert(clientRowId: number, schedules: NewSchedule[]): Promise<void>;
  find(clientRowId: number, id: string): Promise<VersionedSchedule | null>;
  /** @returns false where `version` is no longer the stored one: read again and decide again */
  update(
    clientRowId: number,
    schedule: Schedule,
    version: number,
    requeue: Requeue,
  ): Promise<boolean>;
  /**
   * Newest first, ids below `before` only. What a search by label or url looks through at once is
   * bounded (texts.ts): it may stop before it has found `limit` of them, or any.
   */
  list(
    clientRowId: number,
    filter: ScheduleFilter,
    limit: number,
    before?: string,
  ): Promise<ListedSchedules>;
  /**
   * The schedule as it stood at `at`: a change at that very instant counts as made. Changes are kept
   * as long as failed runs are.
   */
  findAt(clientRowId: number, id: string, at: number): Promise<ScheduleAt | null>;
}

// Runs -------------------------------------------------------------------------------------------

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
  /** What was claimed ahead for a later instant than this does not show as begun. */
  now?: number | undefined;
}

/**
 * Where history ends, epoch ms: for runs that failed, and for all others. Days of UTC go as a whole:
 * each of the two counts as the start of the day that holds it.
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
