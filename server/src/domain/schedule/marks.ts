import type { Schedule } from './schedule.ts';

/** Marks: the tags of a schedule and the names that it refers to, as filters and counts look them up. */

/**
 * Without repeats: `tag:team` and `tag:team:billing` of a tag, `calendar:de` of a calendar, `destination:billing` of a
 * destination.
 *
 * A deleted schedule refers to nothing any more. Its tags are marks apart, so that a tag has as many marks as there are
 * schedules with it, however many were deleted.
 */
export function marksOf({
  status,
  tags,
  timing,
  delivery,
}: Pick<Schedule, 'status' | 'tags' | 'timing' | 'delivery'>): string[] {
  if (tags === undefined && timing === undefined && delivery === undefined) return [];
  const ofTags = Object.entries(tags ?? {}).flatMap(([key, value]) => [
    tagMark(key),
    tagMark(`${key}:${value}`),
  ]);
  if (status === 'deleted') return [...new Set(ofTags)].map(deletedMark);
  const { destination } = delivery ?? {};
  return [
    ...new Set([
      ...ofTags,
      ...(timing?.exclude ?? []).map(calendarMark),
      ...(destination === undefined ? [] : [destinationMark(destination)]),
    ]),
  ];
}

/** @param tag `team:billing`, or `team` for any value: no key has a colon */
export function tagMark(tag: string): string {
  return `tag:${tag}`;
}

/** The mark of a tag, once its schedule is deleted. */
export function deletedMark(mark: string): string {
  return `${DELETED}${mark}`;
}

/** In front of the mark of a tag. */
export const DELETED = 'deleted:';

export function calendarMark(name: string): string {
  return `calendar:${name}`;
}

export function destinationMark(name: string): string {
  return `destination:${name}`;
}
