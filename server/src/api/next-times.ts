import type * as Wire from '@punctual/client';
import { timesBetween } from '../domain/calendar/times.ts';
import type { When } from '../domain/calendar/timing.ts';
import { iso } from '../domain/iso.ts';

export const DEFAULT_COUNT = 5;

/** @param when with its timing resolved, and its calendars loaded */
export function timesAfter(when: When, after: number, count: number): Wire.Times {
  const times = timesBetween(when, after + 1, Number.POSITIVE_INFINITY, count);
  return { times: times.map(iso) };
}

/** Times that are looked at together once one of them was sent: an hour of an interval of every second takes four. */
const WINDOW = 1_000;

/**
 * The next times that will fire. While a clock was ahead, some times to come may have been sent: they are not sent
 * again. A time that comes while a slow store is asked is sent as it comes, so it is none of them.
 *
 * @param now the clock
 * @param sentIn the times from `from` to before `to` that were sent, epoch ms
 * @throws PunctualError `interval_invalid`, `timezone_unknown`
 */
export async function unsentTimesAfter(
  when: When,
  now: () => number,
  count: number,
  sentIn: (from: number, to: number) => Promise<Set<number>>,
): Promise<string[]> {
  let found: number[] = [];
  let from = now() + 1;
  for (let window = count; found.length < count; window = WINDOW) {
    const some = timesBetween(when, from, Number.POSITIVE_INFINITY, window);
    if (some.length === 0) break;
    const sent = await sentIn(some[0]!, some.at(-1)! + 1);
    const askedUntil = now();
    found = [...found, ...some.filter(time => !sent.has(time))].filter(time => time > askedUntil);
    from = Math.max(some.at(-1)!, askedUntil) + 1;
  }
  return found.slice(0, count).map(iso);
}
