/**
 * The store contract: what every keeper promises to the API and to the engine.
 *
 * - What a resolved promise acknowledges is durable: a power cut does not take it back.
 * - Owners are part of every question: a caller can only reach rows of its own client.
 * - "No row changed" is an answer, not an error.
 * - Instants are epoch ms. Ids are lower-case UUID version 7. Keys (`clientKey`, `scheduleKey`) are
 *   the keeper's own short names for rows, stable while the store is open, and never answered.
 *
 * The suite in `test/store/contract.ts` states each promise as a test; every keeper passes it.
 */
import type { QueueRow } from '../domain/queue.ts';
import type { Attempt, RunRecord, RunStatus, RunTrigger } from '../domain/run.ts';
import type { Schedule, ScheduleStatus } from '../domain/schedule.ts';

export interface Store {
  readonly clients: ClientStore;
  readonly schedules: ScheduleStore;
  readonly runs: RunStore;
  readonly queue: QueueStore;
  readonly outbox: OutboxStore;
  /** Resolves when the store answers and can be written to. @throws PunctualError store_unavailable */
  check(): Promise<void>;
  /** Waits for writes under way. Idempotent. */
  close(): Promise<void>;
}

// Clients and keys -------------------------------------------------------------------------------

export interface Client {
  id: string;
  name: string;
  /** `whsec_` and base64: what its requests are signed with. */
  signingSecret: string;
  createdAt: number;
}

export interface ApiKey {
  id: string;
  clientId: string;
  /** SHA-256 of the key, as hex; the key itself is stored nowhere. */
  hash: string;
  createdAt: number;
  revokedAt?: number;
}

/** Who calls: the client behind a valid key. */
export interface Caller {
  clientId: string;
  clientKey: number;
  keyId: string;
}

export interface ClientStore {
  insertClient(client: Client): Promise<void>;
  /** Oldest first. */
  listClients(): Promise<Client[]>;
  findClient(id: string): Promise<Client | null>;
  /** @returns false where the client does not exist */
  insertKey(key: ApiKey): Promise<boolean>;
  /** Oldest first, revoked ones included. */
  listKeys(clientId: string): Promise<ApiKey[]>;
  /** @returns false where no such key exists; true again for one that was revoked before */
  revokeKey(keyId: string, revokedAt: number): Promise<boolean>;
  /** The caller behind a key's hash, or null where it is unknown or revoked. */
  findCaller(keyHash: string): Promise<Caller | null>;
}

// Schedules --------------------------------------------------------------------------------------

/** The first two times of a schedule that is to fire; null for one that is not enabled. */
export interface Start {
  first: number;
  second: number | null;
}

export interface NewSchedule {
  schedule: Schedule;
  start: Start | null;
}

/** A schedule with the number that its next change must name (compare and set). */
export interface Versioned {
  schedule: Schedule;
  version: number;
}

/**
 * What a change does to the queue. Where interval, time zone or status changed, times are counted
 * anew from `changedAt`: a waiting row moves to `start` or goes; a run that has begun stays, is
 * marked as changed and brought forward, so that the engine decides about it.
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

export interface ScheduleStore {
  /** All or nothing. */
  insert(clientKey: number, schedules: NewSchedule[]): Promise<void>;
  find(clientKey: number, id: string): Promise<Versioned | null>;
  /** @returns false where `version` is no longer the stored one: read again and decide again */
  update(
    clientKey: number,
    schedule: Schedule,
    version: number,
    requeue: Requeue,
  ): Promise<boolean>;
  /** Newest first, ids below `before` only. */
  list(
    clientKey: number,
    filter: ScheduleFilter,
    limit: number,
    before?: string,
  ): Promise<Schedule[]>;
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
}

export interface RunStore {
  /**
   * Newest nominal time first; those of one time in an order that stays.
   *
   * @param before the id of a run: only those behind it in this order
   */
  list(clientKey: number, filter: RunFilter, limit: number, before?: string): Promise<RunView[]>;
  find(clientKey: number, id: string): Promise<RunView | null>;
  /** The callbacks of one run, oldest first. */
  callbacks(clientKey: number, runId: string): Promise<CallbackView[]>;
}

// The queue --------------------------------------------------------------------------------------

/** What the engine needs to know of a schedule to fire it. */
export interface Firing extends Schedule {
  clientId: string;
  signingSecret: string;
}

/** A due row that is now this engine's. */
export interface Claim extends QueueRow {
  scheduleKey: number;
  clientKey: number;
  /** The instant of the claim. */
  claimedAt: number;
  /**
   * True: `attempt` counts the request to be sent now, and that is durable. False: the row was
   * taken but nothing begun, because its time or its next time passed unseen, the schedule was
   * changed, or a manual run's request is in flight. The engine decides, and settles it anew.
   */
  begun: boolean;
  /** Its state before the claim. */
  was: 'waiting' | 'retrying' | 'lost';
  /** Set when interval, time zone or status changed after the run began: count times from here. */
  changedAt: number | null;
  /** Since when a manual run's request of this schedule is in flight, or null. */
  blockedSince: number | null;
  firing: Firing;
}

/** An in-flight row as it stands now, with its schedule as it stands now. */
export interface Standing {
  scheduleKey: number;
  scheduledFor: number;
  attempt: number;
  nextFor: number | null;
  changedAt: number | null;
  firing: Firing;
}

export interface NewCallback {
  /** Its `webhook-id` too. */
  id: string;
  runId: string;
  integrationId: string;
  url: string;
  /** The JSON body, as it is signed and sent. */
  body: string;
  dueAt: number;
}

/**
 * One claimed row brought to its next state. Applied only where the row is still the claimed one
 * (same nominal time, attempt and `changedAt`, in flight): that is the fence.
 */
export interface Settlement {
  scheduleKey: number;
  clientKey: number;
  /** The claim as it was handed out. */
  fence: { scheduledFor: number; attempt: number; changedAt: number | null };
  /** Runs that ended, to be written to history. */
  records: RunRecord[];
  callbacks: NewCallback[];
  /** The row's next state, or null where the schedule fires no more. */
  row: QueueRow | null;
}

export interface QueueStore {
  /**
   * Takes up to `limit` rows due at `now`, earliest first, and writes that before it resolves:
   * attempt + 1 for those that may be sent at once (`begun`).
   *
   * @param unseenUntil times before this instant may have passed while nobody looked: a waiting
   * row older than it is not begun
   */
  claim(now: number, limit: number, unseenUntil: number): Promise<Claim[]>;
  /** @returns the keys of the schedules whose row was no longer the claimed one */
  settle(settlements: Settlement[]): Promise<number[]>;
  /** In-flight rows as they stand now, to decide again where `settle` named them. */
  reread(scheduleKeys: number[]): Promise<Standing[]>;
  /** When the earliest row is due, or null. In-flight rows do not count. */
  nextDueAt(): Promise<number | null>;
  /** How many rows are due at `now` and not in flight. */
  depth(now: number): Promise<number>;
  /**
   * For an engine that starts and is the only one: what stands in flight was cut off with the
   * process before. Rows become `lost` and due at once, with the attempt recorded so; those that
   * were taken and not begun are again what they were. A row that a manual run's request blocks
   * stays blocked: that request was cut off too, and is sent again first.
   *
   * @returns how many
   */
  recover(now: number): Promise<number>;
}

// The outbox -------------------------------------------------------------------------------------

interface OutboxRow {
  /** Of a callback: its webhook-id. Of a manual run: the run's id. */
  id: string;
  clientKey: number;
  scheduleKey: number;
  claimedAt: number;
  /** The attempt to be made now, 1 for the first; already durable. */
  attempt: number;
  /** What is known of the attempts before. */
  attempts: Attempt[];
}

export interface CallbackClaim extends OutboxRow {
  kind: 'callback';
  runId: string;
  integrationId: string;
  url: string;
  body: string;
  signingSecret: string;
}

export interface ManualClaim extends OutboxRow {
  kind: 'manual';
  scheduledFor: number;
  /** The schedule as it stands now; a deleted one is not sent. */
  firing: Firing;
}

export type OutboxClaim = CallbackClaim | ManualClaim;

/** One claimed outbox row brought to its next state; the attempt number is the fence. */
export interface OutboxSettlement {
  id: string;
  clientKey: number;
  scheduleKey: number;
  kind: 'callback' | 'manual';
  attempt: number;
  /** Fewer than `attempt` where the last one was never started: it is taken back. */
  attempts: Attempt[];
  /** Sent again at `dueAt`, or ended for good. */
  next: { dueAt: number } | 'succeeded' | 'failed';
  /** A manual run that ended: its record for history, and the callbacks it causes. */
  record?: RunRecord;
  callbacks: NewCallback[];
}

export interface OutboxStore {
  /**
   * @param run its `scheduledFor` is the instant that its id carries, as for every run
   * @returns false where the schedule is unknown to this client, or deleted
   */
  insertManual(
    clientKey: number,
    scheduleId: string,
    run: { id: string; scheduledFor: number },
  ): Promise<boolean>;
  /**
   * Takes up to `limit` due entries, earliest first, and writes that before it resolves. A manual
   * run is not taken while another request of its schedule is in flight; its claim blocks the
   * schedule's queue row until it is settled.
   */
  claim(now: number, limit: number): Promise<OutboxClaim[]>;
  /** @returns the ids whose entry was no longer the claimed one */
  settle(settlements: OutboxSettlement[]): Promise<string[]>;
  nextDueAt(): Promise<number | null>;
  /** Entries that wait to be sent, or to be sent again. */
  depth(): Promise<number>;
  /**
   * As for the queue: what stands in flight was cut off. It is due at once, and before what waited
   * for it. @returns how many
   */
  recover(now: number): Promise<number>;
}
