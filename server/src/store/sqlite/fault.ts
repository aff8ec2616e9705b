import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PunctualError } from '../../domain/errors.ts';
import { isPassing, storeUnavailable } from '../fault.ts';

/** The lowest byte of SQLite's result codes (https://sqlite.org/rescode.html). */
const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;
/** Busy, locked, no memory, read-only, I/O, full, no file opened, the locking protocol. */
const PASSING = [BUSY, 6, 7, 8, 10, 13, 14, 15];
const CONSTRAINT = 19;
/** Of a constraint, extended. */
const UNIQUE = 2067;

function kindOf(error: unknown): number {
  return ((error as { errcode?: number })?.errcode ?? 0) & 0xff;
}

/** Somebody else has the lock. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === BUSY;
}

/** Two rows would have the same value there. @param column as `table.column` */
export function isUniqueFault(error: unknown, column: string): boolean {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode === UNIQUE && message!.includes(column);
}

/** A row that breaks a constraint is the writer's fault: the store itself is well. */
export function isStoreFault(error: unknown): boolean {
  const isOfSqlite = (error as { code?: string })?.code === 'ERR_SQLITE_ERROR';
  return isOfSqlite && kindOf(error) !== CONSTRAINT;
}

/**
 * @param path of the database, which only the cause names: the sentence is for callers
 * @returns `store_unavailable`; `store_unusable` where the file is damaged, which no time mends
 */
export function storeFault(cause: unknown, path?: string | null): PunctualError {
  const why = reasonOf(cause);
  if (!isDamage(cause)) {
    return storeUnavailable(path ? new Error(`${path}: ${why}`, { cause }) : cause);
  }
  return new PunctualError(
    'store_unusable',
    `The database is damaged (${why}): restore a backup of it.`,
    { cause },
  );
}

/** No time mends it. */
export function isDamage(cause: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(kindOf(cause));
}

/** Without an end: it becomes a part of a sentence. */
function reasonOf(cause: unknown): string {
  return isBusy(cause) ? 'another process holds its lock' : (cause as Error).message;
}

/**
 * @param cause of SQLite, or of the system
 * @returns `store_unavailable` where it may be otherwise later: a full disk, a lock; else `store_unusable`
 */
export function cannotOpen(path: string, cause: unknown, use = 'opened'): PunctualError {
  if (cause instanceof PunctualError) return cause;
  const refusal = isDamage(cause) ? null : refusalOf(path);
  const isLasting = refusal !== null || !maySucceedLater(cause);
  const code = isLasting ? 'store_unusable' : 'store_unavailable';
  const why = refusal ?? reasonOf(cause);
  return new PunctualError(code, `The database ${path} cannot be ${use}: ${why}.`, { cause });
}

function maySucceedLater(cause: unknown): boolean {
  const kind = kindOf(cause);
  return kind === 0 ? isPassing(cause) : PASSING.includes(kind);
}

/** Files that SQLite writes beside a database, and this user may not own. */
const FILES = ['', '-wal', '-shm', '-journal'];

/** @returns which file cannot be written, and why, as far as the system's permissions say; null: all can */
function refusalOf(path: string): string | null {
  const files = FILES.map(end => path + end).filter(file => existsSync(file));
  const refusals = [
    refusalOfFile(existingFolder(path), true),
    ...files.map(file => refusalOfFile(file, false)),
  ];
  return refusals.find(refusal => refusal !== null) ?? null;
}

function existingFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? folder : existingFolder(folder);
}

function refusalOfFile(file: string, isFolder: boolean): string | null {
  try {
    if (statSync(file).isDirectory() !== isFolder)
      return `${file} is ${isFolder ? 'no' : 'a'} folder`;
    accessSync(file, isFolder ? constants.W_OK | constants.X_OK : constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EROFS') return `${file} is on a read-only file system`;
    return isPassing(error) ? null : `this user may not write ${file} (${code})`;
  }
}

/**
 * The room, with faults of the store told as such by its methods.
 *
 * @param telling methods that do so themselves, by `Reads` or `Commits`: what is asked most needs no second promise
 */
export function tellingFaults<Room extends object>(
  room: Room,
  ...telling: (keyof Room & string)[]
): Room {
  const methods = Object.entries(room)
    .filter(([name]) => !telling.includes(name as keyof Room & string))
    .map(([name, method]) => [
      name,
      (...args: unknown[]) => (method(...args) as Promise<unknown>).catch(rethrow),
    ]);
  return { ...room, ...Object.fromEntries(methods) };
}

function rethrow(error: unknown): never {
  throw asStoreFault(error);
}

/** A fault of SQLite as the contract names it; any other error as it is. */
export function asStoreFault(error: unknown, path?: string | null): unknown {
  return isStoreFault(error) ? storeFault(error, path) : error;
}
