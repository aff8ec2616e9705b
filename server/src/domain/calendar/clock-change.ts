import { countBelow } from './cron/bits.ts';
import { type Interval, parseInterval } from './cron/interval.ts';
import { nextLocal } from './cron/local-time.ts';
import { LONGEST_CHANGE_MS } from './cron/occurrence.ts';
import { isOneOff, isRate } from './interval-form.ts';
import { localOfOneOff } from './one-off.ts';
import { leavesTimeAt } from './times.ts';
import type { When } from './timing.ts';
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

/** The times of an interval on the local time line. */
interface LocalTimes {
  followsClock: boolean;
  /** The first one at or after a whole second of the local time line; Infinity where none comes. */
  next(second: number): number;
}

/** Null where no change of a clock touches the interval: a rate, an instant, or each hour of the running clock. */
function localTimesOf(interval: string): LocalTimes | null {
  if (isRate(interval)) return null;
  if (isOneOff(interval)) {
    const localMs = localOfOneOff(interval);
    if (localMs === null) return null;
    const own = Math.floor(localMs / 1_000);
    return {
      followsClock: false,
      next: second => (second <= own ? own : Number.POSITIVE_INFINITY),
    };
  }
  const parsed = parseInterval(interval);
  if (parsed.followsClock && isEveryHour(parsed)) return null;
  return { followsClock: parsed.followsClock, next: second => nextLocal(parsed, second) };
}

/**
 * The notes of the changes of the clock with from < change <= until, in order. A time that bounds, calendars or a pause take
 * away has none: it fires in no case. An interval that runs in every hour of the day is touched by none that anybody would
 * miss, and has no notes.
 *
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export function clockNotes(when: When, from: number, until: number): ClockNote[] {
  const times = localTimesOf(when.interval);
  if (times === null) return [];
  const windowMs = when.timing?.offsetMs ?? 0;
  const notes: ClockNote[] = [];
  for (const change of changesBetween(zoneOf(when.timezone), from, until)) {
    const note = noteOf(change, times);
    if (note === null) continue;
    const passes = note.kind === 'twice' ? [note.at, note.at - change.shiftMs] : [note.at];
    if (passes.every(at => leavesTimeAt(when, at))) notes.push({ ...note, at: note.at + windowMs });
  }
  return notes;
}

/** The first time that a change of the clock touches, without the window's offset; null where it touches none. */
function noteOf({ startAt, offsetMs, shiftMs }: Segment, times: LocalTimes): ClockNote | null {
  // The wall clock at the change: the time it showed before, and the time it is set to.
  const [low, high] = [startAt + offsetMs, startAt + offsetMs - shiftMs].sort((a, b) => a - b);
  const first = times.next(Math.ceil(low! / 1_000)) * 1_000;
  if (first >= high!) return null;
  const at = shiftMs > 0 ? startAt : first - (offsetMs - shiftMs);
  return { kind: kindOf(shiftMs > 0, times.followsClock), localTime: localText(first), at };
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
export function clockNoteAt({ interval, timezone, timing }: When, at: number): ClockNote | null {
  const times = localTimesOf(interval);
  const windowMs = timing?.offsetMs ?? 0;
  const own = at - windowMs;
  const { startAt, offsetMs, shiftMs } = zoneOf(timezone).segmentAt(own);
  const size = Math.abs(shiftMs);
  if (shiftMs === 0 || size > LONGEST_CHANGE_MS || own >= startAt + size) return null;
  if (times === null || (shiftMs < 0 && times.followsClock)) return null;
  const local = own + offsetMs - Math.max(0, shiftMs);
  if (local % 1_000 !== 0 || times.next(local / 1_000) * 1_000 !== local) return null;
  const kind = kindOf(shiftMs > 0, times.followsClock);
  const movedTo = shiftMs > 0 ? startAt : own - size;
  return { kind, localTime: localText(local), at: movedTo + windowMs };
}

/** The local time that does not exist and fires at `at` instead, the end of its gap, or null. */
export function movedTo(when: When, at: number): string | null {
  const own = at - (when.timing?.offsetMs ?? 0);
  const { startAt } = zoneOf(when.timezone).segmentAt(own);
  if (startAt !== own) return null;
  const [note] = clockNotes(when, own - 1, own);
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
