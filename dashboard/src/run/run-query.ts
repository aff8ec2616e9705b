import type { RunQuery, RunStatus } from '@punctual/client';
import { localText, READER_ZONE } from '../time/times.ts';

/** The filter of the page of runs, as its address has it. Times in it are the reader's. */

const TEXTS = ['scheduleId', 'host', 'error', 'cause'] as const;

export function runQueryFrom(search: URLSearchParams): RunQuery {
  const query: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const text = search.get(name)?.trim();
    if (text) query[name] = text;
  }
  const status = search.get('status');
  if (status) query.status = status as RunStatus;
  for (const name of ['from', 'to']) {
    const instant = instantOf(search.get(name));
    if (instant !== undefined) query[name] = instant;
  }
  const code = Number(search.get('responseStatus'));
  if (Number.isInteger(code) && code >= 100 && code <= 999) query.responseStatus = code;
  const tags = search.getAll('tag');
  if (tags.length > 0) query.tag = tags;
  return query as RunQuery;
}

function instantOf(text: string | null): string | undefined {
  const at = text === null ? Number.NaN : new Date(text).getTime();
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** The address of runs. @param query with instants as ISO 8601, or epoch ms */
export function runsPath(
  query: Omit<RunQuery, 'from' | 'to'> & { from?: string | number; to?: string | number },
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const isInstant = name === 'from' || name === 'to';
    for (const each of [value].flat()) {
      search.append(name, isInstant ? localText(each as string, READER_ZONE) : String(each));
    }
  }
  return `/runs?${search}`;
}
