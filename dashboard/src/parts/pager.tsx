import { Button, Group } from '@mantine/core';
import type { MouseEvent } from 'react';
import { useSearchParams } from 'wouter';

/** A list only knows what comes after a page: from where one came to each is remembered here. */
const cursorBefore = new Map<string, string>();

/** The query parameters that name the page of a list. A new filter begins with the first page. */
const PAGE_NAMES = ['page', 'cursor'];

export function withoutPage(search: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(search);
  for (const name of PAGE_NAMES) rest.delete(name);
  return rest;
}

/** Pages by cursors, in the address: a reload and the browser's Back come to the same page. */
export function usePages() {
  const [search, setSearch] = useSearchParams();
  const cursor = search.get('cursor') ?? undefined;
  const page = cursor === undefined ? 1 : Math.max(2, Number(search.get('page')) || 2);
  const go = (nextPage: number, nextCursor: string | undefined) =>
    setSearch(before => {
      const after = withoutPage(before);
      if (nextCursor === undefined) return after;
      after.set('page', String(nextPage));
      after.set('cursor', nextCursor);
      return after;
    });
  return {
    cursor,
    page,
    forward(next: string) {
      if (cursor !== undefined) cursorBefore.set(next, cursor);
      go(page + 1, next);
    },
    /** If the previous page is unknown, this goes to the first page. */
    back: () => go(page - 1, page === 2 ? undefined : cursorBefore.get(cursor!)),
  };
}

export function Pager({
  pages,
  nextCursor,
  isOld,
}: {
  pages: ReturnType<typeof usePages>;
  nextCursor: string | undefined;
  /** Another page is shown until this one is there: its cursor does not lead on from here. */
  isOld: boolean;
}) {
  if (pages.page === 1 && nextCursor === undefined) return null;
  const turn = (to: () => void) => (event: MouseEvent) => {
    const list = event.currentTarget.closest('section');
    to();
    // The new page is read from its top, by keyboard too.
    list?.scrollIntoView({ block: 'start' });
    list?.focus({ preventScroll: true });
  };
  return (
    <Group component="nav" justify="flex-end" gap="xs" p="sm" aria-label="Pages of the list">
      <Button size="xs" variant="default" disabled={pages.page === 1} onClick={turn(pages.back)}>
        Newer
      </Button>
      <span className="muted numbers">Page {pages.page}</span>
      <Button
        size="xs"
        variant="default"
        disabled={isOld || nextCursor === undefined}
        onClick={turn(() => nextCursor !== undefined && pages.forward(nextCursor))}
      >
        Older
      </Button>
    </Group>
  );
}
