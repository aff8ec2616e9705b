import { deletedMark, tagMark } from '../domain/schedule/marks.ts';
import type { ScheduleFilter, ScheduleStore } from './contract/schedules.ts';

/**
 * Schedules by their tags. Each tag is a mark (domain/schedule/marks.ts).
 *
 * - If one of the tags is rare, the schedules with it are read, and sorted.
 * - If all are common, schedules are read newest first, as they are without a tag. Such a look is bounded: it returns
 *   the id at which the next one goes on.
 */

export function hasTags({ tags = [] }: ScheduleFilter): boolean {
  return tags.length > 0;
}

/** The marks that the schedules of a list must have, each once. */
export function marksWanted({ tags = [], status }: ScheduleFilter): string[] {
  const marks = [...new Set(tags)].map(tagMark);
  return status === 'deleted' ? marks.map(deletedMark) : marks;
}

/** The marks of tags, as schedules have them, and as deleted ones do. A schedule has only those of one kind. */
export function marksOfAny(tags: string[]): string[] {
  const marks = [...new Set(tags)].map(tagMark);
  return [...marks, ...marks.map(deletedMark)];
}

/** @param list as the backend lists schedules */
export async function idsWithTag(
  list: ScheduleStore['list'],
  clientRowId: number,
  tag: string,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const left = limit - ids.length;
    const { schedules, next } = await list(clientRowId, { tags: [tag] }, left, before);
    ids.push(...schedules.map(({ id }) => id));
    before = next ?? undefined;
  } while (before !== undefined && ids.length < limit);
  return ids;
}
