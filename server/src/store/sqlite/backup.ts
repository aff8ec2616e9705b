import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PunctualError } from '../../domain/errors.ts';
import { markAsCopy } from './kept-mark.ts';
import { FAR, lowerPriority } from './thread-priority.ts';

export interface Backup {
  /** Its absolute path. */
  file: string;
  bytes: number;
}

/**
 * Copies an embedded store as it is at one moment, beside a running service (https://sqlite.org/lang_vacuum.html,
 * "VACUUM INTO"). The online backup of SQLite would begin anew at each write of the service.
 *
 * The thread that calls it gives way to those of the service from then on.
 *
 * Nobody else can read the copy. It is complete, checked and on the disk when this returns; where it fails, there is
 * none.
 *
 * @throws PunctualError `backup_refused` where `file` exists, cannot be made, or the copy is damaged
 */
export function backUp(path: string, file: string): Backup {
  lowerPriority(FAR);
  reserve(file);
  try {
    copy(path, file);
    finish(file);
    for (const each of [file, dirname(resolve(file))]) sync(each);
    return { file: resolve(file), bytes: statSync(file).size };
  } catch (error) {
    rmSync(file, { force: true });
    throw error instanceof PunctualError ? error : refused(file, error);
  }
}

/** An empty file of its owner's alone: SQLite writes into it, and no other file is ever overwritten. */
function reserve(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    throw refused(file, error);
  }
}

function copy(path: string, file: string): void {
  const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    source.prepare('VACUUM INTO ?').run(file);
  } finally {
    source.close();
  }
}

function finish(file: string): void {
  const made = new DatabaseSync(file);
  try {
    markAsCopy(made);
    const rows = made.prepare('PRAGMA integrity_check').all();
    const [first] = rows.map(row => String(Object.values(row)[0]));
    if (first !== 'ok') throw refused(file, new Error(`the copy is damaged: ${first}`));
  } finally {
    made.close();
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function refused(file: string, error: unknown): PunctualError {
  const { code, message } = error as { code?: string; message: string };
  const why = code === 'EEXIST' ? 'the file exists' : message;
  return new PunctualError('backup_refused', `No backup was made at ${file}: ${why}.`);
}
