/** Rows of a list that goes on, while somebody is about to click one of them. */

export interface Held<Row> {
  /** The rows shown: the same rows as before with their current values, without deleted ones. */
  rows: Row[];
  /** New ones, which are not shown yet. */
  fresh: number;
  /** Whether there are more of them than one page tells. */
  isMore: boolean;
}

/** The same rows with their current values; the same list where none has another one. */
export function withCurrent<Row extends { id: string }>(held: Row[], items: Row[]): Row[] {
  const now = new Map(items.map(row => [row.id, row]));
  const rows = held.map(row => now.get(row.id) ?? row);
  return rows.some((row, place) => row !== held[place]) ? rows : held;
}

/**
 * @param held the rows that stay where they are, newest first
 * @param items what the list says now, newest first
 * @param orderOf sorts later the newer a row is
 * @param isWhole whether nothing comes after `items`
 */
export function heldRows<Row extends { id: string }>(
  held: Row[],
  items: Row[],
  orderOf: (row: Row) => string,
  isWhole: boolean,
): Held<Row> {
  const now = new Map(items.map(row => [row.id, row]));
  const known = new Set(held.map(({ id }) => id));
  const oldest = items.at(-1);
  const isGone = (row: Row) =>
    !now.has(row.id) && (isWhole || (oldest !== undefined && orderOf(row) > orderOf(oldest)));
  const newest = held[0];
  const isNew = (row: Row) =>
    !known.has(row.id) && (newest === undefined || orderOf(row) >= orderOf(newest));
  const fresh = items.filter(isNew).length;
  return {
    rows: held.filter(row => !isGone(row)).map(row => now.get(row.id) ?? row),
    fresh,
    isMore: fresh > 0 && fresh === items.length && !isWhole,
  };
}
