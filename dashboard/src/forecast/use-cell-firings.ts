import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFurtherPages } from '../parts/use-further-pages.ts';
import { api } from '../queries.ts';
import { CELL_FIRINGS } from '../query-keys.ts';
import {
  type Cell,
  type CellFiring,
  cellPart,
  firingsIn,
  type Looked,
  lookOn,
} from './cell-firings.ts';

export interface CellFirings {
  firings: CellFiring[];
  looked: Looked;
  state: 'look' | 'ask' | 'all';
  error: unknown;
  again: () => void;
  /** Looks through as many schedules once more. */
  lookFurther: () => void;
}

/** Schedules of one question about times. */
const PART = 50;
/** Schedules that are looked through before somebody asks for more. */
const MOST_UNASKED = 1_000;

/** The firings of a cell: enabled schedules are looked through, newest first, until all of its firings are found. */
export function useCellFirings({ at, stepSeconds, host, count }: Cell): CellFirings {
  const queryKey = [CELL_FIRINGS, at, stepSeconds, host];
  const place = queryKey.join(' ');
  // It is of one cell, and the next one begins anew.
  const [further, setFurther] = useState({ place, limit: MOST_UNASKED });
  const limit = further.place === place ? further.limit : MOST_UNASKED;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => partOf({ at, stepSeconds, host }, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
  const parts = query.data?.pages ?? [];
  const firings = firingsIn(parts);
  const looked = {
    found: firings.reduce((sum, firing) => sum + firing.count, 0),
    expected: count,
    looked: parts.reduce((sum, part) => sum + part.looked, 0),
    hasMore: query.data === undefined || query.hasNextPage,
  };
  const state = lookOn(looked, limit);
  const isNext = state === 'look' && query.hasNextPage && !query.isFetching && query.error === null;
  const { fetchNextPage } = query;
  useFurtherPages({ isWanted: isNext, pageCount: parts.length, fetchNextPage });
  return {
    firings,
    looked,
    state,
    error: query.error,
    again: () => void query.fetchNextPage(),
    lookFurther: () => setFurther({ place, limit: looked.looked + MOST_UNASKED }),
  };
}

async function partOf(
  { at, stepSeconds, host }: Omit<Cell, 'count'>,
  cursor: string | undefined,
  signal: AbortSignal,
) {
  const query = { status: 'enabled', limit: PART, ...(host !== null && { host }) } as const;
  const list = await api.listSchedules({ ...query, ...(cursor && { cursor }) }, { signal });
  if (list.items.length === 0) return cellPart(list, null);
  const timeline = await api.timeline(
    {
      scheduleId: list.items.map(({ id }) => id),
      from: new Date(at).toISOString(),
      to: new Date(at + stepSeconds * 1_000).toISOString(),
      stepSeconds: stepSeconds / 60,
    },
    { signal },
  );
  return cellPart(list, timeline);
}
