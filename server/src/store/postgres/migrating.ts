import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { storeUnavailable } from '../fault.ts';
import { type Migration, pendingMigrations, readMigrations, type Version } from '../migrate.ts';

const MIGRATIONS = join(import.meta.dirname, 'migrations');
const CONNECT_MS = 5_000;

/**
 * Nodes of the version before are at work meanwhile, and whoever waits for a table's lock holds up
 * all who come after it. So a migration that has waited this long lets go, and tries again.
 */
const LOCK_TIMEOUT = '2s';
const RETRY_MS = 1_000;
/** Then somebody holds a table for good, and an operator has to look. */
const GIVE_UP_AFTER_TRIES = 200;

/**
 * Brings the database to the newest version, each migration in a transaction of its own, on a connection of its
 * own: it may take as long as it takes. Safe beside others who do the same: one waits. If all is done, it
 * writes nothing, and does not need the right to create tables.
 *
 * @param server its url
 * @returns the versions before and after
 * @throws PunctualError `store_newer`, `store_unavailable`
 */
export async function migratePostgres(
  server: string,
  migrations: Migration[] = readMigrations(MIGRATIONS),
): Promise<{ from: number; to: number }> {
  const client = new Client({
    connectionString: server,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'punctual migration',
  });
  // One that breaks says so at the next statement too.
  client.on('error', () => {});
  try {
    await client.connect();
    const before = await versionOf(client);
    let left = pendingMigrations(migrations, before).length;
    while (left > 0) left = await patiently(client, () => applyNext(client, migrations));
    return { from: before.version, to: (await versionOf(client)).version };
  } catch (error) {
    throw (error as { code?: string }).code === 'store_newer' ? error : storeUnavailable(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** 0 where there is nothing yet. */
async function versionOf(client: Client): Promise<Version> {
  const { rows } = await client.query("SELECT to_regclass('punctual_version') AS there");
  if (rows[0].there === null) return { version: 0, worksWith: 0 };
  const found = await client.query(
    'SELECT version, works_with AS "worksWith" FROM punctual_version',
  );
  return found.rows[0];
}

/** @returns how many are left then */
async function applyNext(client: Client, migrations: Migration[]): Promise<number> {
  await client.query(`
    BEGIN;
    SET LOCAL statement_timeout = 0;
    SET LOCAL idle_in_transaction_session_timeout = 0;
    SET LOCAL lock_timeout = 0;
    SET LOCAL synchronous_commit = on;
    SELECT pg_advisory_xact_lock(hashtext('punctual version'));
    SET LOCAL lock_timeout = '${LOCK_TIMEOUT}';
    CREATE TABLE IF NOT EXISTS punctual_version (
      version integer NOT NULL, works_with integer NOT NULL);
    INSERT INTO punctual_version SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM punctual_version)`);
  const before = await versionOf(client);
  const [next, ...others] = pendingMigrations(migrations, before);
  if (next !== undefined) {
    await client.query(next.sql);
    const worksWith = Math.max(before.worksWith, next.worksWith);
    const update = 'UPDATE punctual_version SET version = $1, works_with = $2';
    await client.query(update, [next.number, worksWith]);
  }
  await client.query('COMMIT');
  return others.length;
}

/** Tries again where a table is locked by others. */
async function patiently<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      if (!isLocked(error) || tries === GIVE_UP_AFTER_TRIES) throw error;
      await pause(RETRY_MS);
    }
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available, deadlock */
function isLocked(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '55P03' || error.code === '40P01');
}
