import type { RunRequest, ScheduleVersion, VersionPage } from '@punctual/client';
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useFurtherPages } from '../parts/use-further-pages.ts';
import { api } from '../queries.ts';
import { withNewest } from './version-marks.ts';

/** Versions on a page of the list. */
const PAGE = 20;

/**
 * The versions of a schedule, newest first, page by page.
 *
 * @param updatedAt of the schedule: where it moves, there is a new version
 */
export function useVersions(id: string, updatedAt: string | undefined) {
  return useInfiniteQuery({
    queryKey: [...versionsKey(id), 'list', updatedAt],
    queryFn: ({ pageParam }: { pageParam: string | undefined }): Promise<VersionPage> =>
      api.listVersions(id, { limit: PAGE, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
}

/** The lists of the versions of a schedule begin with it; the marks of a timeline read what is new by themselves. */
export function versionsKey(id: string): string[] {
  return ['versions', id];
}

/**
 * The request of an attempt. One that has ended stays as it is, but for the number of the present version.
 *
 * @param attempt undefined: the last one
 */
export function useRunRequest(runId: string, attempt: number | undefined, enabled = true) {
  return useQuery({
    queryKey: ['run', runId, 'request', attempt],
    queryFn: (): Promise<RunRequest> =>
      api.getRunRequest(runId, attempt === undefined ? {} : { attempt }),
    enabled,
  });
}

/** Versions of one question, and pages that are read at most, for marks on a timeline. */
const MARK_PAGE = 100;
const MOST_MARK_PAGES = 5;
/** Versions that are read where the schedule has changed. */
const NEWEST = 10;

/** Versions for the marks of a timeline. */
export interface VersionsSince {
  versions: ScheduleVersion[];
  /** Changes before this instant are not read, epoch ms; null: none that the window has is missing. */
  cutAt: number | null;
  error: unknown;
  again: () => void;
}

/**
 * The versions of a schedule since an instant, newest first. They are read once. After a change only the newest ones are
 * read, since a target may change its schedule with each run.
 *
 * @param from epoch ms
 */
export function useVersionsSince(
  id: string,
  updatedAt: string | undefined,
  from: number,
): VersionsSince {
  const cache = useQueryClient();
  const marksKey = ['version-marks', id];
  const query = useInfiniteQuery({
    queryKey: marksKey,
    queryFn: ({ pageParam }: { pageParam: string | undefined }): Promise<VersionPage> =>
      api.listVersions(id, { limit: MARK_PAGE, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const newestAt = query.data?.pages[0]?.items[0]?.at;
  const isBehind = newestAt !== undefined && updatedAt !== undefined && newestAt < updatedAt;
  const newest = useQuery({
    queryKey: [...marksKey, 'newest', updatedAt],
    queryFn: async () => {
      const { items } = await api.listVersions(id, { limit: NEWEST });
      const known = cache.getQueryData<InfiniteData<VersionPage, string | undefined>>(marksKey);
      const pages = known && withNewest(known.pages, items);
      if (pages) cache.setQueryData(marksKey, { ...known, pages });
      else await cache.resetQueries({ queryKey: marksKey, exact: true });
      return items.length;
    },
    enabled: isBehind && !query.isFetching,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const pages = query.data?.pages ?? [];
  const versions = pages.flatMap(({ items }) => items);
  const oldest = versions.at(-1);
  const isMissing = query.hasNextPage && oldest !== undefined && Date.parse(oldest.at) > from;
  const isNext =
    isMissing &&
    pages.length < MOST_MARK_PAGES &&
    !query.isFetching &&
    // A page under way would put back the pages as they were.
    !newest.isFetching &&
    query.error === null;
  const { fetchNextPage } = query;
  useFurtherPages({ isWanted: isNext, pageCount: pages.length, fetchNextPage });
  const isCut = isMissing && pages.length >= MOST_MARK_PAGES;
  return {
    versions,
    cutAt: isCut ? Date.parse(oldest.at) : null,
    error: query.error ?? newest.error,
    again: () => void (query.error ? query.refetch() : newest.refetch()),
  };
}
