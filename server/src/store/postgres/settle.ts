import { CALLBACK, type Cell } from '../columns.ts';
import { columnsOf, parameters, type Value } from './connection.ts';

/** The common part of settlements of the queue and of the outbox. */

/**
 * Settles in rounds in which no row stands twice: one statement changes a row once. Mostly there is
 * one round. In each the rows are in one order, so that two rounds at the same moment do not lock
 * each other out.
 */
export async function settleRounds<Item, Key extends string | number>(
  items: Item[],
  keyOf: (item: Item) => Key,
  settle: (round: Item[]) => Promise<Key[]>,
): Promise<Key[]> {
  const overtaken: Key[] = [];
  let left = items;
  while (left.length > 0) {
    const round = new Map<Key, Item>();
    const again: Item[] = [];
    for (const item of left) {
      const key = keyOf(item);
      if (round.has(key)) again.push(item);
      else round.set(key, item);
    }
    const ordered = [...round].sort(([a], [b]) => (a < b ? -1 : 1));
    overtaken.push(...(await settle(ordered.map(([, item]) => item))));
    left = again;
  }
  return overtaken;
}

/**
 * The cells of what is written beside the rows, as columns, with the number of the row that each
 * belongs to in front, counted from 1.
 */
export function ownedColumns(cells: Cell[][][], width: number): Value[] {
  const owned = cells.flatMap((rows, index) => rows.map(row => [index + 1, ...row]));
  return columnsOf(owned, width + 1);
}

/**
 * How callbacks enter the outbox: in the statement that ends their run.
 *
 * @param first the number of its first parameter; `callbackValues` gives them
 */
export function callbackWriter(first: number): string {
  return `written_callbacks AS (
      INSERT INTO outbox (kind, state, ${CALLBACK.list()})
      SELECT 'callback', 'waiting', ${CALLBACK.list()}
      FROM unnest(${parameters(first, ['integer', ...CALLBACK.types])})
        AS given (owner, ${CALLBACK.list()})
      WHERE owner NOT IN (SELECT n FROM overtaken)
    )`;
}

/** @param cells of the callbacks of each settlement, in the order of `CALLBACK` */
export function callbackValues(cells: Cell[][][]): Value[] {
  return ownedColumns(cells, CALLBACK.width);
}
