import { useEffect } from 'react';

interface Pages {
  /** Whether the next page is wanted now. */
  isWanted: boolean;
  /** Of those that are here. The first one comes by itself. */
  pageCount: number;
  fetchNextPage: () => Promise<unknown>;
}

/** Asks for one page after the other. A page may arrive before anybody saw that it was asked for: each one asks again. */
export function useFurtherPages({ isWanted, pageCount, fetchNextPage }: Pages): void {
  useEffect(() => {
    if (isWanted && pageCount > 0) void fetchNextPage();
  }, [isWanted, pageCount, fetchNextPage]);
}
