/**
 * A period of a calendar, in which its schedules do not fire.
 *
 * Whole days, and times without a zone, are judged by the wall clock of the schedule. Times with a zone are instants.
 */
export interface Period {
  /** Inclusive: epoch ms, or where `isLocal` ms of the local time line (the wall clock read as if it were UTC). */
  from: number;
  /** Exclusive; later than `from`. */
  to: number;
  isLocal: boolean;
  /** The entry's name for people, may be empty. */
  summary: string;
}
