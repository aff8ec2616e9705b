import type { ScheduleChanger } from '../../domain/schedule/changer.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { VersionedSchedule } from './schedules.ts';

/**
 * The store contract, the versions of schedules. `store.ts` says the rules of the whole contract.
 *
 * Every change that moves `updatedAt` keeps the schedule as it was before it, in its own transaction. A change of what is
 * only derived, such as the last time that a calendar leaves, keeps nothing.
 */

/** A schedule as it was until a change. */
export interface PastVersion extends VersionedSchedule {
  /** The instant of the change, epoch ms: the next version is of then. */
  until: number;
  /** The author of that change. */
  changedBy: ScheduleChanger;
  /** The name of the key that made it; absent where it has none. */
  keyName?: string;
}

/** A schedule now, and as it was at an instant. */
export interface VersionAt {
  scheduleRowId: number;
  present: VersionedSchedule;
  /**
   * The version that held. Null: it is not kept any more, or was never kept, or the schedule was made later.
   */
  held: { schedule: Schedule; version: number } | null;
}

/** Versions of one schedule that are kept: the latest ones. */
export const MOST_VERSIONS = 1_000;

export interface VersionStore {
  /**
   * Newest first, the present one left out. They are kept as long as failed runs, and the last 1,000 at most.
   *
   * @param before exclusive
   */
  list(
    clientRowId: number,
    scheduleId: string,
    limit: number,
    before: number,
  ): Promise<PastVersion[]>;
  /** A change at that very instant counts as made. @returns null where there is no such schedule */
  at(clientRowId: number, scheduleId: string, at: number): Promise<VersionAt | null>;
}
