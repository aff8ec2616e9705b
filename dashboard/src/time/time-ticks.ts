import type { TimeWindow } from './time-window.ts';
import { clockTime, dayName, localText } from './times.ts';
import { instantOfLocal } from './zone-local.ts';

/** The labels of a time axis, on the clock of a zone. */
export interface Tick {
  at: number;
  text: string;
  /** A new day begins. */
  isDay: boolean;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map(count => count * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map(count => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map(count => count * HOUR_MS),
  ...[1, 2, 7, 14].map(count => count * DAY_MS),
];
/** Between two labels, px. */
const LABEL_ROOM = 84;

/** @param timezone whose clock has round times at the ticks, also beyond a change of it */
export function ticksOf(window: TimeWindow, width: number, timezone: string): Tick[] {
  if (width <= 0) return [];
  const least = ((window.to - window.from) / width) * LABEL_ROOM;
  const step = STEPS_MS.find(each => each >= least) ?? STEPS_MS.at(-1)!;
  const wallFrom = wallAt(window.from, timezone);
  const ticks: Tick[] = [];
  const last = wallAt(window.to, timezone) + HOUR_MS;
  for (let wall = Math.ceil(wallFrom / step) * step; wall <= last; wall += step) {
    const at = instantAt(wall, timezone);
    const before = ticks.at(-1)?.at ?? window.from - 1;
    // A time that the clock skips falls on the next one that there is.
    if (at <= before || at > window.to) continue;
    const isDay = wall % DAY_MS === 0;
    ticks.push({ at, isDay, text: textOf(at, step, isDay, timezone) });
  }
  return ticks;
}

function textOf(at: number, step: number, isDay: boolean, timezone: string): string {
  if (isDay) return dayName(at, timezone);
  if (step < MINUTE_MS) return localText(at, timezone).slice(11, 19);
  return clockTime(at, timezone);
}

/** The wall clock of a zone, read as if it were UTC. */
function wallAt(at: number, timezone: string): number {
  return Date.parse(`${localText(Math.floor(at / SECOND_MS) * SECOND_MS, timezone)}Z`);
}

function instantAt(wall: number, timezone: string): number {
  const local = new Date(wall).toISOString().slice(0, 19);
  return Date.parse(instantOfLocal(local, timezone) ?? `${local}Z`);
}
