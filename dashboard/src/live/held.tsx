import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type FocusEvent, type ReactNode, useState } from 'react';
import { heldRows, withCurrent } from './held-rows.ts';

/**
 * A list whose rows stay where they are while the pointer is over it, the keyboard is in it, or
 * something of it is picked: what is new gathers behind a button. On a touch screen nothing tells where
 * a finger is about to come down, so there they always stay.
 *
 * @param key of what is listed: another one is shown at once
 * @param items newest first; undefined while they are asked for
 */
export function useHeld<Row extends { id: string }>({
  key,
  items,
  isWhole,
  orderOf,
  isBusy,
}: {
  key: string;
  items: Row[] | undefined;
  /** Whether nothing comes after `items`. */
  isWhole: boolean;
  orderOf: (row: Row) => string;
  /** Something is done with these rows. */
  isBusy: boolean;
}) {
  const isTouch = useMediaQuery('(pointer: coarse)');
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [held, setHeld] = useState<{ key: string; rows: Row[] } | null>(null);
  const isHeld = isTouch || isPointed || isFocused || isBusy;
  // An empty list cannot move.
  const isThere = items !== undefined && items.length > 0;
  if (!isHeld && held !== null) setHeld(null);
  if (isHeld && isThere && held?.key !== key) setHeld({ key, rows: items });
  if (isHeld && held?.key === key && items !== undefined) {
    // A row keeps its newest values when newer rows have driven it off the list.
    const rows = withCurrent(held.rows, items);
    if (rows !== held.rows) setHeld({ key, rows });
  }
  const shown =
    isHeld && held?.key === key && items !== undefined
      ? heldRows(held.rows, items, orderOf, isWhole)
      : { rows: items ?? [], fresh: 0, isMore: false };
  return {
    ...shown,
    showNew: () => items !== undefined && setHeld({ key, rows: items }),
    watch: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocus: ({ target }: FocusEvent) => setFocused(target.matches(':focus-visible')),
      onBlur: () => setFocused(false),
    },
  };
}

export function HeldList({
  held: { fresh, isMore, showNew, watch },
  children,
}: {
  held: Pick<ReturnType<typeof useHeld>, 'fresh' | 'isMore' | 'showNew' | 'watch'>;
  children: ReactNode;
}) {
  return (
    <div {...watch}>
      <div className="fresh" role="status">
        {fresh > 0 && (
          <Button size="compact-xs" onClick={showNew}>
            {fresh}
            {isMore && '+'} new
          </Button>
        )}
      </div>
      {children}
    </div>
  );
}
