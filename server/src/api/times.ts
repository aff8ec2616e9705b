import type * as Wire from '@punctual/client';
import { timesBetween } from '../domain/calendar.ts';
import { iso } from '../domain/iso.ts';

export const DEFAULT_COUNT = 5;

/** @throws PunctualError `interval_invalid`, `timezone_unknown` */
export function timesAfter(
  interval: string,
  timezone: string,
  after: number,
  count: number,
): Wire.Times {
  const times = timesBetween(interval, timezone, after + 1, Number.POSITIVE_INFINITY, count);
  return { times: times.map(iso) };
}
