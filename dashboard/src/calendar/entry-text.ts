import type { CalendarEntry } from '@punctual/client';
import { fullTime } from '../time/times.ts';
import { isDate } from './calendar-draft.ts';

/** An entry of a calendar as people say it: `Thu 24 Dec 2026 to Fri 1 Jan 2027`, with its last day inclusive. */
export function entryText({ from, to }: CalendarEntry): string {
  if (!isDate(from)) return spanText(momentText(from), momentText(to));
  const last = Date.parse(`${to}T00:00:00Z`) - 86_400_000;
  const first = Date.parse(`${from}T00:00:00Z`);
  return last <= first ? dayText(first) : `${dayText(first)} to ${dayText(last)}`;
}

function dayText(at: number): string {
  return fullTime(at, 'UTC').replace(/, \d\d:\d\d:\d\d$/, '');
}

/** A span within one day names the day once. */
function spanText(from: string, to: string): string {
  const [day, time] = [from.slice(0, -DAY_TIME), to.slice(-DAY_TIME)];
  return `${from} to ${to.startsWith(day) ? time : to}`;
}

const DAY_TIME = 'HH:MM:SS'.length;

/** A time without a zone is of each schedule's own clock. */
function momentText(time: string): string {
  return time.endsWith('Z') ? fullTime(time) : fullTime(`${time}Z`, 'UTC');
}
