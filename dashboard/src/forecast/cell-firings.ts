import type { Schedule, Timeline } from '@punctual/client';
import { whole } from '../parts/numbers.ts';
import { stepsOf } from '../timeline/timeline.ts';

/** The firings of a cell of the forecast: those that are found, and whether they are all. */

/** A cell of the forecast. */
export interface Cell {
  /** Its start, epoch ms. */
  at: number;
  /** 60 or 3,600. */
  stepSeconds: number;
  host: string | null;
  /** Firings that the forecast counts in it. */
  count: number;
}

/** A forecast of a host, or of all. */
export interface Counted {
  counts: number[];
  from: string;
  stepSeconds: number;
  host: string | null;
}

/** The cell that begins at an instant, epoch ms; null where the forecast has none. */
export function cellFrom({ counts, from, stepSeconds, host }: Counted, at: number): Cell | null {
  const count = counts[(at - Date.parse(from)) / (stepSeconds * 1_000)];
  return count === undefined ? null : { at, stepSeconds, host, count };
}

/**
 * The cell that stays chosen, with its newest count. One whose time has passed stays as it was counted last.
 *
 * @returns null where the forecast has other steps, or is of another host that has no such cell
 */
export function stillChosen(chosen: Cell | null, forecast: Counted): Cell | null {
  if (chosen === null || chosen.stepSeconds !== forecast.stepSeconds) return null;
  return cellFrom(forecast, chosen.at) ?? (chosen.host === forecast.host ? chosen : null);
}

/** The times to come of one schedule within the cell. */
export interface CellFiring {
  schedule: Schedule;
  count: number;
  /** Epoch ms, ascending: the seconds of a minute, or the minutes of an hour, with firings. */
  times: number[];
}

/** A part of the schedules that was looked through; `schedules` are those that fire. */
export interface CellPart {
  schedules: Schedule[];
  firings: { id: string; count: number; times: number[] }[];
  looked: number;
  nextCursor?: string;
}

/** The schedules of a part that fire in the cell. */
export function cellPart(
  { items, nextCursor }: { items: Schedule[]; nextCursor?: string },
  timeline: Timeline | null,
): CellPart {
  const firings = (timeline?.items ?? []).flatMap(lane => {
    const steps = stepsOf(timeline!, lane).filter(({ due }) => due > 0);
    const count = steps.reduce((sum, { due }) => sum + due, 0);
    return count === 0 ? [] : [{ id: lane.scheduleId, count, times: steps.map(({ at }) => at) }];
  });
  const ids = new Set(firings.map(({ id }) => id));
  return {
    schedules: items.filter(({ id }) => ids.has(id)),
    firings,
    looked: items.length,
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

/** All that was found: most firings first, then the earliest, then by the order of the list. */
export function firingsIn(parts: readonly CellPart[]): CellFiring[] {
  const schedules = new Map(
    parts.flatMap(part => part.schedules.map(schedule => [schedule.id, schedule])),
  );
  return parts
    .flatMap(part => part.firings)
    .flatMap(({ id, ...firing }) => {
      const schedule = schedules.get(id);
      return schedule === undefined ? [] : [{ schedule, ...firing }];
    })
    .sort((a, b) => b.count - a.count || a.times[0]! - b.times[0]!);
}

export interface Looked {
  /** Firings that were found. */
  found: number;
  /** Firings that the forecast counts in the cell. */
  expected: number;
  /** Schedules that were looked through. */
  looked: number;
  hasMore: boolean;
}

/**
 * `look`: on without being asked. `ask`: on where somebody wants it. `all`: there is nothing more to find. More firings than
 * expected end nothing: the forecast was counted before, so nobody knows how many are left.
 */
export function lookOn(
  { found, expected, looked, hasMore }: Looked,
  limit: number,
): 'look' | 'ask' | 'all' {
  if (!hasMore || found === expected) return 'all';
  return looked < limit ? 'look' : 'ask';
}

/** How much of the cell is told; '' where that is all of it. */
export function lookedText(
  { found, expected, looked }: Looked,
  state: 'look' | 'ask' | 'all',
): string {
  const part =
    found > expected
      ? `${whole(found)} firings, ${whole(found - expected)} more than the heat map has`
      : `${whole(found)} of ${whole(expected)} firings`;
  if (state === 'look') return `Looking through the schedules. So far: ${part}.`;
  if (state === 'ask') {
    return `These are ${part}: the newest ${whole(looked)} schedules were looked through.`;
  }
  if (found === expected) return '';
  return `${whole(found)} firings are to come, and the heat map has ${whole(expected)}. It was counted before: schedules have changed since, or some times have passed.`;
}
