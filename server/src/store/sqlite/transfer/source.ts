import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PunctualError } from '../../../domain/errors.ts';
import type { Cell } from '../../columns.ts';
import { fold } from '../../rows/row.ts';
import type { MoveSource } from '../../transfer/move.ts';
import type { Table, TableName } from '../../transfer/tables.ts';
import { lockSqlite } from '../lock.ts';
import { migrateSqlite, openDatabase } from '../open.ts';
import { markAsMoved, moveOf, unmark } from './marker.ts';

/** Characters of a page's texts, about: rows may be up to half a million long. */
const PAGE_CHARACTERS = 4 * 2 ** 20;

/** Columns that PostgreSQL has beside this backend's own, as they are to be there. */
const DERIVED: Record<string, string> = {
  'schedules.url_folded': 'fold(url)',
  'schedules.label_folded': 'fold(label)',
  'runs.keep': "CASE status WHEN 'failed' THEN 'long' ELSE 'short' END",
};

/**
 * The database at `path` as what is to be moved away: with the engine's lock on it, and marked until
 * `takeBack`.
 *
 * @throws PunctualError `store_in_use`, `store_newer`, `store_unavailable`
 */
export function openSource(path: string, now: number): MoveSource {
  const { database, close } = openAlone(path);
  try {
    migrateSqlite(database);
    database.function('fold', { deterministic: true }, text => fold(String(text)));
    const id = moveOf(database) ?? crypto.randomUUID();
    const mark = async () => usable(path, () => markAsMoved(database, id, now));
    return { id, mark, ...reader(path, database), close };
  } catch (error) {
    void close();
    throw error;
  }
}

/**
 * Takes the mark off again: engines start on it as before.
 *
 * @returns false where it had none
 * @throws PunctualError `store_in_use`, `store_unavailable`
 */
export async function takeBack(path: string): Promise<boolean> {
  const { database, close } = openAlone(path);
  try {
    return unmark(database);
  } finally {
    await close();
  }
}

function openAlone(path: string): { database: DatabaseSync; close(): Promise<void> } {
  if (!existsSync(path)) {
    throw new PunctualError('store_unavailable', `There is no database ${path}.`);
  }
  const lock = lockSqlite(path);
  try {
    const database = openDatabase(path);
    const close = async () => {
      if (database.isOpen) database.close();
      lock.release();
    };
    return { database, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function reader(path: string, database: DatabaseSync): Pick<MoveSource, 'count' | 'page'> {
  const statements = new Map<TableName, { first: StatementSync; next: StatementSync }>();
  const statementsOf = (table: Table) => {
    const known = statements.get(table.name) ?? prepare(database, table);
    statements.set(table.name, known);
    return known;
  };
  return {
    async count({ name }) {
      const count = `SELECT count(*) AS count FROM ${name}`;
      return usable(path, () => database.prepare(count).get()!.count as number);
    },
    async page(table, after, limit) {
      return usable(path, () => {
        const { first, next } = statementsOf(table);
        return pageOf(after === null ? first.iterate(limit) : next.iterate(...after, limit));
      });
    },
  };
}

function pageOf(rows: Iterable<unknown>): Cell[][] {
  const page: Cell[][] = [];
  let characters = 0;
  for (const row of rows as Iterable<Cell[]>) {
    page.push(row);
    characters += lengthOf(row);
    if (characters >= PAGE_CHARACTERS) break;
  }
  return page;
}

/** A full disk, a broken file. */
function usable<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const why = (cause as Error).message;
    const sentence = `The database ${path} cannot be moved: ${why}.`;
    throw new PunctualError('store_unavailable', sentence, { cause });
  }
}

function prepare(database: DatabaseSync, { name, columns, key }: Table) {
  const cells = columns.map(column => DERIVED[`${name}.${column}`] ?? column).join();
  const order = `ORDER BY ${key.join()} LIMIT ? + 0`;
  const marks = key.map(() => '?').join();
  const first = database.prepare(`SELECT ${cells} FROM ${name} ${order}`);
  const next = database.prepare(
    `SELECT ${cells} FROM ${name} WHERE (${key.join()}) > (${marks}) ${order}`,
  );
  for (const statement of [first, next]) statement.setReturnArrays(true);
  return { first, next };
}

function lengthOf(row: Cell[]): number {
  let length = 0;
  for (const cell of row) if (typeof cell === 'string') length += cell.length;
  return length;
}
