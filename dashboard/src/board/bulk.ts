import type { Schedule, SchedulePage, SchedulePatch } from '@punctual/client';

/** One change of all schedules that a filter finds: they are read page by page, and patched a thousand at a time. */

/** At most this many schedules take one patch. */
export const MOST_AT_ONCE = 1_000;

export interface Bulk {
  /** A page of the schedules; undefined: the first one. */
  page: (cursor: string | undefined) => Promise<SchedulePage>;
  /** Whether the change would change it. */
  isToChange: (schedule: Schedule) => boolean;
  /** All or nothing. */
  patch: (ids: string[]) => Promise<unknown>;
}

export interface Progress {
  /** Schedules that were found so far. */
  found: number;
  /** Of those that are to be changed: known when all are found. */
  of: number | null;
  done: number;
}

export interface BulkResult {
  /** As they were before. */
  done: Schedule[];
  /** Those that are not changed, because it was cancelled or refused. */
  left: number;
  /** Why it stopped; absent where it did all, or was cancelled. */
  error?: unknown;
}

/** Never rejects. @param signal ends it before the next request: what was sent counts as done */
export async function runBulk(
  bulk: Bulk,
  signal: AbortSignal,
  tell: (progress: Progress) => void,
): Promise<BulkResult> {
  const done: Schedule[] = [];
  let found: Schedule[] = [];
  try {
    found = await findAll(bulk, signal, count => tell({ found: count, of: null, done: 0 }));
    const parts = partsOf(found.filter(bulk.isToChange));
    const of = parts.reduce((sum, part) => sum + part.length, 0);
    for (const part of parts) {
      if (signal.aborted) break;
      tell({ found: found.length, of, done: done.length });
      await bulk.patch(part.map(({ id }) => id));
      done.push(...part);
    }
    return { done, left: of - done.length };
  } catch (error) {
    return { done, left: found.filter(bulk.isToChange).length - done.length, error };
  }
}

async function findAll(
  { page }: Bulk,
  signal: AbortSignal,
  tell: (found: number) => void,
): Promise<Schedule[]> {
  const found: Schedule[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await page(cursor);
    found.push(...items);
    tell(found.length);
    cursor = nextCursor;
  } while (cursor !== undefined && !signal.aborted);
  return signal.aborted ? [] : found;
}

function partsOf(schedules: Schedule[]): Schedule[][] {
  const parts = Math.ceil(schedules.length / MOST_AT_ONCE);
  return Array.from({ length: parts }, (_, part) =>
    schedules.slice(part * MOST_AT_ONCE, (part + 1) * MOST_AT_ONCE),
  );
}

/** The patches that bring a field back, each for up to a thousand schedules with the same value. */
export function patchesBack<Field extends 'status' | 'pausedUntil'>(
  schedules: readonly Schedule[],
  field: Field,
): { ids: string[]; patch: SchedulePatch }[] {
  const groups = Map.groupBy(schedules, schedule => schedule[field] ?? null);
  return [...groups].flatMap(([value, of]) =>
    partsOf(of).map(part => ({
      ids: part.map(({ id }) => id),
      patch: { [field]: value } as SchedulePatch,
    })),
  );
}
