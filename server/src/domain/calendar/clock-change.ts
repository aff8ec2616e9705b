import { countBelow } from './bits.ts';
import { type Interval, parseInterval } from './interval.ts';
import { nextLocal } from './local-time.ts';
import type { Segment } from './zones/segment.ts';
import { type Zone, zoneOf } from './zones/zone.ts';

/**
 * Explains to people how a change of the wall clock affects an interval: which local times do not
 * exist or come twice, and when they fire. The rules are in occurrence.ts.
 */
export interface ClockNote {
  /**
   * `moved`: the local time does not exist, and it fires at `at`, the end of the gap. `dropped`: it
   * does not exist, and does not fire. `once`: it comes twice, and fires the first time only, at
   * `at`. `twice`: it comes twice and fires both times, first at `at`.
   */
  kind: 'moved' | 'dropped' | 'once' | 'twice';
  /** The wall clock's time, such as `2026-03-29T02:30:00`: the first of those that are touched. */
  localTime: string;
  /** Epoch ms: when it fires; where it is dropped, the change of the clock. */
  at: number;
}

/** A jump of more is a correction of the calendar (occurrence.ts). */
const LONGEST_CHANGE_MS = 3 * 3_600_000;

/**
 * The notes of the changes of the clock with from < change <= until, in order. An interval that runs
 * in every hour of the day is touched by none that anybody would miss, and has no notes.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function clockNotes(
  interval: string,
  timezone: string,
  from: number,
  until: number,
): ClockNote[] {
  const parsed = parseInterval(interval);
  const zone = zoneOf(timezone);
  if (parsed.followsClock && isEveryHour(parsed)) return [];
  const notes: ClockNote[] = [];
  for (const segment of changesBetween(zone, from, until)) {
    const { startAt, offsetMs, shiftMs } = segment;
    // The wall clock at the change: the time it showed before, and the time it is set to.
    const [low, high] = [startAt + offsetMs, startAt + offsetMs - shiftMs].sort((a, b) => a - b);
    const first = nextLocal(parsed, Math.ceil(low! / 1_000)) * 1_000;
    if (first >= high!) continue;
    const kind = kindOf(shiftMs > 0, parsed.followsClock);
    const at = shiftMs > 0 ? startAt : first - (offsetMs - shiftMs);
    notes.push({ kind, localTime: localText(first), at });
  }
  return notes;
}

function kindOf(isGap: boolean, followsClock: boolean): ClockNote['kind'] {
  if (isGap) return followsClock ? 'dropped' : 'moved';
  return followsClock ? 'twice' : 'once';
}

function isEveryHour({ hours }: Interval): boolean {
  return countBelow(hours, 24) === 24;
}

function* changesBetween(zone: Zone, from: number, until: number): Iterable<Segment> {
  let segment = zone.segmentAt(Math.floor(from));
  while (segment.endAt <= until) {
    segment = zone.segmentAt(segment.endAt);
    const { shiftMs } = segment;
    if (shiftMs !== 0 && Math.abs(shiftMs) <= LONGEST_CHANGE_MS) yield segment;
  }
}

/**
 * Explains how a clock change affected the time that `at` stands for. Either `at` lies within a
 * gap's length after the gap: a local time that does not exist is written so, with the offset from
 * before. Or `at` lies within the second pass of an overlap.
 *
 * @returns null if no clock change affected it
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function clockNoteAt(interval: string, timezone: string, at: number): ClockNote | null {
  const parsed = parseInterval(interval);
  const { startAt, offsetMs, shiftMs } = zoneOf(timezone).segmentAt(at);
  const size = Math.abs(shiftMs);
  if (shiftMs === 0 || size > LONGEST_CHANGE_MS || at >= startAt + size) return null;
  if (shiftMs < 0 && parsed.followsClock) return null;
  const local = at + offsetMs - Math.max(0, shiftMs);
  if (local % 1_000 !== 0 || nextLocal(parsed, local / 1_000) * 1_000 !== local) return null;
  const kind = kindOf(shiftMs > 0, parsed.followsClock);
  return { kind, localTime: localText(local), at: shiftMs > 0 ? startAt : at - size };
}

/** The local time that does not exist and fires at `at` instead, the end of its gap, or null. */
export function movedTo(interval: string, timezone: string, at: number): string | null {
  const { startAt } = zoneOf(timezone).segmentAt(at);
  if (startAt !== at) return null;
  const [note] = clockNotes(interval, timezone, at - 1, at);
  return note?.kind === 'moved' ? note.localTime : null;
}

/** The wall clock's time at an instant. @throws PunctualError `timezone_unknown` */
export function localTimeAt(timezone: string, at: number): string {
  return localText(at + zoneOf(timezone).segmentAt(Math.floor(at)).offsetMs);
}

/** An instant of the local time line as people write it. */
function localText(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 19);
}
