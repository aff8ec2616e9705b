import { atOrAfter, atOrBefore, type Bits, countBelow, hasBit, NONE } from './bits.ts';

/** Hours, minutes and seconds of an interval, within one day of 86,400 seconds. */
interface TimesOfDay {
  readonly hours: Bits;
  readonly minutes: Bits;
  readonly seconds: Bits;
}

export const DAY_SECONDS = 86_400;

/** The first matching second of a day at or after `second` (0 to 86,399), or NONE. */
export function nextTimeOfDay({ hours, minutes, seconds }: TimesOfDay, second: number): number {
  const hour = Math.floor(second / 3_600);
  const minute = Math.floor(second / 60) % 60;
  if (hasBit(hours, hour)) {
    const inMinute = hasBit(minutes, minute) ? atOrAfter(seconds, second % 60) : NONE;
    if (inMinute !== NONE) return hour * 3_600 + minute * 60 + inMinute;
    const later = atOrAfter(minutes, minute + 1);
    if (later !== NONE) return hour * 3_600 + later * 60 + least(seconds);
  }
  const later = atOrAfter(hours, hour + 1);
  return later === NONE ? NONE : later * 3_600 + least(minutes) * 60 + least(seconds);
}

/** The last matching second of a day at or before `second` (0 to 86,399), or NONE. */
export function previousTimeOfDay({ hours, minutes, seconds }: TimesOfDay, second: number): number {
  const hour = Math.floor(second / 3_600);
  const minute = Math.floor(second / 60) % 60;
  if (hasBit(hours, hour)) {
    const inMinute = hasBit(minutes, minute) ? atOrBefore(seconds, second % 60) : NONE;
    if (inMinute !== NONE) return hour * 3_600 + minute * 60 + inMinute;
    const earlier = atOrBefore(minutes, minute - 1);
    if (earlier !== NONE) return hour * 3_600 + earlier * 60 + greatest(seconds);
  }
  const earlier = atOrBefore(hours, hour - 1);
  return earlier === NONE ? NONE : earlier * 3_600 + greatest(minutes) * 60 + greatest(seconds);
}

/** Matching seconds of a day before `second` (0 to 86,400). */
export function timesBefore({ hours, minutes, seconds }: TimesOfDay, second: number): number {
  const hour = Math.floor(second / 3_600);
  const minute = Math.floor(second / 60) % 60;
  const perMinute = countBelow(seconds, 60);
  let count = countBelow(hours, hour) * countBelow(minutes, 60) * perMinute;
  if (!hasBit(hours, hour)) return count;
  count += countBelow(minutes, minute) * perMinute;
  return hasBit(minutes, minute) ? count + countBelow(seconds, second % 60) : count;
}

function least(bits: Bits): number {
  return atOrAfter(bits, 0);
}

function greatest(bits: Bits): number {
  return atOrBefore(bits, 63);
}
