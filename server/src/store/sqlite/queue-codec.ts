import {
  CALLBACK,
  type Cell,
  CLAIMED,
  FENCE,
  FIREABLE,
  QUEUE,
  type Row,
  RUN,
  readFrom,
  rowReader,
  SERVICE_CHANGE,
  TARGET_RUN,
} from '../columns.ts';
import type { QueueStore, Settlement } from '../contract/queue.ts';
import { claimFrom } from '../rows/queue.ts';
import { callbackRow, runRow } from '../rows/runs.ts';

/**
 * Claims and settlements, flat, on their way to the statements and back. They travel between threads. One text
 * or one list of cells for a whole batch costs a fraction of copies of objects.
 */

/**
 * The calls of the thread that runs the statements. Claims and settlements are ready to travel between threads.
 */
export interface QueueTexts {
  /** @returns the claimed rows as JSON, an array of cells each, in the order of `claimedText`; and `nextDueAt` */
  claimText(
    ...claim: Parameters<QueueStore['claim']>
  ): Promise<[text: string, nextDueAt: number | null]>;
  /** @param cells as `settlementCells` puts them in a row */
  settleCells(cells: Cell[]): Promise<number[]>;
}

export const FIREABLE_JOINS = `
  JOIN schedules ON schedules.schedule_key = queue.schedule_key
  JOIN clients ON clients.client_key = schedules.client_key`;

const ROW = [
  ...readFrom('queue', CLAIMED),
  ...FIREABLE.filter(({ name }) => !CLAIMED.includes(name)),
];

/**
 * The cells that a claim reads. One text of all cells, made by SQLite and parsed where it is wanted, costs a
 * third of as many columns.
 *
 * @param begins SQL: whether the attempt begins with the claim
 * @param fence SQL: the number in its `Punctual-Fence`
 */
export function claimedText(begins: string, fence: string): string {
  return `json_array(${ROW.map(({ from }) => from).join()}, ${begins}, ${fence}) AS text`;
}

const claimedRow = rowReader([...ROW.map(({ name }) => name), 'begins', 'next_fence']);

/** @param texts of rows, their `claimedText` each */
export function arrayText(texts: string[]): string {
  return `[${texts.join()}]`;
}

/** The cells of `claimedText` under their names again. */
export function claimedRows(text: string): Row[] {
  return (JSON.parse(text) as Cell[][]).map(claimedRow);
}

/** Claims and settlements, wherever their rows are kept. */
export function queueClaims(rows: QueueTexts): Pick<QueueStore, 'claim' | 'settle'> {
  return {
    async claim(now, limit, unseenUntil, ...how) {
      const [text, nextDueAt] = await rows.claimText(now, limit, unseenUntil, ...how);
      return { claims: claimedRows(text).map(row => claimFrom(row, now)), nextDueAt };
    },
    settle: settlements => rows.settleCells(settlementCells(settlements)),
  };
}

/**
 * The parts of a settlement that may be absent, as the bits of one number: most have a row alone, and cost no cell more
 * for the others.
 */
export const HAS_ROW = 1;
export const HAS_CHANGE = 2;
export const HAS_AGAIN = 4;

/**
 * All cells of all settlements, one after the other, in the order of their statements. A settlement is the key
 * of the schedule, the fence, the number that tells which parts follow, and these: the row, the change of the schedule,
 * the further run. Then come a count of runs and the runs, a count of callbacks and the callbacks.
 */
function settlementCells(settlements: Settlement[]): Cell[] {
  const cells: Cell[] = [];
  for (const settlement of settlements) {
    const { scheduleRowId, clientRowId, fence, row, change, again, records, callbacks } =
      settlement;
    cells.push(scheduleRowId);
    FENCE.append(cells, fence);
    cells.push(
      (row === null ? 0 : HAS_ROW) |
        (change === undefined ? 0 : HAS_CHANGE) |
        (again === undefined ? 0 : HAS_AGAIN),
    );
    if (row !== null) QUEUE.append(cells, row);
    if (change !== undefined) SERVICE_CHANGE.append(cells, change);
    if (again !== undefined) TARGET_RUN.append(cells, again);
    cells.push(records.length);
    for (const record of records) RUN.append(cells, runRow(clientRowId, scheduleRowId, record));
    cells.push(callbacks.length);
    for (const callback of callbacks) {
      CALLBACK.append(cells, callbackRow(clientRowId, scheduleRowId, callback, records));
    }
  }
  return cells;
}

/** Reads cells in the order in which they were written. */
export class CellReader {
  readonly #cells: Cell[];
  #at = 0;

  constructor(cells: Cell[]) {
    this.#cells = cells;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#cells.length;
  }

  number(): number {
    return this.#cells[this.#at++] as number;
  }

  take(count: number): Cell[] {
    this.#at += count;
    return this.#cells.slice(this.#at - count, this.#at);
  }

  /** A count, and that many lists of `size` cells. */
  list(size: number): Cell[][] {
    const list: Cell[][] = [];
    for (let left = this.number(); left > 0; left -= 1) list.push(this.take(size));
    return list;
  }
}
