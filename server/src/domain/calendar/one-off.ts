import { PunctualError } from '../errors.ts';
import { instantOfLocal } from './local-instant.ts';
import type { Zone } from './zones/zone.ts';

/**
 * The one time of `at(2026-12-24T18:00:00)`, epoch ms: local in `zone`, or absolute with `Z` or an offset. Seconds may be
 * left out. The form is the one of EventBridge Scheduler.
 *
 * A local time in a gap means the first instant after it, in an overlap the first pass.
 *
 * @throws PunctualError `interval_invalid`
 */
export function parseOneOff(interval: string, zone: Zone): number {
  const { dateTime, offset } = partsOf(interval);
  if (offset !== '') return Temporal.Instant.from(dateTime + offset).epochMilliseconds;
  return instantOfLocal(zone, localMsOf(dateTime));
}

/** The wall clock's time that a one-off names, or null where it names an instant. @throws PunctualError `interval_invalid` */
export function localOfOneOff(interval: string): number | null {
  const { dateTime, offset } = partsOf(interval);
  return offset === '' ? localMsOf(dateTime) : null;
}

function partsOf(interval: string): { dateTime: string; offset: string } {
  const match = ONE_OFF.exec(interval);
  if (match === null) throw invalid(interval);
  const [, dateTime = '', offset = ''] = match;
  try {
    if (offset === '') localMsOf(dateTime);
    else Temporal.Instant.from(dateTime + offset);
  } catch {
    throw invalid(interval);
  }
  return { dateTime, offset };
}

/** @throws RangeError where the date or the time does not exist */
function localMsOf(dateTime: string): number {
  return Temporal.PlainDateTime.from(dateTime, { overflow: 'reject' }).toZonedDateTime('UTC')
    .epochMilliseconds;
}

function invalid(interval: string): PunctualError {
  return new PunctualError(
    'interval_invalid',
    'The interval at(…) must hold one date and time that exist, such as at(2026-12-24T18:00:00) or at(2026-12-24T17:00:00Z).',
    { refused: interval },
  );
}

const ONE_OFF =
  /^at\(((?!0000)\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?\)$/;
