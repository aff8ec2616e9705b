import type { Explanation, HistoryStep } from '@punctual/client';

/** The contents of a timeline, and the time that a click in it means. */

/** Each divides an hour, so that steps begin at the same instants however far one looks. */
const STEPS_SECONDS = [1, 2, 3, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600];

/**
 * The shortest step that is drawn at least this wide.
 *
 * @param width of the timeline, px
 */
export function stepSecondsFor(spanMs: number, width: number, leastPx = 4): number {
  const leastSeconds = Math.max(
    spanMs / 1_000_000,
    (spanMs / Math.max(1, width) / 1_000) * leastPx,
  );
  return STEPS_SECONDS.find(seconds => seconds >= leastSeconds) ?? 3_600;
}

/** How a step is drawn: its parts from top to bottom, as shares of its height. */
export interface Part {
  status: 'failed' | 'missed' | 'skipped' | 'succeeded';
  count: number;
  share: number;
}

const ORDER = ['failed', 'missed', 'skipped', 'succeeded'] as const;
/** One failure among thousands is seen, too. */
const LEAST_SHARE = 0.2;

export function partsOf(step: HistoryStep): Part[] {
  const there = ORDER.filter(status => step[status] > 0);
  const total = there.reduce((sum, status) => sum + step[status], 0);
  const shares = there.map(status => Math.max(LEAST_SHARE, step[status] / total));
  const sum = shares.reduce((all, share) => all + share, 0);
  return there.map((status, index) => ({
    status,
    count: step[status],
    share: shares[index]! / sum,
  }));
}

/** `1,795 succeeded, 5 failed` */
export function countsText(step: HistoryStep): string {
  return ORDER.toReversed()
    .filter(status => step[status] > 0)
    .map(status => `${step[status].toLocaleString('en-GB')} ${status}`)
    .join(', ');
}

/** A click in a timeline: a pixel is a span of time, so it means whatever is due near it. */
export interface Click {
  /** Epoch ms. */
  at: number;
  /** How far off a nominal time may be and is still meant. */
  nearMs: number;
}

/** Nominal times are whole seconds: the one in which the click is. */
export function secondOf({ at }: Click): string {
  return new Date(Math.floor(at / 1_000) * 1_000).toISOString();
}

/**
 * The nominal time that a click means, where its own second has none.
 *
 * @returns null where none is near: then nothing was due there
 */
export function nearestTime(
  { at, nearMs }: Click,
  { verdict, previous, next }: Pick<Explanation, 'verdict' | 'previous' | 'next'>,
): string | null {
  if (verdict !== 'neverDue') return null;
  const distance = (time: string) => Math.abs(Date.parse(time) - at);
  const [nearest] = [previous, next]
    .filter(time => time !== undefined)
    .sort((a, b) => distance(a) - distance(b));
  return nearest !== undefined && distance(nearest) <= nearMs ? nearest : null;
}
