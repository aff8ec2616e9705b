import type { Exclusions } from './exclusion/exclusions.ts';
import { fixedInstant } from './local-instant.ts';
import type { Zone } from './zones/zone.ts';

/** The days around a local time on which it is not excluded. */

/** A time moves by this many days at most. */
export const MOST_DAYS = 31;
const DAY_MS = 86_400_000;

/** The last look for one time of day, in days from 1970-01-01. */
interface Looked {
  /** No day between these two is open, both exclusive. */
  from: number;
  to: number;
  /** The instant of its time on the open day `to`; null if the look found none. */
  found: number | null;
}

/**
 * Finds the nearest day on which a local time is not excluded, 31 days off at most.
 *
 * A freeze asks for each of its times. So the last look at each time of day is remembered: the next question goes on where
 * it ended.
 */
export class OpenDays {
  readonly #zone: Zone;
  readonly #exclusions: Exclusions;
  /** 1 to look ahead, -1 to look back. */
  readonly step: 1 | -1;
  readonly #looked = new Map<number, Looked>();

  constructor(zone: Zone, exclusions: Exclusions, step: 1 | -1) {
    this.#zone = zone;
    this.#exclusions = exclusions;
    this.step = step;
  }

  /** The instant of the same local time on the nearest open day, or null. @param localMs of the local time line */
  nearest(localMs: number): number | null {
    const day = Math.floor(localMs / DAY_MS);
    const timeMs = localMs - day * DAY_MS;
    const last = day + this.step * MOST_DAYS;
    const { found, to } = this.#look(day, timeMs, last);
    return found !== null && this.#isUpTo(to, last) ? found : null;
  }

  #look(day: number, timeMs: number, last: number): Looked {
    const before = this.#looked.get(timeMs);
    const goesOn =
      before !== undefined && this.#isUpTo(before.from, day) && !this.#isUpTo(before.to, day);
    if (goesOn && (before.found !== null || !this.#isUpTo(before.to, last))) return before;
    const start = goesOn ? before.to : day + this.step;
    const looked = { from: goesOn ? before.from : day, ...this.#search(start, timeMs, last) };
    this.#looked.set(timeMs, looked);
    return looked;
  }

  #search(start: number, timeMs: number, last: number): Pick<Looked, 'to' | 'found'> {
    let day = start;
    for (; this.#isUpTo(day, last); day += this.step) {
      const at = fixedInstant(this.#zone, day * DAY_MS + timeMs);
      if (at !== null && this.#exclusions.endOf(this.#zone, at) === null)
        return { to: day, found: at };
    }
    return { to: day, found: null };
  }

  /** In the direction of the look. */
  #isUpTo(day: number, last: number): boolean {
    return this.step === 1 ? day <= last : day >= last;
  }
}
