import { monthLength } from '../../civil.ts';
import { type ContentLine, invalid } from './content-lines.ts';

/** A date or time as ICS text has it. */
export interface Moment {
  isDate: boolean;
  /** Ms of the wall clock read as if it were UTC; of a date those of its midnight. */
  localTime: number;
  /** `UTC`, a TZID, or null where it is local: whatever zone the schedule is in. */
  timezone: string | null;
  line: number;
}

/** @throws PunctualError `calendar_invalid` */
export function readMoment(text: string, property: ContentLine): Moment {
  const { name, line, parameters } = property;
  const parts = FORM.exec(text.trim())?.groups;
  const localTime = parts === undefined ? null : localTimeOf(parts);
  if (localTime === null) {
    const shown = JSON.stringify(text.slice(0, 40));
    throw invalid(
      `Line ${line} of the calendar has no valid date or time: see ${shown} in ${name}.`,
    );
  }
  const isDate = parts!.hour === undefined || parameters.get('VALUE')?.toUpperCase() === 'DATE';
  if (isDate) return { isDate, localTime: dayStart(localTime), timezone: null, line };
  const timezone = parts!.utc === undefined ? parameters.get('TZID')?.trim() || null : 'UTC';
  return { isDate, localTime, timezone, line };
}

/** The midnight at which the day of a local time begins. */
export function dayStart(localTime: number): number {
  return Math.floor(localTime / DAY_MS) * DAY_MS;
}

/** Null where it does not exist. */
function localTimeOf(parts: Record<string, string | undefined>): number | null {
  const { hour = '0', minute = '0', second = '0' } = parts;
  const [year, month, day] = [Number(parts.year), Number(parts.month), Number(parts.day)];
  const isDay =
    year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= monthLength(year, month);
  if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  // `Date.UTC` takes years below 100 for those of the last century.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Math.min(Number(second), 59);
  return midnight + seconds * 1_000;
}

/**
 * A span as DURATION and the periods of RDATE have it. Days are those of the wall clock.
 *
 * @returns null where it is none, or is negative
 */
export function readDuration(text: string): { days: number; ms: number } | null {
  const parts = DURATION.exec(text.trim().toUpperCase())?.groups;
  if (parts === undefined) return null;
  const of = (name: string) => Number(parts[name] ?? 0);
  const ms = ((of('hours') * 60 + of('minutes')) * 60 + of('seconds')) * 1_000;
  return { days: of('weeks') * 7 + of('days'), ms };
}

const DAY_MS = 86_400_000;
const FORM =
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?<utc>Z)?)?$/i;
const DURATION =
  /^\+?P(?=.)(?:(?<weeks>\d{1,6})W)?(?:(?<days>\d{1,6})D)?(?:T(?=.)(?:(?<hours>\d{1,6})H)?(?:(?<minutes>\d{1,8})M)?(?:(?<seconds>\d{1,9})S)?)?$/;
