import { wallTime } from '../../../sim/model/calendar/zone-lists.ts';

/**
 * The main loop of Debian's cron, as an oracle for the calendar: slow, and made of other parts.
 *
 * It walks the real time line in steps of a minute (or a second) as the daemon does, reads the wall
 * clock from moment-timezone, and keeps the daemon's `virtualTime`. Day and month come from `Date` in UTC,
 * which here only lays out wall times. Source: cron.c of Debian's cron 3.0pl1, the four cases of
 * `wakeupKind`. The limit is a change of 3 hours, both ways (for the way forward cron.c stops a minute short of it).
 */
export interface SlowInterval {
  readonly text: string;
  readonly followsClock: boolean;
  /** `wall` is a wall time laid out in UTC. */
  matches(wall: Date): boolean;
}

/** The wall clock of a zone, step by step from `from` on; the daemon ran one step earlier too. */
export interface WallClock {
  readonly timezone: string;
  readonly from: number;
  readonly stepMs: number;
  /** Wall times in steps since 1970-01-01T00:00; the first is of the step before `from`. */
  readonly steps: readonly number[];
}

const LONGEST_CHANGE_MS = 3 * 3_600_000;

export function wallClock(
  timezone: string,
  from: number,
  until: number,
  stepMs: number,
): WallClock {
  const steps: number[] = [];
  for (let at = from - stepMs; at <= until; at += stepMs)
    steps.push(Math.floor(wallTime(timezone, at) / stepMs));
  return { timezone, from, stepMs, steps };
}

/** The instants at which the daemon starts the job. */
export function debianLoop(interval: SlowInterval, clock: WallClock): number[] {
  const matches = (step: number) => interval.matches(new Date(step * clock.stepMs));
  const longest = LONGEST_CHANGE_MS / clock.stepMs;
  const times: number[] = [];
  let virtual = clock.steps[0]!;
  for (const [index, running] of clock.steps.entries()) {
    if (index === 0) continue;
    const difference = running - virtual;
    const isCorrection = difference > longest + 1 || difference < 1 - longest;
    const first = isCorrection || interval.followsClock ? running : virtual + 1;
    let due = false;
    for (let step = first; step <= running; step += 1) due ||= matches(step);
    if (due) times.push(clock.from + (index - 1) * clock.stepMs);
    if (isCorrection || difference > 0) virtual = running;
  }
  return times;
}
