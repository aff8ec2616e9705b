/**
 * The store contract, the engine's part: the queue and the outbox. `store.ts` says the rules of the
 * whole contract.
 */

import type { SigningSecrets } from '../../domain/access/rotation.ts';
import type { QueueRow } from '../../domain/run/queue-row.ts';
import type { Attempt, RunRecord, RunTrigger } from '../../domain/run/run.ts';
import type { Start } from '../../domain/run/start.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { ServiceChange } from '../../domain/schedule/service-change.ts';
import type { PreviousRun } from '../../domain/schedule/template/names.ts';
import type { ClaimQueue } from './claim-queue.ts';
import type { IdempotentCall } from './idempotency.ts';
import type { RecountStore } from './recount.ts';

// The queue --------------------------------------------------------------------------------------

/** The facts of a schedule that the engine needs to fire it. */
export interface FireableSchedule extends Schedule, SigningSecrets {
  clientId: string;
}

/** A due row that is now this engine's. */
export interface Claim extends QueueRow {
  scheduleRowId: number;
  clientRowId: number;
  /** The instant of the claim; before `dueAt` where it was taken ahead. */
  claimedAt: number;
  /** The number in `Punctual-Fence`: it grows with each attempt of the schedule, on whatever node. */
  fence: number;
  /** The number of the schedule's last change. */
  version: number;
  /**
   * True: `attempt` counts the request to be sent now, and that is durable. False: the row was
   * taken but nothing begun, because its time or its next time passed unseen, the schedule was
   * changed, or a manual run's request is in flight. The engine decides, and settles it anew.
   */
  begun: boolean;
  /** Its state before the claim. */
  was: 'waiting' | 'retrying' | 'lost' | 'awaiting';
  /** Set when interval, time zone or status changed after the run began: count times from here. */
  changedAt: number | null;
  /** Since when a manual run's request of this schedule is in flight, or null. */
  blockedSince: number | null;
  schedule: FireableSchedule;
  /** The run before. The engine reads it where the schedule's templates name it. */
  previous?: PreviousRun;
}

export interface ClaimResult {
  claims: Claim[];
  /**
   * When the earliest of the rows that are left is due, epoch ms, or null (`nextDueAt`). It is `now` if
   * `limit` rows were taken: more may be due.
   */
  nextDueAt: number | null;
}

/** A manual run that awaits its completion, and blocks the row of its schedule. */
export interface AwaitedManual {
  scheduleRowId: number;
  /** When it is due: at its deadline, or now where its target has said how it ended. Epoch ms. */
  dueAt: number;
}

/** A row in flight and its schedule, both in their present state. */
export interface ClaimedRow {
  scheduleRowId: number;
  scheduledFor: number;
  attempt: number;
  /** As of its `Claim`. */
  fence: number;
  nextFor: number | null;
  changedAt: number | null;
  schedule: FireableSchedule;
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
 * One claimed row brought to its next state. Applied only where the row is still the claimed one (same nominal time, attempt,
 * number of the claim and `changedAt`, in flight): that is the fence. One whose answer was lost is sent again, and must not
 * undo a later claim of the same node.
 */
export interface Settlement {
  scheduleRowId: number;
  clientRowId: number;
  /** The claim as it was handed out. */
  fence: { scheduledFor: number; attempt: number; number: number; changedAt: number | null };
  /** Runs that ended, to be written to history. */
  records: RunRecord[];
  callbacks: NewCallback[];
  /** The row's next state, or null where the schedule fires no more. */
  row: QueueRow | null;
  /**
   * A change of the schedule in the same transaction, where it is still enabled. `row` is as the schedule is after it.
   * With `statusReason` `completed` nothing changes while a run waits that the target asked for.
   */
  change?: ServiceChange | undefined;
  /** A further run, where the schedule is enabled and not paused. It replaces the one that waits. */
  again?: TargetRun | undefined;
}

/** One more run that the target asked for, to be put into the outbox. */
export interface TargetRun {
  /** Its `scheduledFor` is `dueAt`. */
  id: string;
  dueAt: number;
  /** When it was asked for: no pause may last beyond it. */
  at: number;
}

/** A claim as far as a lease goes: in this version of the schedule. */
type HeldClaim = Pick<Claim, 'scheduleRowId' | 'version'>;

/**
 * The queue: its keys are those of the schedules. `renew` keeps a row only if its schedule still
 * has the same version. `recover` records the attempt of a row as `lost`; the row stays due at its
 * time. A row that was taken and not begun, or claimed ahead and never sent, returns to its former
 * state. A row that a manual run's request blocks stays blocked: that request was cut off too, and
 * is sent again first.
 */
export interface QueueStore extends ClaimQueue<number, Settlement, HeldClaim>, RecountStore {
  /**
   * Takes up to `limit` rows due at `now` or within `aheadMs` of it, earliest first, and those of one
   * instant in the order of their keys. It writes the claim before it resolves: attempt + 1 for those
   * that may be sent at once, or at their time (`begun`).
   *
   * Ahead of their time it takes only rows that will begin then. A row stays if a manual run of its
   * schedule waits: that run comes first.
   *
   * @param aheadMs 0 if it is left out
   * @param except clients (`clientRowId`) whose rows are not taken. Rows of others are searched
   * among the first 20,000 due rows, and the first 20,000 to come
   * @param unseenUntil times before this instant may have passed while nobody looked: a waiting row
   * older than it is not begun
   */
  claim(
    now: number,
    limit: number,
    unseenUntil: number,
    aheadMs?: number,
    except?: number[],
  ): Promise<ClaimResult>;
  /**
   * Of rows that were claimed ahead, those that still are as they were: held on, not marked as
   * changed, the schedule in the same version. To be asked at their time, where others write to the
   * same store; where only one engine does, all are.
   *
   * @returns the keys of the schedules
   */
  confirm(claims: HeldClaim[]): Promise<number[]>;
  /**
   * Of schedules whose manual run awaits its completion: when that is due. Of those whose manual run is in flight, or has
   * ended, nothing.
   */
  awaitedManuals(scheduleRowIds: number[]): Promise<AwaitedManual[]>;
  /**
   * Of rows that were put back behind a manual run, those that nothing blocks any more: they are due as they were. The end
   * of a manual run does the same with rows that are not in flight then.
   *
   * @returns how many
   */
  unblock(scheduleRowIds: number[]): Promise<number>;
  /**
   * Of runs that were never sent, because a change took their claims back: the records of the times that the change has
   * skipped behind them are deleted.
   */
  forgetSkipped(runs: Pick<Claim, 'scheduleRowId' | 'scheduledFor'>[]): Promise<void>;
  /** In-flight rows as they stand now, to decide again where `settle` named them. */
  reread(scheduleRowIds: number[]): Promise<ClaimedRow[]>;
  /** How many rows are due at `now` and not in flight. Rows that need a newer engine count only beyond thousands. */
  depth(now: number): Promise<number>;
}

// The outbox -------------------------------------------------------------------------------------

/** The result of a call that asks for a manual run. */
export type ManualInsert = 'inserted' | 'unknown' | 'replayed';

interface OutboxRow {
  /** Of a callback: its webhook-id. Of a manual run: the run's id. */
  id: string;
  clientRowId: number;
  scheduleRowId: number;
  claimedAt: number;
  /** The attempt to be made now, 1 for the first; already durable. */
  attempt: number;
  /** The attempts before. */
  attempts: Attempt[];
}

export interface CallbackClaim extends OutboxRow, SigningSecrets {
  kind: 'callback';
  clientId: string;
  runId: string;
  integrationId: string;
  url: string;
  body: string;
}

export interface ManualClaim extends OutboxRow {
  kind: 'manual';
  scheduledFor: number;
  /** As of a `Claim`. It is the instant of the claim where the schedule has no row in the queue. */
  fence: number;
  /** `target`: the target asked for this run. */
  trigger: Exclude<RunTrigger, 'schedule'>;
  /** Of one that the target asked for: it is not to come any more. */
  isDropped: boolean;
  /** The number of the schedule's last change. */
  version: number;
  /** The present schedule; a deleted one is not sent. */
  schedule: FireableSchedule;
  /** Nothing is to be sent: the last attempt awaits its completion, which has come, or whose deadline has passed. */
  awaits?: true;
  /** As of a `Claim`. */
  previous?: PreviousRun;
}

export type OutboxClaim = CallbackClaim | ManualClaim;

/** One claimed outbox row brought to its next state; the attempt and the instant of its claim are the fence. */
export interface OutboxSettlement {
  id: string;
  clientRowId: number;
  scheduleRowId: number;
  kind: 'callback' | 'manual';
  attempt: number;
  /** As of its claim. */
  claimedAt: number;
  /** Fewer than `attempt` where the last one was never started: it is taken back. */
  attempts: Attempt[];
  /**
   * Sent again at `dueAt`, or ended for good. One that `awaits` is due then, or when its completion comes; until it is
   * claimed, no other request of its schedule starts.
   */
  next: { dueAt: number; awaits?: true } | 'succeeded' | 'failed';
  /** A manual run that ended: its record for history, and the callbacks it causes. */
  record?: RunRecord;
  callbacks: NewCallback[];
  /** Of a manual run. If the schedule has another version, the settlement is named as overtaken: decide again. */
  change?: ManualRunChange | undefined;
  /** As of a `Settlement`. */
  again?: TargetRun | undefined;
}

/** A change of the schedule with the end of a manual run: the row of the queue moves as after a change by a caller. */
export interface ManualRunChange extends ServiceChange {
  /** The version that it was decided for. */
  version: number;
  /** The schedule as the change leaves it. */
  schedule: Schedule;
  /** Its times from there on. */
  start: Start | null;
}

/** The position of an entry in the order of due times. */
export interface OutboxPosition {
  dueAt: number;
  id: string;
}

/**
 * The outbox: its keys are the ids of its entries. `recover` makes an entry due at once, and before what
 * waited for it.
 */
export interface OutboxStore extends ClaimQueue<string, OutboxSettlement, string> {
  /**
   * @param run its `scheduledFor` is the instant that its id carries, as for every run
   * With `call`, what it made is kept in the same transaction.
   *
   * @returns `unknown` where the schedule is unknown to this client, or deleted; `replayed` where a call with this key
   * was kept before, and nothing is written
   * @throws PunctualError `too_many_waiting` where the client has `MOST_MANUAL_RUNS` that have not ended
   */
  insertManual(
    clientRowId: number,
    scheduleId: string,
    run: { id: string; scheduledFor: number },
    call?: IdempotentCall,
  ): Promise<ManualInsert>;
  /**
   * Takes up to `limit` due entries, earliest first, and writes that before it resolves. A manual
   * run is not taken while another request of its schedule is in flight; its claim blocks the
   * schedule's queue row until it is settled.
   */
  claim(now: number, limit: number): Promise<OutboxClaim[]>;
  /** @param after only of entries that are due later than this, epoch ms; left out: of all */
  nextDueAt(after?: number): Promise<number | null>;
  /** Entries that wait to be sent, or to be sent again; those of suspended clients are not counted. */
  depth(): Promise<number>;
  /**
   * Brings forward what a clock that was ahead of `now` has put off (domain/run/recount.ts, `dueAnew`). One call is
   * bounded work.
   *
   * @param after where to go on, null: from the beginning
   * @returns where the next call goes on, null: there is nothing left
   */
  recount(now: number, after: OutboxPosition | null): Promise<OutboxPosition | null>;
}
