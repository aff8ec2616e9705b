import { PunctualError } from '../../../domain/errors.ts';
import type { Query } from '../connection.ts';

/** The note of a move into this database (`target.ts`), which nodes look for when they start. */

/** Makes the table if there is none. It is no migration: only a database that was moved into has it. */
export const NO_MOVE = `
  CREATE TABLE IF NOT EXISTS punctual_move (id text NOT NULL, progress text NOT NULL, tables text);
  DELETE FROM punctual_move`;

export const NOT_ENDED =
  'A move into this database has not ended: run "punctual move" again until it says so, or empty the database.';

/** @returns with `tables` null while it has not ended; null where there never was one */
export async function moveUnderWay(
  query: Query,
): Promise<{ id: string; progress: string; tables: string | null } | null> {
  const [table] = await query("SELECT to_regclass('punctual_move') IS NOT NULL AS is_there");
  if (!table!.is_there) return null;
  const [row] = await query('SELECT id, progress, tables FROM punctual_move');
  return (row as never) ?? null;
}

/** @throws PunctualError `store_moved` */
export async function refuseUnended(query: Query): Promise<void> {
  const move = await moveUnderWay(query);
  if (move !== null && move.tables === null) throw new PunctualError('store_moved', NOT_ENDED);
}
