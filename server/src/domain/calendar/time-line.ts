import type { Interval } from './cron/interval.ts';
import { countOccurrences, firstOccurrence, LAST_AT, lastOccurrence } from './cron/occurrence.ts';
import type { Zone } from './zones/zone.ts';

/** A time line: the times of an interval as an ordered set of instants, epoch ms. */
export interface TimeLine {
  /** The first time at or after `at` (whole ms), or null. */
  first(at: number): number | null;
  /** The last time with notBefore <= time <= until, or null. */
  last(notBefore: number, until: number): number | null;
  /** How many times there are with from <= time <= until. */
  count(from: number, until: number): number;
}

export function cronLine(interval: Interval, zone: Zone): TimeLine {
  return {
    first: at => firstOccurrence(interval, zone, at),
    last: (notBefore, until) => lastOccurrence(interval, zone, notBefore, until),
    count: (from, until) => countOccurrences(interval, zone, from, until),
  };
}

export function oneOffLine(time: number): TimeLine {
  const isWithin = (from: number, until: number) => from <= time && time <= until;
  return {
    first: at => (at <= time ? time : null),
    last: (notBefore, until) => (isWithin(notBefore, until) ? time : null),
    count: (from, until) => (isWithin(from, until) ? 1 : 0),
  };
}

/** The times anchorAt + n × periodMs. @param firstNumber the least n: 0 or 1 */
export function rateLine(periodMs: number, anchorAt: number, firstNumber: 0 | 1): TimeLine {
  const start = anchorAt + firstNumber * periodMs;
  const numberAt = (at: number) => Math.floor((at - start) / periodMs);
  const last = (notBefore: number, until: number) => {
    const number = numberAt(Math.min(until, LAST_AT));
    const time = start + number * periodMs;
    return number >= 0 && time >= notBefore ? time : null;
  };
  return {
    first(at) {
      const time = start + Math.max(0, Math.ceil((at - start) / periodMs)) * periodMs;
      return time <= LAST_AT ? time : null;
    },
    last,
    count(from, until) {
      const before = Math.max(-1, numberAt(Math.max(from, start) - 1));
      return Math.max(0, numberAt(Math.min(until, LAST_AT)) - before);
    },
  };
}
