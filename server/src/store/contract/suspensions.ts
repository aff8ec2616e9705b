import type { RunRecord } from '../../domain/run/run.ts';
import type { Claim, OutboxClaim } from './queue.ts';

/** The store contract: what is due of clients that are suspended (domain/run/suspension.ts). */
export interface SuspensionStore {
  /** Clients that are suspended, and those that are resumed and whose rows have not all come back. */
  list(): Promise<SuspendedClient[]>;
  /**
   * Puts claimed rows off, as they were before the claim, where their client is still suspended.
   *
   * @returns the keys of the schedules whose row was put off
   */
  putOff(claims: TakenClaim[]): Promise<number[]>;
  /**
   * The same for the outbox. Manual runs of a schedule that was deleted since, and callbacks of a client that was, are not put
   * off: they end unsent.
   *
   * @returns the ids that were put off
   */
  putOffEntries(claims: TakenEntry[]): Promise<string[]>;
  /**
   * Brings back the rows of a resumed client. When all are back, the suspension ends. One call is
   * bounded work; call it until it returns null. If nothing came back, some row due before the end
   * is still to be looked at: call it again a little later.
   *
   * @param now the instant at which missed times are recorded
   */
  readmit(clientRowId: number, now: number): Promise<ReadmittedRows | null>;
}

export interface SuspendedClient {
  clientRowId: number;
  /** It is resumed: `readmit` is to be called. */
  isResumed: boolean;
}

export type TakenClaim = Pick<
  Claim,
  | 'scheduleRowId'
  | 'clientRowId'
  | 'scheduledFor'
  | 'attempt'
  | 'fence'
  | 'changedAt'
  | 'was'
  | 'attempts'
>;

export type TakenEntry = Pick<
  OutboxClaim,
  'id' | 'clientRowId' | 'scheduleRowId' | 'kind' | 'attempt' | 'claimedAt' | 'attempts'
>;

export interface ReadmittedRows {
  /** Rows of the queue and entries of the outbox. */
  count: number;
  /** When the earliest row of the queue is due; null where none of the queue came back. */
  dueAt: number | null;
  /** Times that passed meanwhile. */
  passed: { scheduleId: string; record: RunRecord }[];
}
