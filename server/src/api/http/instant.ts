import { PunctualError } from '../../domain/errors.ts';

/**
 * Reads an ISO 8601 date-time with its offset from UTC, as epoch ms. Temporal knows which dates
 * exist, but would also take calendars, zones in brackets and years of six digits.
 *
 * @param where what the sentence calls it
 * @throws PunctualError `request_invalid`
 */
export function readInstant(text: string, where: string): number {
  if (DATE_TIME.test(text)) {
    try {
      return Temporal.Instant.from(text).epochMilliseconds;
    } catch {
      // A date or a time that does not exist.
    }
  }
  throw new PunctualError(
    'request_invalid',
    `${where} must be an ISO 8601 date-time with an offset, such as 2026-03-29T01:00:00Z.`,
  );
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
