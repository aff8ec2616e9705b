/**
 * The mover: carries a store from one backend to another, page by page, and checks what it did.
 *
 * - A page and the note of how far the move has come are written in one transaction. So it may be
 *   killed at any moment: started again, it goes on, and ends with the same result.
 * - From its first page to its end nobody else writes on either side: the source is marked as moved,
 *   and the target refuses (`MoveSource`, `MoveTarget`). So nothing fires on both, or on half.
 * - At the end both sides are read again, and compared by count and digest, table by table.
 * - Keys are carried as they are, and so are rows in flight: the target recovers them as it does
 *   those of a node that is gone.
 */

import { createHash, type Hash } from 'node:crypto';
import { PunctualError } from '../../domain/errors.ts';
import type { Cell } from '../columns.ts';
import { keyOf, type PageReader, TABLES, type Table, type TableName } from './tables.ts';

/** Rows of one page, at most; a backend ends a page sooner where its rows are wide. */
const PAGE_ROWS = 5_000;

/** The source of the rows. No engine runs on it until `close`. */
export interface MoveSource extends PageReader {
  /** Of the move: the same one each time, once it is marked. */
  readonly id: string;
  /** From here on no engine starts on it, also where this process is killed. */
  mark(): Promise<void>;
  count(table: Table): Promise<number>;
  close(): Promise<void>;
}

/** How far a move has come: with each table, which of its rows were written. */
export type Progress = Partial<Record<TableName, { rows: number; after: Cell[] | null }>>;

/** The target of the rows. Nobody else can write to it until `end`. */
export interface MoveTarget extends PageReader {
  /** The rows written before; empty at a move's first start. */
  readonly progress: Progress;
  /** The result of the move, if it has ended before. */
  readonly ended: MovedTable[] | null;
  /** Writes a page, and how far the move has come with it, in one transaction. */
  write(table: Table, rows: Cell[][], progress: Progress): Promise<void>;
  /** Opens the target for all. */
  end(tables: MovedTable[]): Promise<void>;
  close(): Promise<void>;
}

export interface MovedTable {
  table: TableName;
  rows: number;
  /** SHA-256 of its rows in the order of their key, each as the JSON of its cells; hex. */
  sha256: string;
}

export interface MoveStep {
  phase: 'moving' | 'checking';
  table: TableName;
  /** Of this table. */
  rows: number;
  /** Of this table, in the source. */
  of: number;
}

/**
 * @param tell called after each page
 * @throws PunctualError `move_refused` where the two sides differ at the end
 */
export async function moveStore(
  source: MoveSource,
  target: MoveTarget,
  tell: (step: MoveStep) => void,
): Promise<MovedTable[]> {
  if (target.ended !== null) return target.ended;
  await source.mark();
  const progress: Progress = { ...target.progress };
  const moved: MovedTable[] = [];
  for (const table of TABLES) await carry(source, target, table, progress, tell);
  for (const table of TABLES) moved.push(await compare(source, target, table, tell));
  await target.end(moved);
  return moved;
}

/** The next page is read while the one before is being written. */
async function carry(
  source: MoveSource,
  target: MoveTarget,
  table: Table,
  progress: Progress,
  tell: (step: MoveStep) => void,
): Promise<void> {
  const of = await source.count(table);
  let { rows, after } = progress[table.name] ?? { rows: 0, after: null };
  tell({ phase: 'moving', table: table.name, rows, of });
  let page = await source.page(table, after, PAGE_ROWS);
  while (page.length > 0) {
    after = keyOf(table, page.at(-1)!);
    rows += page.length;
    progress[table.name] = { rows, after };
    const writing = target.write(table, page, progress);
    const reading = source.page(table, after, PAGE_ROWS);
    [page] = await Promise.all([reading, writing]);
    tell({ phase: 'moving', table: table.name, rows, of });
  }
}

/**
 * Both sides in step, so that neither has more than a page in memory; the target is read while the
 * source is.
 */
async function compare(
  source: MoveSource,
  target: MoveTarget,
  table: Table,
  tell: (step: MoveStep) => void,
): Promise<MovedTable> {
  const of = await source.count(table);
  const [here, there] = [new Digest(table), new Digest(table)];
  let page = await source.page(table, null, PAGE_ROWS);
  while (page.length > 0) {
    const reading = target.page(table, there.after, page.length);
    here.add(page);
    const [written, next] = await Promise.all([reading, source.page(table, here.after, PAGE_ROWS)]);
    there.add(written);
    page = next;
    tell({ phase: 'checking', table: table.name, rows: here.rows, of });
  }
  there.add(await target.page(table, there.after, 1));
  const [expected, found] = [here.end(), there.end()];
  if (expected.rows === found.rows && expected.sha256 === found.sha256) return expected;
  throw new PunctualError(
    'move_refused',
    `The two sides differ in ${table.name}: ${expected.rows} rows of the source have the digest ` +
      `${expected.sha256}, ${found.rows} of the target ${found.sha256}. The target stays closed: ` +
      'empty it, and move again.',
  );
}

class Digest {
  readonly #table: Table;
  readonly #hash: Hash = createHash('sha256');
  rows = 0;
  /** The key of the last row. */
  after: Cell[] | null = null;

  constructor(table: Table) {
    this.#table = table;
  }

  add(page: Cell[][]): void {
    if (page.length === 0) return;
    this.#hash.update(page.map(row => `${JSON.stringify(row)}\n`).join(''));
    this.rows += page.length;
    this.after = keyOf(this.#table, page.at(-1)!);
  }

  end(): MovedTable {
    return { table: this.#table.name, rows: this.rows, sha256: this.#hash.digest('hex') };
  }
}
