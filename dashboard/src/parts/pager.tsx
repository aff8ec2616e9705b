import { Button, Group } from '@mantine/core';
import { useState } from 'react';

/** Pages by cursors: back is remembered, since a list only knows what comes after. */
export function usePages(resetOn: string) {
  const [state, setState] = useState<{ key: string; cursors: string[] }>({
    key: resetOn,
    cursors: [],
  });
  const cursors = state.key === resetOn ? state.cursors : [];
  const set = (next: string[]) => setState({ key: resetOn, cursors: next });
  return {
    cursor: cursors.at(-1),
    page: cursors.length + 1,
    forward: (cursor: string) => set([...cursors, cursor]),
    back: () => set(cursors.slice(0, -1)),
  };
}

export function Pager({
  pages,
  nextCursor,
}: {
  pages: ReturnType<typeof usePages>;
  nextCursor: string | undefined;
}) {
  if (pages.page === 1 && nextCursor === undefined) return null;
  return (
    <Group component="nav" justify="flex-end" gap="xs" p="sm" aria-label="Pages of the list">
      <Button size="xs" variant="default" disabled={pages.page === 1} onClick={pages.back}>
        Newer
      </Button>
      <span className="muted numbers">Page {pages.page}</span>
      <Button
        size="xs"
        variant="default"
        disabled={nextCursor === undefined}
        onClick={() => nextCursor !== undefined && pages.forward(nextCursor)}
      >
        Older
      </Button>
    </Group>
  );
}
