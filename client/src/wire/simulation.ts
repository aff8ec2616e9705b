import type { ClockNote, Problem } from './check.ts';
import type { ScheduleInput, SchedulePatch } from './schedule.ts';

/** One change: `create` alone, or `id` with either `patch` or `delete`. */
export interface ChangeInput {
  create?: ScheduleInput;
  /** An id, or `ext:` and an external id. */
  id?: string;
  patch?: SchedulePatch;
  delete?: true;
}

export interface SimulationInput {
  /** 1 to 1,000, worked out in this order: each builds on those before it. */
  changes: ChangeInput[];
  /** ISO 8601, inclusive: when the changes are made. Now by default. */
  from?: string;
  /** 1 to 92, 31 by default: days of 24 hours. */
  days?: number;
  /** Whether the busiest minutes of the hosts are told, too. */
  herd?: boolean;
}

/** The effect of one change. */
export interface ChangeEffect {
  action: 'create' | 'patch' | 'delete';
  /** Of a schedule that is stored. */
  id?: string;
  /** Nominal times within the range, of an enabled schedule. */
  firingsBefore: number;
  firingsAfter: number;
  /** Absent, like the three below, where a schedule has more than 100,000 times in the range. */
  addedCount?: number;
  removedCount?: number;
  /** The first 20 times that the schedule has after the change only. */
  added?: string[];
  /** The first 20 times that it has before the change only. */
  removed?: string[];
  /** The first time from `from` on, also beyond `to`; absent where none comes. */
  nextBefore?: string;
  nextAfter?: string;
  /** Changes of the wall clock within the range that touch it after the change. */
  clockNotes: ClockNote[];
  /** Why a write would refuse the change; then nothing is changed. */
  problems: Problem[];
}

/** The minute in which a host gets the most firings; the first of several. */
export interface BusiestMinute {
  /** Its start. */
  at: string;
  firings: number;
}

export interface HerdEffect {
  /** Name, and port where it is not the usual one. */
  host: string;
  /** Absent where nothing fires there within the range. */
  before?: BusiestMinute;
  after?: BusiestMinute;
}

export interface Simulation {
  /** The release of the rules of time zones, such as `2026f`. */
  tzdata: string;
  from: string;
  /** Exclusive. */
  to: string;
  /** In the order of the request. */
  changes: ChangeEffect[];
  /** Only if `herd` was asked for: of the hosts that the changes touch, the 20 with the most changed schedules. */
  herd?: HerdEffect[];
  /** True while not all schedules of these hosts are counted. */
  isPartial?: boolean;
}
