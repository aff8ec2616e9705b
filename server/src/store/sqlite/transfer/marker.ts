import type { DatabaseSync } from 'node:sqlite';
import { PunctualError } from '../../../domain/errors.ts';

/**
 * The mark of a database that is moved to PostgreSQL, from the first row on: an engine on it would
 * fire what the other side fires too. It stands in the database, so that copies carry it.
 */

/** @throws PunctualError `store_moved` */
export function refuseMoved(database: DatabaseSync): void {
  if (moveOf(database) === null) return;
  throw new PunctualError(
    'store_moved',
    'This database was moved to PostgreSQL, or its move has not ended: start Punctual on the other ' +
      'one, or take this one back with "punctual move --from … --undo".',
  );
}

/** Once and for the same move only: a second mark changes nothing. */
export function markAsMoved(database: DatabaseSync, id: string, now: number): void {
  database.exec('BEGIN IMMEDIATE');
  database.exec(
    'CREATE TABLE IF NOT EXISTS moved (id TEXT NOT NULL, since INTEGER NOT NULL) STRICT',
  );
  const mark = 'INSERT INTO moved SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM moved)';
  database.prepare(mark).run(id, now);
  database.exec('COMMIT');
}

/** @returns false where it had none */
export function unmark(database: DatabaseSync): boolean {
  const isMarked = moveOf(database) !== null;
  database.exec('DROP TABLE IF EXISTS moved');
  return isMarked;
}

/** @returns the id of the move, or null */
export function moveOf(database: DatabaseSync): string | null {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'moved'").get();
  if (known === undefined) return null;
  return (database.prepare('SELECT id FROM moved').get()?.id as string | undefined) ?? null;
}
