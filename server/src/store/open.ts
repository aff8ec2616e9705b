import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PunctualError } from '../domain/errors.ts';
import type { EngineLock } from './contract/engine-lock.ts';
import type { Store } from './contract/store.ts';
import { hasPostgresStore, migrateAt as migratePostgresAt, openPostgres } from './postgres/open.ts';
import { serversOf } from './postgres/servers.ts';
import { openTarget } from './postgres/transfer/target.ts';
import { type Backup, backUp } from './sqlite/backup.ts';
import { type Boot, lockSqlite } from './sqlite/lock.ts';
import { isBehind, migrateAt as migrateSqliteAt, openSqlite } from './sqlite/open.ts';
import { openSource, takeBack } from './sqlite/transfer/source.ts';
import { openThreaded } from './sqlite/worker/client.ts';
import type { MoveSource, MoveTarget } from './transfer/move.ts';

export { type MovedTable, type MoveStep, moveStore } from './transfer/move.ts';
export { serversOf };

/** Chooses the backend by the settings: the only file that knows all backends. */
export type Database =
  | { kind: 'sqlite'; path: string }
  /** The url as `pg` understands it. It carries a password: it is never shown. */
  | { kind: 'postgres'; url: string; leaseMs?: number };

export interface OpenOptions {
  /** Of the engine on it (domain/schedule/level.ts); this release's unless told otherwise. */
  level?: number;
}

/**
 * Opens the store, and creates and migrates it where needed.
 *
 * @throws PunctualError `store_moved`, `store_newer`, `store_unavailable`, `store_unusable`
 */
export async function openStore(database: Database, options: OpenOptions = {}): Promise<Store> {
  const { level } = options;
  if (database.kind === 'sqlite') {
    // A database in memory exists for one connection only.
    const isInMemory = database.path === ':memory:';
    return isInMemory ? openSqlite(':memory:', 'write', level) : openThreaded(database.path, level);
  }
  const { url, leaseMs } = database;
  return openPostgres(url, { ...options, ...(leaseMs !== undefined && { leaseMs }) });
}

/**
 * Opens the store beside a running service. It refuses to migrate the database of a running
 * service: a service of an older release would not know the new schema.
 *
 * @throws PunctualError as `openStore`, and `store_in_use`, `store_missing`
 */
export async function openBeside(database: Database): Promise<Store> {
  await refuseMissing(database);
  refuseBesideOlder(database);
  return openStore(database);
}

/** Whether the embedded store is of an older release: the next start would bring it to this one. */
export function isOlder(database: Database): boolean {
  return database.kind === 'sqlite' && isBehind(database.path);
}

/** Only who runs the service makes a store: anybody else would make a second one by a wrong name. */
async function refuseMissing(database: Database): Promise<void> {
  const isThere =
    database.kind === 'sqlite' ? existsSync(database.path) : await hasPostgresStore(database.url);
  if (isThere) return;
  throw new PunctualError(
    'store_missing',
    `DATABASE_URL names ${nameOf(database)}, and there is no store: set it as the service has it, or make ` +
      'one with "punctual migrate".',
  );
}

/**
 * Copies the store into a new file.
 *
 * @throws PunctualError `backup_refused`, `store_missing`
 */
export async function backUpStore(database: Database, file: string): Promise<Backup> {
  await refuseMissing(database);
  if (database.kind === 'sqlite') return backUp(database.path, file);
  throw new PunctualError(
    'backup_refused',
    `DATABASE_URL names ${nameOf(database)}: make the backup with "pg_dump --format=custom".`,
  );
}

/** The name of a store for people, without a password. */
export function nameOf(database: Database): string {
  if (database.kind === 'sqlite') return resolve(database.path);
  const { hostname, port, pathname } = new URL(serversOf(database.url)[0]!);
  return `PostgreSQL, database ${pathname.slice(1) || 'of the user'} at ${hostname}:${port || 5432}`;
}

function refuseBesideOlder(database: Database): void {
  if (database.kind === 'sqlite' && isBehind(database.path)) lockSqlite(database.path).release();
}

/**
 * Makes this process the one engine of an embedded store, until `release` or its end. On PostgreSQL
 * there may be many: their claims have leases instead.
 *
 * @param boot this start of the machine
 * @throws PunctualError `store_in_use`
 */
export function lockEngine(database: Database, boot: Boot): EngineLock | null {
  return database.kind === 'sqlite' ? lockSqlite(database.path, boot) : null;
}

/**
 * Brings the store to the newest version, and says from which.
 *
 * @throws PunctualError `store_in_use`, where an older service runs on it
 */
export async function migrateStore(database: Database): Promise<{ from: number; to: number }> {
  refuseBesideOlder(database);
  return database.kind === 'sqlite'
    ? migrateSqliteAt(database.path)
    : migratePostgresAt(database.url);
}

/**
 * Both sides of a move. The embedded store is marked as moved from here on, and the other one is shut
 * until the move has ended.
 *
 * @throws PunctualError `move_refused`, `store_in_use`, `store_newer`, `store_unavailable`
 */
export async function openMove(
  from: Database & { kind: 'sqlite' },
  to: Database & { kind: 'postgres' },
  now: number,
): Promise<{ source: MoveSource; target: MoveTarget }> {
  const source = openSource(from.path, now);
  try {
    return { source, target: await openTarget(to.url, source.id) };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Lets engines start again on an embedded store that was marked. @returns false where it was not */
export function undoMove(from: Database & { kind: 'sqlite' }): Promise<boolean> {
  return takeBack(from.path);
}
