import type { Failure } from '../../domain/run/incident.ts';

/** The store contract, the part of incidents: runs that failed, and how their schedules went on. */

/** The last failure of a schedule among others of one cause. */
export interface RecoveryQuery {
  scheduleId: string;
  /** Its nominal time, epoch ms. */
  lastFor: number;
}

/** How a schedule went on after a failure. */
export interface Recovered {
  /** The nominal time of the first run that succeeded since, among the next 1,000; null: there is none. */
  succeededFor: number | null;
  /** Whether the schedule still fires. */
  isEnabled: boolean;
}

export interface FailedRunStore {
  /**
   * Runs that failed and times that were missed, with from <= scheduledFor < to, in any order: the newest `limit` of
   * each of the two.
   */
  failed(clientRowId: number, from: number, to: number, limit: number): Promise<Failure[]>;
  /** How schedules went on, one for each question and in their order. */
  recovered(clientRowId: number, questions: RecoveryQuery[]): Promise<Recovered[]>;
}
