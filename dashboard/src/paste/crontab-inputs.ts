import type { ScheduleInput } from '@punctual/client';
import type { CrontabLine } from './crontab.ts';

/** At most this many schedules are created at once. */
export const MOST_LINES = 1_000;

/**
 * The schedule of a line, or null where it becomes none.
 *
 * @param timezone for lines whose crontab says none
 */
export function inputOfLine(line: CrontabLine, timezone: string): ScheduleInput | null {
  if (line.fields === undefined) return null;
  const { url, verb, headers, data, body } = line.fields;
  return {
    label: line.label,
    url,
    verb,
    interval: line.interval,
    timezone: line.timezone ?? timezone,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(data).length > 0 && { data }),
    ...(body !== undefined && { body }),
  };
}

/** A refused batch names one of its items: `items[3]: …`. @returns its place, and the sentence about it alone */
export function refusedItem(sentence: string): { index: number; sentence: string } | null {
  const [, index, rest] = /^items\[(\d+)\](?::|\.)?\s*(.*)$/s.exec(sentence) ?? [];
  return index === undefined ? null : { index: Number(index), sentence: rest || sentence };
}
