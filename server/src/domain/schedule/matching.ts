import { marksOf, tagMark } from './marks.ts';
import type { Schedule } from './schedule.ts';
import { hostOf } from './target.ts';

/** Whether a schedule is one that a list asks for. */

/** The same for texts that differ only in case; ς and σ, ß and ẞ are such. */
export function fold(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** All that is set must hold. Deleted schedules match only if `status` asks for them. */
export interface Wanted {
  status?: Schedule['status'];
  /** Contained, any case. */
  label?: string;
  /** Contained, any case. */
  url?: string;
  /** Host and port of the url, in lower case. */
  host?: string;
  /** `team:billing`, or `team` for any value. */
  tags?: string[];
}

export function isWanted(schedule: Schedule, wanted: Wanted): boolean {
  const { status, label = '', url = '', host, tags = [] } = wanted;
  return (
    (status === undefined ? schedule.status !== 'deleted' : schedule.status === status) &&
    fold(schedule.label).includes(fold(label)) &&
    fold(schedule.url).includes(fold(url)) &&
    (host === undefined || hostOf(schedule.url) === host) &&
    hasTags(schedule, tags)
  );
}

function hasTags({ tags }: Schedule, wanted: string[]): boolean {
  if (wanted.length === 0) return true;
  const marks = new Set(marksOf({ status: 'enabled', ...(tags && { tags }) }));
  return wanted.every(tag => marks.has(tagMark(tag)));
}
