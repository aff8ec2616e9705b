import type {
  Calendar,
  CalendarEntry,
  CalendarInput,
  CalendarPeriod,
  Problem,
} from '@punctual/client';
import { nameProblems } from '../named/named-resource.ts';

/** The contents of the form of a calendar: one of three sources, each kept while another one is shown. */

export type SourceKind = 'periods' | 'ics' | 'url';

export interface CalendarDraft {
  name: string;
  kind: SourceKind;
  periods: PeriodDraft[];
  ics: string;
  url: string;
}

/** Whole days from the first to the last, or from an instant to another. */
export interface PeriodDraft {
  isDays: boolean;
  /** A date, or an instant (ISO 8601); '' while none is chosen. */
  from: string;
  /** The last day, inclusive; or the instant at which it ends. */
  to: string;
  summary: string;
}

export const NEW_PERIOD: PeriodDraft = { isDays: true, from: '', to: '', summary: '' };

export function newCalendarDraft(): CalendarDraft {
  return { name: '', kind: 'periods', periods: [NEW_PERIOD], ics: '', url: '' };
}

/** The service tells at most this many entries of a calendar. */
export const MOST_ENTRIES = 20;

/**
 * The contents at the begin of an edit. The service keeps the source to itself, so periods are those that have not ended, and none
 * where there may be more than it tells.
 */
export function calendarDraftOf({ name, url, entries }: Calendar): CalendarDraft {
  const isWhole = entries.length < MOST_ENTRIES && entries.every(isPeriod);
  const periods = isWhole && entries.length > 0 ? entries.map(periodOf) : [NEW_PERIOD];
  return { name, kind: url === undefined ? 'periods' : 'url', periods, ics: '', url: url ?? '' };
}

/** Days or instants: a time of no zone comes from an ICS text only. */
function isPeriod({ from, to }: CalendarEntry): boolean {
  return [from, to].every(time => isDate(time) || time.endsWith('Z'));
}

function periodOf({ from, to, summary }: CalendarEntry): PeriodDraft {
  if (!isDate(from)) return { isDays: false, from, to, summary };
  return { isDays: true, from, to: movedDay(to, -1), summary };
}

export function isDate(time: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(time);
}

function movedDay(date: string, days: number): string {
  const at = Date.parse(`${date}T00:00:00Z`) + days * 86_400_000;
  return Number.isNaN(at) ? date : new Date(at).toISOString().slice(0, 10);
}

export function calendarInputOf({ kind, periods, ics, url }: CalendarDraft): CalendarInput {
  if (kind === 'ics') return { ics };
  if (kind === 'url') return { url: url.trim() };
  return { periods: periods.filter(isFilled).map(inputPeriod) };
}

/** A row with nothing in it is none. */
function isFilled({ from, to, summary }: PeriodDraft): boolean {
  return from !== '' || to !== '' || summary.trim() !== '';
}

/** On the wire the last day is exclusive; a period without one is one day long. */
function inputPeriod({ isDays, from, to, summary }: PeriodDraft): CalendarPeriod {
  const name = summary.trim();
  const end = isDays ? movedDay(to || from, 1) : to;
  return { from, to: end, ...(name !== '' && { summary: name }) };
}

/**
 * Each at `name`, `ics`, `url`, or a row such as `periods[2]`.
 *
 * @param taken names that a new calendar cannot have: it would replace another one
 */
export function calendarProblems(draft: CalendarDraft, taken: string[]): Problem[] {
  const problems = nameProblems('calendar', draft.name, taken);
  if (draft.kind === 'ics' && draft.ics.trim() === '') {
    problems.push({ where: 'ics', sentence: 'Paste the text of a calendar, or choose a file.' });
  }
  if (draft.kind === 'url' && draft.url.trim() === '') {
    problems.push({ where: 'url', sentence: 'Give the address of a calendar in ICS.' });
  }
  if (draft.kind === 'periods') problems.push(...draft.periods.flatMap(periodProblem));
  return problems;
}

function periodProblem(period: PeriodDraft, index: number): Problem[] {
  const { isDays, from, to } = period;
  if (!isFilled(period)) return [];
  const where = `periods[${index}]`;
  if (from === '') return [{ where, sentence: 'The begin is missing.' }];
  if (!isDays && to === '') return [{ where, sentence: 'The end is missing.' }];
  const isBackwards = to !== '' && (isDays ? to < from : Date.parse(to) <= Date.parse(from));
  return isBackwards ? [{ where, sentence: 'The end is before the begin.' }] : [];
}
