import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PunctualError } from '../../domain/errors.ts';
import { isPassing, storeUnavailable } from '../fault.ts';

/** The lowest byte of SQLite's result codes (https://sqlite.org/rescode.html). */
const BUSY = 5;
const READONLY = 8;
const CORRUPT = 11;
const CANTOPEN = 14;
const NOT_A_DATABASE = 26;
/** Busy, locked, no memory, I/O, full, the locking protocol. */
const PASSING = [BUSY, 6, 7, 10, 13, 15];
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

/** @returns `store_unavailable`; `store_unusable` where the file is damaged, which no time mends */
export function storeFault(cause: unknown): PunctualError {
  if (![CORRUPT, NOT_A_DATABASE].includes(kindOf(cause))) return storeUnavailable(cause);
  const why = (cause as Error).message;
  return new PunctualError(
    'store_unusable',
    `The database is damaged (${why}): restore a backup of it.`,
    { cause },
  );
}

/**
 * @param cause of SQLite, or of the system
 * @returns `store_unavailable` where it may be otherwise later: a full disk, a lock; else `store_unusable`
 */
export function cannotOpen(path: string, cause: unknown): PunctualError {
  if (cause instanceof PunctualError) return cause;
  const code = maySucceedLater(path, cause) ? 'store_unavailable' : 'store_unusable';
  const why = (cause as Error).message;
  return new PunctualError(code, `The database ${path} cannot be opened: ${why}.`, { cause });
}

function maySucceedLater(path: string, cause: unknown): boolean {
  const kind = kindOf(cause);
  if (kind === 0) return isPassing(cause);
  // A disk without room for another file, or one that is read-only, says this too.
  if (kind === CANTOPEN || kind === READONLY) return isPermitted(path);
  return PASSING.includes(kind);
}

/** Whether this user may write there, as far as the system's permissions say. */
function isPermitted(path: string): boolean {
  try {
    accessSync(dirname(path), constants.R_OK | constants.W_OK | constants.X_OK);
    if (!existsSync(path)) return true;
    accessSync(path, constants.R_OK | constants.W_OK);
    return statSync(path).isFile();
  } catch (error) {
    return isPassing(error);
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
export function asStoreFault(error: unknown): unknown {
  return isStoreFault(error) ? storeFault(error) : error;
}
