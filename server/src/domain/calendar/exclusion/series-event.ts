import {
  type Component,
  type ContentLine,
  invalid,
  propertiesOf,
  propertyOf,
} from './content-lines.ts';
import { dayStart, type Moment, readDuration, readMoment } from './moment.ts';

/** One VEVENT: a single event, a series, or an instance of a series that was changed. */
export interface SeriesEvent {
  uid: string | undefined;
  line: number;
  summary: string;
  isCancelled: boolean;
  /** Of two changes of one instance, the higher one counts. */
  sequence: number;
  start: Moment;
  /** The zone of its wall clock, null where that is local; days have one where Outlook wrote them as midnights. */
  timezone: string | null;
  end: Moment | null;
  duration: { days: number; ms: number } | null;
  rules: ContentLine[];
  dates: ContentLine[];
  exceptionDates: ContentLine[];
  /** The start that the series gives a changed instance; null for all other events. */
  recurrenceId: Moment | null;
  /** Whether later instances change as this one does. */
  changesLaterOnes: boolean;
}

export const EVENT_PROPERTIES = [
  ...['UID', 'SUMMARY', 'STATUS', 'SEQUENCE', 'DTSTART', 'DTEND', 'DURATION'],
  ...['RRULE', 'EXRULE', 'RDATE', 'EXDATE', 'RECURRENCE-ID', 'X-MICROSOFT-CDO-ALLDAYEVENT'],
];

/**
 * @returns null where it is cancelled as a whole
 * @throws PunctualError `calendar_invalid`
 */
export function readEvent(component: Component): SeriesEvent | null {
  const recurrenceLine = propertyOf(component, 'RECURRENCE-ID');
  const isCancelled = textOf(component, 'STATUS').toUpperCase() === 'CANCELLED';
  if (isCancelled && recurrenceLine === undefined) return null;
  const recurrenceId = momentOf(recurrenceLine);
  const start = momentOf(propertyOf(component, 'DTSTART')) ?? (isCancelled ? recurrenceId : null);
  if (start === null) throw faulty(component, 'has no DTSTART');
  const exceptionRule = propertyOf(component, 'EXRULE');
  if (exceptionRule !== undefined) {
    throw faulty(component, 'has an EXRULE, which RFC 5545 has no longer');
  }
  const end = momentOf(propertyOf(component, 'DTEND'));
  const isDays = start.isDate || isOutlookDays(component, start, end);
  return {
    uid: textOf(component, 'UID') || undefined,
    line: component.line,
    summary: summaryOf(component),
    isCancelled,
    sequence: Number(textOf(component, 'SEQUENCE')) || 0,
    start: isDays ? asDate(start) : start,
    timezone: start.timezone,
    end: isDays && end !== null ? asDate(end) : end,
    duration: durationOf(component),
    rules: propertiesOf(component, 'RRULE'),
    dates: propertiesOf(component, 'RDATE'),
    exceptionDates: propertiesOf(component, 'EXDATE'),
    recurrenceId,
    changesLaterOnes: recurrenceLine?.parameters.get('RANGE')?.toUpperCase() === 'THISANDFUTURE',
  };
}

/** Outlook writes days as times from midnight to midnight, and says so. */
function isOutlookDays(component: Component, start: Moment, end: Moment | null): boolean {
  const isMidnight = (moment: Moment | null) =>
    moment === null || dayStart(moment.localTime) === moment.localTime;
  return (
    textOf(component, 'X-MICROSOFT-CDO-ALLDAYEVENT').toUpperCase() === 'TRUE' &&
    start.timezone !== 'UTC' &&
    isMidnight(start) &&
    isMidnight(end)
  );
}

function asDate(moment: Moment): Moment {
  return { ...moment, isDate: true, localTime: dayStart(moment.localTime), timezone: null };
}

function momentOf(property: ContentLine | undefined): Moment | null {
  return property === undefined ? null : readMoment(property.value, property);
}

function durationOf(component: Component): SeriesEvent['duration'] {
  const property = propertyOf(component, 'DURATION');
  if (property === undefined) return null;
  const duration = readDuration(property.value);
  if (duration !== null) return duration;
  throw invalid(`Line ${property.line} of the calendar has no valid duration.`);
}

function textOf(component: Component, name: string): string {
  return propertyOf(component, name)?.value.trim() ?? '';
}

/** Cut, since each of its periods has it. */
function summaryOf(component: Component): string {
  const text = textOf(component, 'SUMMARY').slice(0, MOST_SUMMARY * 4);
  const plain = text
    .replace(/\\([nN;,\\])/g, (_, letter: string) => (/n/i.test(letter) ? ' ' : letter))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const characters = [...plain];
  if (characters.length <= MOST_SUMMARY) return plain.toWellFormed();
  return `${characters.slice(0, MOST_SUMMARY - 1).join('')}…`.toWellFormed();
}

function faulty({ line }: Component, fault: string): Error {
  return invalid(`The event at line ${line} of the calendar ${fault}.`);
}

const MOST_SUMMARY = 200;
