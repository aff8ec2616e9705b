import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** Has the store of a running service stand still, as a disk does that is busy: nobody else writes meanwhile. */
export async function stallStore(path: string, ms: number): Promise<void> {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  try {
    database.exec('BEGIN IMMEDIATE');
    await sleep(ms);
    database.exec('ROLLBACK');
  } finally {
    database.close();
  }
}
