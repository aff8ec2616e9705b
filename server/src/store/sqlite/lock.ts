import { accessSync, constants, existsSync, statSync, utimesSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { PunctualError } from '../../domain/errors.ts';
import type { EngineLock } from '../contract/engine-lock.ts';
import { cannotOpen, isBusy, isDamage } from './fault.ts';
import { isBehind, openFile } from './open.ts';

/** One start of a machine. */
export interface Boot {
  /** By the machine's own clock, epoch ms. */
  at: number;
  /** A whole number of 32 bits that no other start has, of any machine; 0 where the system has none. */
  id: number;
}

/** Nobody reads them: a connection that nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Makes this process the one engine of the database at `path`, until `release` or the end of the process. The
 * operating system holds the lock, so a killed process leaves none behind.
 *
 * The time of the lock's file is the mark: what an engine sends, it says there first. No fsync is
 * waited for, so it outlives the process and not the machine: where that was started since, or is another
 * one, it says nothing.
 *
 * @param boot this start of the machine; without it, nothing is known of what was sent
 * @throws PunctualError `store_in_use`, `store_unavailable`, `store_unusable`
 */
export function lockSqlite(path: string, boot?: Boot): EngineLock {
  // It throws where there is a file that is no database, so that no lock stands beside one.
  isBehind(path);
  const file = `${path}.engine`;
  const isNew = !existsSync(file);
  const lock = openFile(file, { timeout: 0 });
  let isKnown: boolean;
  try {
    // SQLite reads a file that may not be written, and an exclusive lock on it would hold back nobody.
    accessSync(file, constants.W_OK);
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    isKnown = boot !== undefined && isSameBoot(lock, boot.id) && !isNew;
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cannotLock(file, cause);
    throw new PunctualError(
      'store_in_use',
      `Another Punctual is already running on the database ${path}: stop it first, or give this ` +
        'one another DATABASE_URL.',
      { cause },
    );
  }
  held.add(lock);
  // It may be another user's, or keep whole seconds.
  const isMarkable = boot !== undefined && tries(() => checkMark(file));
  const sentUntil = isKnown && isMarkable ? markOf(file) : null;
  return {
    sentUntil: sentUntil !== null && sentUntil > boot!.at ? sentUntil : null,
    noteSentUntil(until) {
      // If the file is gone, the next start knows nothing, and assumes that all were sent.
      if (isMarkable && existsSync(file)) utimesSync(file, until / 1_000, until / 1_000);
    },
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

/** A damaged lock is no loss: it says nothing that a start would need. */
function cannotLock(file: string, cause: unknown): PunctualError {
  if (!isDamage(cause)) return cannotOpen(file, cause);
  const why = (cause as Error).message;
  return new PunctualError(
    'store_unusable',
    `The lock ${file} is damaged (${why}): delete it while no Punctual runs on its database.`,
    { cause },
  );
}

/** Notes this one, durably, where it is another. The lock is held before and after. */
function isSameBoot(lock: DatabaseSync, id: number): boolean {
  if (lock.prepare('PRAGMA user_version').get()!.user_version === id) return true;
  // A disk that is full keeps nobody from starting: then it is another one at the next start, too.
  tries(() => lock.exec(`PRAGMA user_version = ${id}; COMMIT`));
  if (lock.isTransaction) lock.exec('ROLLBACK');
  lock.exec('BEGIN EXCLUSIVE');
  return false;
}

function tries(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** @throws Error where the file does not keep a time to the millisecond */
function checkMark(file: string): void {
  const mark = markOf(file);
  // Later, so that what was sent stays sent if this is as far as it comes.
  const later = (Math.floor(mark / 1_000) + 1) * 1_000 + 1;
  utimesSync(file, later / 1_000, later / 1_000);
  if (markOf(file) !== later) throw new Error('The time of the file is not exact.');
  utimesSync(file, mark / 1_000, mark / 1_000);
}

/** To the millisecond. */
function markOf(file: string): number {
  return Math.round(statSync(file).mtimeMs);
}
