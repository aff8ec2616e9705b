import type { Attempt } from './run.ts';

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

export interface CheckResult {
  /** The problems for which a create would be refused; empty if it would succeed. */
  problems: Problem[];
  /** The next ten times; empty where interval or time zone are wrong. */
  times: string[];
  /** Changes of the wall clock within a year that touch it. */
  clockNotes: ClockNote[];
}

/** A request that was sent to try a schedule out; nothing of it is stored. */
export interface TryResult {
  attempt: Attempt;
}
