import type { Period } from './period.ts';
import { type GivenPeriod, readPeriods } from './periods.ts';

/** The source of a calendar, as its client gave it or as its url answered. */
export type CalendarSource =
  | { kind: 'ics'; ics: string }
  | { kind: 'url'; url: string; ics: string }
  | { kind: 'periods'; periods: GivenPeriod[] };

/** The source as a client gives it: the text of a url is not read yet. */
export type GivenSource = Exclude<CalendarSource, { kind: 'url' }> | { kind: 'url'; url: string };

const DAY_MS = 86_400_000;
const BEHIND_MS = 366 * DAY_MS;
const AHEAD_MS = 5 * 366 * DAY_MS;
/** A version that is older is replaced by one that reaches further, whatever it says. */
const OLDEST_MS = 30 * DAY_MS;

/** The span that a calendar is expanded for at `now`: from a year back to five years ahead. */
export function expansionSpan(now: number): { from: number; to: number } {
  return { from: now - BEHIND_MS, to: now + AHEAD_MS };
}

/**
 * The periods of a source. Those of a text are expanded within the span at `now`; those that were given are taken whole.
 *
 * @throws PunctualError `calendar_invalid`
 */
export async function periodsOf(source: CalendarSource, now: number): Promise<Period[]> {
  if (source.kind === 'periods') return readPeriods(source.periods);
  // Most services never read one: it is loaded with the first.
  const { periodsOfIcs } = await import('./ics.ts');
  return periodsOfIcs(source.ics, expansionSpan(now));
}

/** Periods as they were at an instant. */
interface Expansion {
  periods: readonly Period[];
  /** Epoch ms. */
  at: number;
}

/** Whether an expansion anew is to replace the one before: it says something else within the span of both, or reaches further. */
export function replaces(anew: Expansion, was: Expansion): boolean {
  if (anew.at - was.at > OLDEST_MS) return true;
  // A local period at an end of the span may be there or not: that depends on the zone.
  const from = expansionSpan(Math.max(anew.at, was.at)).from + DAY_MS;
  const to = expansionSpan(Math.min(anew.at, was.at)).to - DAY_MS;
  return textOf(anew.periods, from, to) !== textOf(was.periods, from, to);
}

function textOf(periods: readonly Period[], from: number, to: number): string {
  const within = periods.filter(period => period.from < to && period.to > from);
  return JSON.stringify(
    within.map(period => [period.from, period.to, period.isLocal, period.summary]),
  );
}
