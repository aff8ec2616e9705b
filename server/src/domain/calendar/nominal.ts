import type { ExcludingEntry } from './exclusion/exclusions.ts';
import { exclusionsOf } from './known-calendars.ts';
import { localOf, movedInstant, movedTimesOf } from './moved-line.ts';
import { intervalLine, nextTime } from './times.ts';
import type { Timing, When } from './timing.ts';
import { zoneOf } from './zones/zone.ts';

/**
 * The meaning of an instant to a schedule: one of its times, or a time of its interval that something takes away.
 *
 * - `due`: it fires then
 * - `paused`: it would, but for `pausedUntil`
 * - `excluded`, `rolled`: a calendar takes it away, or moves it to `movedTo`
 * - `beforeCreate`: the window makes it later than the create, its interval does not
 * - `beforeStart`, `afterEnd`: `startsAt`, or `endsAt` and `maxRuns`
 * - `none`: its interval has no such time
 */
export type Nominal =
  | { kind: 'due' }
  | { kind: 'paused' }
  | { kind: 'beforeCreate' | 'beforeStart' | 'afterEnd' | 'none' }
  | { kind: 'excluded'; by: ExcludingEntry }
  | { kind: 'rolled'; by: ExcludingEntry; movedTo: number };

/**
 * @param at epoch ms
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function nominalAt(when: When, at: number): Nominal {
  const { timing } = when;
  if (nextTime(when, at - 1) === at) return { kind: 'due' };
  if (timing === undefined) return { kind: 'none' };
  const unpaused = { ...when, timing: unpausedOf(timing) };
  if (timing.pausedUntil !== undefined && nextTime(unpaused, at - 1) === at) {
    return { kind: 'paused' };
  }
  const own = at - (timing.offsetMs ?? 0);
  if (intervalLine(when).first(own) !== own) return beyondOf(when, at);
  if (timing.createdAt !== undefined && own < timing.createdAt) return { kind: 'beforeCreate' };
  if (timing.startsAt !== undefined && own < timing.startsAt) return { kind: 'beforeStart' };
  if (timing.endsAt !== undefined && own >= timing.endsAt) return { kind: 'afterEnd' };
  return excludedOf(when, own) ?? { kind: 'afterEnd' };
}

/** The timing without its pause. */
export function unpausedOf({ pausedUntil: _, ...timing }: Timing): Timing {
  return timing;
}

/** A moved time may lie beyond the last one that counts. */
function beyondOf(when: When, at: number): Nominal {
  const { lastAt: _, ...uncounted } = unpausedOf(when.timing!);
  const isTime = nextTime({ ...when, timing: uncounted }, at - 1) === at;
  return { kind: isTime ? 'afterEnd' : 'none' };
}

function excludedOf(when: When, own: number): Nominal | null {
  const { timezone, timing = {} } = when;
  if (timing.calendars === undefined) return null;
  const by = exclusionsOf(timing.calendars).entryAt(zoneOf(timezone), own);
  if (by === null) return null;
  const moved = movedTimesOf(when);
  const at = moved === null ? null : movedInstant(moved, localOf(moved, own));
  if (at === null) return { kind: 'excluded', by };
  // Moved beyond the last time that counts, it is not due there.
  if (timing.lastAt !== undefined && at > timing.lastAt) return { kind: 'afterEnd' };
  return { kind: 'rolled', by, movedTo: at + (timing.offsetMs ?? 0) };
}
