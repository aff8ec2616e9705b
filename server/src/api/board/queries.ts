import type * as Wire from '@punctual/client';
import { given } from '../../domain/schedule/given.ts';
import type { ScheduleFilter } from '../../store/contract/schedules.ts';
import { tagsFrom } from '../http/tags.ts';

/** The question for a list of schedules. */

export type Sort = Exclude<Wire.HealthSort, 'newest'>;

/** @throws PunctualError `request_invalid` */
export function filterFrom({
  status,
  label,
  url,
  host,
  tag,
}: Omit<Wire.ScheduleQuery, 'limit' | 'cursor'>): ScheduleFilter {
  return {
    ...given('status', status),
    ...given('label', label),
    ...given('url', url),
    ...given('host', host?.toLowerCase()),
    ...given('tags', tagsFrom(tag)),
  };
}

/** Whether a list is of all schedules, or of all with a status. */
export function isPlain({ label, url, host, tags = [] }: ScheduleFilter): boolean {
  return !label && !url && host === undefined && tags.length === 0;
}

/** The same for filters that ask for the same. */
export function keyOf(clientRowId: number, filter: ScheduleFilter, sort = ''): string {
  const { status, label, url, host, tags } = filter;
  return JSON.stringify([clientRowId, sort, status, label, url, host, tags]);
}
