import { existsSync, statSync, utimesSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { PunctualError } from '../../domain/errors.ts';
import type { EngineLock } from '../store.ts';
import { cannotOpen, isBusy, openFile } from './open.ts';

/** Nobody reads them: a connection that nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Makes this process the one engine of the database at `path`, until `release` or its end however
 * it comes: the lock is the operating system's, so that a killed process leaves none behind.
 *
 * The time of the lock's file is the mark: what an engine sends, it says there first. No fsync is
 * waited for, so it outlives the process and not the machine: where that was started since, it says nothing.
 *
 * @param bootedAt when this machine was started, epoch ms
 * @throws PunctualError `store_in_use`, `store_unavailable`
 */
export function lockSqlite(path: string, bootedAt = Number.POSITIVE_INFINITY): EngineLock {
  const file = `${path}.engine`;
  const sentUntil = markOf(file, bootedAt);
  const lock = openFile(file, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cannotOpen(path, cause);
    throw new PunctualError(
      'store_in_use',
      `Another Punctual is already running on the database ${path}: stop it first, or give this ` +
        'one another DATABASE_URL.',
      { cause },
    );
  }
  held.add(lock);
  const isMarkable = tries(() => {
    const { atime, mtime } = statSync(file);
    utimesSync(file, atime, mtime);
  });
  return {
    sentUntil: isMarkable ? sentUntil : null,
    mark(until) {
      // Where the file is gone, the next start knows nothing, and takes all for sent.
      if (isMarkable && existsSync(file)) utimesSync(file, until / 1_000, until / 1_000);
    },
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

/** The file may be another user's: then nothing is known of what was sent. */
function tries(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function markOf(file: string, bootedAt: number): number | null {
  const mark = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return mark === undefined || mark <= bootedAt ? null : Math.round(mark);
}
