import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { PunctualError } from '../../domain/errors.ts';
import { ENGINE_LEVEL } from '../../domain/schedule/level.ts';
import type { Store } from '../contract/store.ts';
import { storeUnavailable } from '../fault.ts';
import { makeFolder } from '../folder.ts';
import { pendingMigrations, readMigrations } from '../migrate.ts';
import { sealTexts } from '../search-index.ts';
import { sqliteBreakers } from './breakers.ts';
import { type ReadVersion, sqliteCalendars, versionReader } from './calendars.ts';
import { sqliteClients } from './clients.ts';
import { sqliteCompletions } from './completions.ts';
import { sqliteDataKeys } from './data-keys.ts';
import { sqliteDestinations } from './destinations.ts';
import { cannotOpen, isBusy, storeFault, tellingFaults } from './fault.ts';
import { GroupCommit } from './group-commit.ts';
import { GroupRead } from './group-read.ts';
import { sqliteHealth } from './health.ts';
import { sqliteIdempotency } from './idempotency.ts';
import { sqliteInstallation } from './installation.ts';
import { sqliteKeys } from './keys.ts';
import { sqliteOutbox } from './outbox.ts';
import { sqliteQueue } from './queue.ts';
import type { QueueTexts } from './queue-codec.ts';
import { sqliteRuns } from './runs.ts';
import type { ScheduleRows } from './schedule-codec.ts';
import { sqliteSchedules } from './schedules.ts';
import { sqliteSessions } from './sessions.ts';
import { sizeOf } from './size.ts';
import { sqliteStats } from './stats.ts';
import { sqliteSuspensions } from './suspensions.ts';
import { refuseMoved } from './transfer/marker.ts';
import { sqliteVersions } from './versions.ts';
import { sqliteZoneRules } from './zone-rules.ts';

/** How a connection is used: `scan` reads from end to end. */
export type StoreAccess = 'write' | 'read' | 'scan';

const CACHE_KB = 64 * 1024;
/** A scan from end to end gains nothing from a cache. */
const SCAN_CACHE_KB = 8 * 1024;
const MIGRATIONS = join(import.meta.dirname, 'migrations');

/**
 * Opens (and creates and migrates) the embedded store at `path`.
 *
 * WAL, so that the command line can work beside a running service; synchronous=FULL, so that what
 * was acknowledged survives a power cut (https://sqlite.org/pragma.html#pragma_synchronous).
 *
 * @param access one that is not to write refuses to, once it is open
 *   (https://sqlite.org/pragma.html#pragma_query_only)
 * @param level of the engine on it (domain/schedule/level.ts)
 * @param now the clock, epoch ms; left out: that of the system
 * @throws PunctualError `store_moved`, `store_newer`, `store_unavailable`, `store_unusable`
 */
export function openSqlite(
  path: string,
  access: StoreAccess = 'write',
  level = ENGINE_LEVEL,
  now?: () => number,
): SqliteStore {
  const database = openDatabase(path, access === 'scan' ? SCAN_CACHE_KB : CACHE_KB);
  try {
    migrateSqlite(database);
    refuseMoved(database);
    // No folder for temporary files may be writable. A migration sorts whole tables, which is too much for memory.
    database.exec('PRAGMA temp_store = MEMORY');
    if (access !== 'write') database.exec('PRAGMA query_only = ON');
  } catch (error) {
    database.close();
    throw cannotOpen(path, error);
  }
  return storeOn(database, path, level, now);
}

type SqliteStore = Store & {
  queue: QueueTexts;
  schedules: ScheduleRows;
  readVersion: ReadVersion;
};

/**
 * The store on a database that is open and migrated.
 *
 * @param path of its file, for sentences
 */
export function storeOn(
  database: DatabaseSync,
  path: string,
  level = ENGINE_LEVEL,
  now?: () => number,
): SqliteStore {
  const commits = new GroupCommit(database, now);
  const reads = new GroupRead(database);
  let closed = false;
  return {
    clients: tellingFaults(sqliteClients(database, commits)),
    keys: tellingFaults(sqliteKeys(database, commits)),
    sessions: tellingFaults(sqliteSessions(database, commits)),
    schedules: tellingFaults(
      sqliteSchedules(database, commits, reads),
      'find',
      'findByExternalId',
      'insert',
    ),
    versions: tellingFaults(sqliteVersions(database)),
    runs: tellingFaults(sqliteRuns(database, commits, reads)),
    queue: tellingFaults(sqliteQueue(database, commits, level)),
    outbox: tellingFaults(sqliteOutbox(database, commits)),
    completions: tellingFaults(sqliteCompletions(database, commits)),
    stats: tellingFaults(sqliteStats(database)),
    health: tellingFaults(sqliteHealth(database)),
    breakers: tellingFaults(sqliteBreakers(database, commits)),
    dataKeys: tellingFaults(sqliteDataKeys(database, commits)),
    installation: tellingFaults(sqliteInstallation(database, commits)),
    suspensions: tellingFaults(sqliteSuspensions(database, commits, level)),
    idempotency: tellingFaults(sqliteIdempotency(database, commits)),
    calendars: tellingFaults(sqliteCalendars(database, commits)),
    destinations: tellingFaults(sqliteDestinations(database, commits)),
    readVersion: versionReader(database),
    zoneRules: tellingFaults(sqliteZoneRules(database, commits)),
    cluster: null,
    async check(writing = false) {
      if (closed) throw storeUnavailable(new Error('closed'));
      try {
        database.prepare('SELECT 1 FROM clients LIMIT 1').get();
      } catch (cause) {
        throw storeFault(cause);
      }
      if (writing) return checkWrite(database, path);
      // A healthy store commits all the time; only after a failure is it worth a write to know.
      if (commits.failure !== null) await commits.write(() => writeVersion(database));
    },
    async size() {
      if (closed) throw storeUnavailable(new Error('closed'));
      return sizeOf(database, path);
    },
    pool: () => null,
    async close() {
      if (closed) return;
      reads.flush();
      commits.flush();
      closed = true;
      database.close();
    },
  };
}

/** Migrates the database at `path` and closes it again. */
export function migrateAt(path: string): { from: number; to: number } {
  const database = openDatabase(path);
  try {
    return { from: migrateSqlite(database), to: versionOf(database) };
  } catch (error) {
    throw cannotOpen(path, error);
  } finally {
    database.close();
  }
}

/**
 * Whether a database stands at `path` that this release would migrate.
 *
 * @throws PunctualError `store_unavailable`; `store_unusable` also where it is another program's, which is left
 *   as it is
 */
export function isBehind(path: string): boolean {
  if (path === ':memory:' || !existsSync(path)) return false;
  // A connection that may write, and is the last one, would take the -wal into the database.
  const readOnly = existsSync(`${path}-wal`);
  const database = openFile(path, { timeout: 5_000, readOnly });
  try {
    refuseForeign(database, path);
    const version = versionOf(database);
    return version > 0 && version < readMigrations(MIGRATIONS).length;
  } catch (error) {
    throw cannotOpen(path, error);
  } finally {
    database.close();
  }
}

/** @param cacheKb of pages that it keeps for itself, at most */
export function openDatabase(path: string, cacheKb = CACHE_KB): DatabaseSync {
  const database = openFile(path, { timeout: 5_000 });
  try {
    refuseForeign(database, path);
    switchToWal(database);
    database.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = OFF;
      PRAGMA cache_size = -${cacheKb};
      PRAGMA wal_autocheckpoint = 4000;
    `);
    return database;
  } catch (cause) {
    database.close();
    throw cannotOpen(path, cause);
  }
}

/**
 * If several processes do this to a new database at the same moment, SQLite refuses all but one at once,
 * whatever the busy timeout says. They would wait for each other. So they try again, for 5 s.
 */
function switchToWal(database: DatabaseSync): void {
  for (let tries = 1; ; tries += 1) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || tries === 500) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/**
 * Brings the database to the newest version. Safe beside others who do the same: one waits.
 *
 * @returns the version before
 */
export function migrateSqlite(database: DatabaseSync, migrations = readMigrations(MIGRATIONS)) {
  const pendingNow = () => {
    const version = versionOf(database);
    // One process has it for itself: nothing older needs to work beside a newer one.
    return pendingMigrations(migrations, { version, worksWith: version });
  };
  const before = versionOf(database);
  if (pendingNow().length === 0) return before;
  database.function('sealed', { deterministic: true }, text => sealTexts(String(text)));
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of pendingNow()) {
      database.exec(migration.sql);
      database.exec(`PRAGMA user_version = ${migration.number}`);
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  return before;
}

/** In one statement, and so of one moment: another process may migrate it. */
const MAKER = `
  SELECT (SELECT user_version FROM pragma_user_version) AS version, count(*) AS objects,
    count(*) FILTER (WHERE type = 'table' AND name IN ('clients', 'schedules', 'queue')) AS ours
  FROM sqlite_schema`;

/** Before anything is written: it may be the data of another program, under a mistaken name. */
function refuseForeign(database: DatabaseSync, path: string): void {
  const { version, objects, ours } = database.prepare(MAKER).get() as Record<string, number>;
  if (version === 0 ? objects === 0 : ours === 3) return;
  throw new PunctualError(
    'store_unusable',
    `The database ${path} is one of another program, and was left as it is: name another file in DATABASE_URL.`,
  );
}

/** @throws PunctualError `store_unavailable`, `store_unusable`: which file cannot be written, and why */
function checkWrite(database: DatabaseSync, path: string): void {
  try {
    writeVersion(database);
  } catch (cause) {
    throw cannotOpen(path, cause, 'written to');
  }
}

function writeVersion(database: DatabaseSync): void {
  database.exec(`PRAGMA user_version = ${versionOf(database)}`);
}

function versionOf(database: DatabaseSync): number {
  return database.prepare('PRAGMA user_version').get()!.user_version as number;
}

/** @throws PunctualError `store_unavailable`, `store_unusable` */
export function openFile(path: string, options: DatabaseSyncOptions): DatabaseSync {
  try {
    makeFolder(dirname(path));
    // It holds signing secrets and Authorization headers; SQLite gives -wal and -shm the same mode.
    // Only where it is not there: whoever closes a file takes away all locks that the process has on
    // it (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    return new DatabaseSync(path, options);
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}
