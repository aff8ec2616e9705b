import { PunctualError } from '../../errors.ts';
import type { Period } from './period.ts';

/** Periods that a caller writes down, at most. */
export const MOST_GIVEN_PERIODS = 5_000;

/** Both ends are dates (`2026-12-24`), or both are instants (ISO 8601 with an offset or Z). */
export interface GivenPeriod {
  from: string;
  to: string;
  summary?: string;
}

/**
 * Reads the periods that a caller writes down, in their order. Dates are local days, and `to` is exclusive.
 *
 * @throws PunctualError `calendar_invalid`, with a sentence that names the place: `periods[3].from`
 */
export function readPeriods(given: readonly GivenPeriod[]): Period[] {
  if (given.length > MOST_GIVEN_PERIODS) {
    throw invalid(`periods has more than ${MOST_GIVEN_PERIODS.toLocaleString('en')} entries.`);
  }
  return given.map((period, index) => readPeriod(period, `periods[${index}]`));
}

function readPeriod({ from, to, summary = '' }: GivenPeriod, where: string): Period {
  const start = readEnd(from, `${where}.from`);
  const end = readEnd(to, `${where}.to`);
  const isLocal = DATE.test(from);
  if (isLocal !== DATE.test(to)) {
    throw invalid(`${where}.from and ${where}.to must both be dates, or both instants.`);
  }
  if (end <= start) {
    const hint = isLocal && end === start ? ': it is the day after the last one' : '';
    throw invalid(`${where}.to must be after ${where}.from${hint}.`);
  }
  return { from: start, to: end, isLocal, summary };
}

/** @returns epoch ms, of a date those of its midnight in UTC */
function readEnd(text: string, where: string): number {
  const isDate = DATE.test(text);
  if (!isDate && !INSTANT.test(text)) {
    throw invalid(
      `${where} must be a date, such as 2026-12-24, or an instant with an offset, such as 2026-12-24T18:00:00Z.`,
      text,
    );
  }
  // Temporal knows which dates exist; it takes the year 0 too, and the second 60 for 59.
  if (!text.startsWith('0000') && !LEAP_SECOND.test(text)) {
    try {
      const instant = isDate ? `${text}T00:00Z` : text;
      return Temporal.Instant.from(instant).epochMilliseconds;
    } catch {
      // A date or a time that does not exist.
    }
  }
  throw invalid(`${where} is a ${isDate ? 'date' : 'time'} that does not exist.`);
}

function invalid(sentence: string, refused = ''): PunctualError {
  return new PunctualError('calendar_invalid', sentence, { refused });
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const LEAP_SECOND = /^.{16}:60/;
