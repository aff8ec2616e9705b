/**
 * The store contract, for named resources: their client names them, and its schedules refer to them by that name.
 */

/** `inUse`: a schedule that is not deleted names it. `unknown`: there is none. */
export type Deletion = 'deleted' | 'inUse' | 'unknown';

/** A schedule that names one; a kind may tell more of it. */
export interface ScheduleUse {
  scheduleRowId: number;
  id: string;
}

/** The promises of every kind of named resource. */
export interface NamedResourceStore<Stored, Use extends ScheduleUse> {
  find(clientRowId: number, name: string): Promise<Stored | null>;
  /** By name, those behind `after` only. */
  list(clientRowId: number, limit: number, after?: string): Promise<Stored[]>;
  /** Deletes it unless a schedule names it. @param at now, epoch ms */
  delete(clientRowId: number, name: string, at: number): Promise<Deletion>;
  /** How many schedules that are not deleted name each of these. */
  usedBy(clientRowId: number, names: string[]): Promise<Map<string, number>>;
  /**
   * A page of the schedules that name it and are not deleted, newest first.
   *
   * @param before row ids below it only; the first page: `Number.MAX_SAFE_INTEGER`
   */
  namedBy(clientRowId: number, name: string, before: number, limit: number): Promise<Use[]>;
}
