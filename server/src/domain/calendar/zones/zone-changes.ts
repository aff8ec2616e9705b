import { Zone } from './zone.ts';

/**
 * The changes of a zone's clock within a span, as values that can be kept: what a release said, when another one is in use.
 */

/** Instants with the offset from then on, ms; the first one stands at the begin of the span. */
export type ZoneChanges = [at: number, offsetMs: number][];

const YEAR_MS = 366 * 86_400_000;
/** The length of a span. */
export const KEPT_MS = 2 * YEAR_MS;

/** The changes of the span that begins at `from` (epoch ms). */
export function changesFrom(zone: Zone, from: number, lengthMs = KEPT_MS): ZoneChanges {
  const changes: ZoneChanges = [];
  for (let at = from; at < from + lengthMs; ) {
    const { endAt, offsetMs } = zone.segmentAt(at);
    if (changes.at(-1)?.[1] !== offsetMs) changes.push([at, offsetMs]);
    at = endAt;
  }
  return changes;
}

/** A zone with these changes. It says nothing of instants outside their span. */
export function zoneOfChanges(changes: ZoneChanges): Zone {
  return new Zone({
    startsAt: changes.slice(1).map(([at]) => at),
    offsetsMs: changes.map(([, offsetMs]) => offsetMs),
    tail: null,
    tailFrom: Number.NEGATIVE_INFINITY,
  });
}

/** The end of the span of changes, exclusive; epoch ms. */
export function endOfChanges(changes: ZoneChanges): number {
  return (changes[0]?.[0] ?? 0) + KEPT_MS;
}

/** Whether a zone's clock shows something else than these changes say, from `now` to the end of their span. */
export function differsFrom(changes: ZoneChanges, zone: Zone, now: number): boolean {
  const lengthMs = endOfChanges(changes) - now;
  // The span is over: nothing is known of the times to come.
  if (changes.length === 0 || lengthMs <= 0) return true;
  const said = changesFrom(zoneOfChanges(changes), now, lengthMs);
  return JSON.stringify(said) !== JSON.stringify(changesFrom(zone, now, lengthMs));
}
