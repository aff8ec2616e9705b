import { LONGEST_CHANGE_MS } from './cron/occurrence.ts';
import type { Zone } from './zones/zone.ts';

/** The instant of a wall clock's time. */

const DAY_MS = 86_400_000;

/**
 * The first instant at which the wall clock shows `localMs` (the local time line, epoch ms), and within a gap the first
 * instant after it. Of an overlap it is the first pass.
 */
export function instantOfLocal(zone: Zone, localMs: number): number {
  return found(zone, localMs).at;
}

/** The same as a fixed time of a cron interval has it: null where a correction of the calendar skipped it. */
export function fixedInstant(zone: Zone, localMs: number): number | null {
  const { at, gapMs } = found(zone, localMs);
  return gapMs > LONGEST_CHANGE_MS ? null : at;
}

/** No wall clock is more than a day from UTC. */
function found(zone: Zone, localMs: number): { at: number; gapMs: number } {
  let segment = zone.segmentAt(localMs - 2 * DAY_MS);
  while (localMs - segment.offsetMs >= segment.endAt) segment = zone.segmentAt(segment.endAt);
  const at = localMs - segment.offsetMs;
  return at >= segment.startAt ? { at, gapMs: 0 } : { at: segment.startAt, gapMs: segment.shiftMs };
}
