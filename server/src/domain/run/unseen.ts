import { iso } from '../iso.ts';

/** Times that pass while nothing fires, and why nothing did. */

export interface Unseen {
  /** Times before this instant (epoch ms) may have passed unseen. */
  until: number;
  /** When this process looked before, in order, both ends inclusive: what came then was seen. The latest 100 spans. */
  awake?: readonly { from: number; until: number }[];
  /** Spans whose cause is known, in order; where two overlap, the later one counts. */
  spans: readonly UnseenSpan[];
  /** Why a time that was seen to come has not begun; goes on with "It passed while". Left out: nobody knows better. */
  busy?: string;
}

export interface UnseenSpan {
  /** Epoch ms. */
  from: number;
  /** Exclusive. */
  until: number;
  /** Goes on with "It passed while". */
  why: string;
}

/** From one instant to another, epoch ms. */
export interface Pause {
  since: number;
  until: number;
}

/** How long a node may take to hear of a resume: the times until then pass by the pause. */
const RESUMED_WITHIN_MS = 5_000;

/** @param pauses in order */
export function spansOf(pauses: readonly Pause[]): UnseenSpan[] {
  return pauses.map(({ since, until }) => ({
    from: since,
    until: until + RESUMED_WITHIN_MS,
    why: `${PAUSED}, from ${iso(since)} to ${iso(until)}`,
  }));
}

const PAUSED = 'Punctual was paused';
const NOT_RUNNING = 'Punctual was not running';
/** Goes on with since when, and until when. */
export const SUSPENDED = 'the client was suspended';
const TOO_BUSY = 'Punctual was too busy to begin it';

/** The instants from `from` to `until`, both inclusive, cut where the cause changes. */
export function causesBetween(
  { until: unseenUntil, spans, busy = TOO_BUSY }: Unseen,
  from: number,
  until: number,
): { from: number; until: number; why: string }[] {
  const edges = spans.flatMap(span => [span.from, span.until]);
  const starts = [from, ...edges, unseenUntil]
    .filter(at => at >= from && at <= until)
    .sort((a, b) => a - b);
  return starts.map((start, index) => ({
    from: start,
    until: (starts[index + 1] ?? until + 1) - 1,
    why: whyAt(start),
  }));

  function whyAt(at: number): string {
    if (at >= unseenUntil) return busy;
    return spans.findLast(span => span.from <= at && at < span.until)?.why ?? NOT_RUNNING;
  }
}

/**
 * Why times were missed: nobody ran, an operator had paused the installation or suspended the client, or there was too
 * much to do.
 */
export type MissedCause = 'down' | 'halted' | 'suspended' | 'busy';

/** The cause in the reason of a record, which was made by the words above. */
export function causeIn(reason: string): MissedCause {
  const why = reason.replace(/^It passed (while|before) /, '');
  if (why.startsWith(NOT_RUNNING)) return 'down';
  if (why.startsWith(PAUSED)) return 'halted';
  return why.startsWith(SUSPENDED) ? 'suspended' : 'busy';
}
