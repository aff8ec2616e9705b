import { changesOf, offsetAt } from '../model/calendar/zone-lists.ts';
import { Random } from '../random.ts';

/**
 * A long world: 20 minutes to 48 hours, half of them over a change of a clock. An hour in which a process lives costs as much as
 * two seconds of a short world. So a world of more than half a day is mostly without one.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SHORTEST_MS = 20 * MINUTE_MS;
const YEAR_AT = Date.UTC(2026, 0, 1);

/** A change of the clock of a zone. */
export interface ZoneChange {
  timezone: string;
  /** Epoch ms. */
  at: number;
  /** The wall time in the middle of what is skipped or comes twice, laid out in UTC. */
  wallAt: number;
}

export interface Long {
  /** Until the world heals. */
  lengthMs: number;
  /** The wall clock at its start, epoch ms: at a whole second. */
  startedAt: number;
  /** Schedules fire about so often. */
  paceMinutes: number;
  change: ZoneChange | null;
  /** When somebody is there, ms since the start, in order. Between them nobody is for hours. */
  days: { from: number; to: number }[];
}

/** North and south, whole hours and half ones, at night and at midnight. */
export const LONG_ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns'],
  ...['Pacific/Chatham', 'America/Santiago', 'Africa/Cairo', 'America/Havana', 'Pacific/Auckland'],
];
const PACES = [1, 2, 3, 5, 6, 10, 12, 15, 20, 30, 60];
/** About so many times a schedule has while somebody is there. */
const TIMES = 25;

/** Drawn for each seed, whether it is long or not. */
export function longOf(seed: number): Long {
  const random = new Random(seed, 'long world');
  const days = random.chance(0.3) ? daysOf(random) : [{ from: 0, to: steadyMs(random) }];
  const lengthMs = days.at(-1)!.to;
  const change = random.chance(0.5) ? changeOf(random) : null;
  const anyAt = YEAR_AT + random.between(0, 365 * DAY_MS);
  const startedAt = change === null ? anyAt : change.at - lengthMs * random.between(0.05, 0.95);
  const livedMs = days.reduce((sum, { from, to }) => sum + to - from, 0);
  // Each time that is missed is a record as well.
  const countedMs = livedMs + (lengthMs - livedMs) / 3;
  const paceMinutes = PACES.find(pace => pace * MINUTE_MS >= countedMs / TIMES) ?? 60;
  return { lengthMs, startedAt: Math.floor(startedAt / 1_000) * 1_000, paceMinutes, change, days };
}

/** 20 minutes to 14 hours, most of them short. */
function steadyMs(random: Random): number {
  return SHORTEST_MS * 42 ** (random.next() ** 2);
}

function daysOf(random: Random): Long['days'] {
  const days: Long['days'] = [];
  for (let from = 0; from < 40 * HOUR_MS; ) {
    const to = from + random.between(0.3, 1.5) * HOUR_MS;
    days.push({ from, to });
    from = to + random.between(4, 20) * HOUR_MS;
  }
  return days;
}

function changeOf(random: Random): ZoneChange {
  const timezone = random.pick(LONG_ZONES);
  const inYear = changesOf(timezone).filter(at => at > YEAR_AT && at < YEAR_AT + 365 * DAY_MS);
  const at = random.pick(inYear);
  const offsets = offsetAt(timezone, at - 1) + offsetAt(timezone, at);
  return { timezone, at, wallAt: at + offsets / 2 };
}
