import type { Attempt } from './run.ts';
import type { Verb } from './schedule.ts';

export interface Problem {
  /** The property that is wrong, such as `url` or `integrations[0].url`. */
  where: string;
  sentence: string;
}

/** The effect of a change of the wall clock on the interval. */
export interface ClockNote {
  kind: 'moved' | 'dropped' | 'once' | 'twice';
  /** Of the wall clock, such as `2026-03-29T02:30:00`. */
  localTime: string;
  at: string;
  sentence: string;
}

/** A time that a calendar takes away, or moves. */
export interface ExcludedTime {
  at: string;
  /** Absent where it is taken away. */
  movedTo?: string;
  calendar: string;
  /** The entry's name, may be empty. */
  summary: string;
}

/** The request of a firing, with its templates filled in. */
export interface RenderedRequest {
  method: Verb;
  url: string;
  /** Without those of one attempt: its number, its id and its signature. */
  headers: Record<string, string>;
  body?: string;
}

export interface CheckResult {
  /** The problems for which a create would be refused; empty if it would succeed. */
  problems: Problem[];
  /** The next ten times; empty where interval or time zone are wrong. */
  times: string[];
  /** Changes of the wall clock within a year that touch it. */
  clockNotes: ClockNote[];
  /** The next five times that calendars take away or move; absent where none does. */
  excluded?: ExcludedTime[];
  /** The request of the next time; only with `policy.template`, where nothing of it is wrong. Its ids are made up. */
  request?: RenderedRequest;
}

/** A request that was sent to try a schedule out; nothing of it is stored. */
export interface TryResult {
  attempt: Attempt;
}
