import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** A library that, preloaded into a process, remembers what it wrote and did not sync. */
export interface Shim {
  environment(database: string): Record<string, string>;
}

/** @returns why power cuts cannot be played here, or null where they can */
export function whyNoPowerCut(): string | null {
  if (process.platform !== 'linux') return 'POWER CUT NOT TESTED: it needs Linux (LD_PRELOAD)';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'POWER CUT NOT TESTED: there is no C compiler (cc) here';
  }
}

/** Compiles powercut.c into `folder`. */
export function buildShim(folder: string): Shim {
  const library = join(folder, 'powercut.so');
  const source = join(import.meta.dirname, 'powercut.c');
  execFileSync('cc', ['-O1', '-Wall', '-Werror', '-shared', '-fPIC', '-o', library, source]);
  return { environment: database => ({ LD_PRELOAD: library, POWERCUT_FILE: database }) };
}

/**
 * Brings the database to where a power cut would have left it: whatever its last process wrote and
 * did not sync was never written. The process must have been killed.
 *
 * @returns whether the process had opened the database with the shim loaded
 */
export function cutPower(database: string): boolean {
  const wasWatched = existsSync(`${database}.undo`);
  for (const file of [database, `${database}-wal`]) takeBack(file, `${file}.undo`);
  // The index of the log lives in memory only, and is made anew.
  rmSync(`${database}-shm`, { force: true });
  return wasWatched;
}

const HEAD_BYTES = 24;

function takeBack(file: string, journal: string): void {
  if (!existsSync(journal)) return;
  const records = recordsOf(readFileSync(journal));
  if (records.length > 0) {
    const fd = openSync(file, 'r+');
    for (const { offset, size, bytes } of records.reverse()) {
      if (bytes.length > 0) writeSync(fd, bytes, 0, bytes.length, offset);
      ftruncateSync(fd, size);
    }
    closeSync(fd);
  }
  rmSync(journal);
}

/** A record that is cut off at the end was never followed by its change. */
function recordsOf(journal: Buffer) {
  const records: { offset: number; size: number; bytes: Buffer }[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= journal.length) {
    const offset = Number(journal.readBigInt64LE(at));
    const count = Number(journal.readBigInt64LE(at + 8));
    const size = Number(journal.readBigInt64LE(at + 16));
    const end = at + HEAD_BYTES + count;
    if (end > journal.length) break;
    records.push({ offset, size, bytes: journal.subarray(at + HEAD_BYTES, end) });
    at = end;
  }
  return records;
}
