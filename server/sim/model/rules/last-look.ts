import type { Window } from './cuts.ts';
import type { View } from './view.ts';

/** Since when no engine has said that it looks. Nodes that share a store say so in it. */

/** The longest that a store that is slow takes for what it was asked for. */
export const SLOWEST_MS = 1_600;

/** Since when nobody has said that somebody looked: they could not while the store stood still. */
export function unseenFrom(window: Window, { stalls, notedMs }: View): number {
  let since = window.isFirst ? Number.NEGATIVE_INFINITY : window.from;
  for (const { from, to } of stalls.toSorted((a, b) => b.to - a.to))
    if (from < since && to + notedMs >= since) since = from;
  return since;
}

/**
 * Since when a window was quiet. An engine that stops looks once more, as late as at its end. If its requests go on beyond the window,
 * it looks until its last step has ended. A slow store writes later that it looked, also after its death.
 */
export function quietFrom(from: number, to: number, view: View): number {
  const writtenAt = (at: number) => (view.isAnySlow(at, at + 1) ? at + SLOWEST_MS : at);
  const stops = view.stops.filter(stop => stop.from <= to);
  const said = stops.map(stop => writtenAt(stop.to <= to ? stop.to : writtenAt(stop.from)));
  return Math.min(to, Math.max(from, ...said));
}
