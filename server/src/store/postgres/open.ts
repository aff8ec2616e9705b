import { join } from 'node:path';
import { PunctualError } from '../../domain/errors.ts';
import { storeUnavailable } from '../fault.ts';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import type { Store } from '../store.ts';
import { postgresClients } from './clients.ts';
import { Connections, type Query, readClock } from './connection.ts';
import { postgresFigures } from './figures.ts';
import { postgresOutbox } from './outbox.ts';
import { prepareDays } from './partitions.ts';
import { postgresQueue } from './queue.ts';
import { postgresRuns } from './runs.ts';
import { postgresSchedules } from './schedules.ts';

export { readClock } from './connection.ts';

const MIGRATIONS = join(import.meta.dirname, 'migrations');
const OLDEST_SERVER = 14;

export interface PostgresOptions {
  /** Connections at the same moment, at most; 10 unless told otherwise. */
  connections?: number;
  /** How long a claim holds without `renew`, ms; 10,000 unless told otherwise. */
  leaseMs?: number;
  /** Who claims: a UUID, a new one unless told otherwise. */
  node?: string;
}

/**
 * Opens (and migrates) the store in the database at `url`, as `pg` understands it, TLS options
 * included. Any number of nodes may share it.
 *
 * @throws PunctualError `store_newer`, `store_unavailable`
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { connections: size = 10, leaseMs = 10_000, node = crypto.randomUUID() } = options;
  const connections = connect(url, size);
  const { query } = connections;
  try {
    await connections.seek();
    await migratePostgres(connections);
    await prepareDays(connections);
  } catch (error) {
    await connections.close();
    throw cannotOpen(error);
  }
  return {
    clients: postgresClients(query),
    schedules: postgresSchedules(connections),
    runs: postgresRuns(connections),
    queue: postgresQueue(connections, { node, leaseMs }),
    outbox: postgresOutbox(connections, { node, leaseMs }),
    figures: postgresFigures(query),
    shared: {
      leaseMs,
      now: () => readClock(query),
      warning: () => (connections.hasStandby ? warningOf(query) : Promise.resolve(null)),
    },
    async check() {
      const [row] = await query(`
        SELECT current_setting('transaction_read_only') AS read_only
        FROM (SELECT 1 FROM clients LIMIT 1) AS readable RIGHT JOIN (SELECT 1) AS one ON true`);
      if (row!.read_only === 'on') throw storeUnavailable(new Error('read only'));
    },
    close: () => connections.close(),
  };
}

/** Where a standby takes over that was not waited for, it lacks what was acknowledged last. */
async function warningOf(query: Query): Promise<string | null> {
  const [row] = await query(`
    SELECT current_setting('synchronous_standby_names') = ''
      OR current_setting('synchronous_commit') IN ('off', 'local') AS alone`);
  return row!.alone
    ? 'DATABASE_URL names several servers, and no standby is synchronous (synchronous_standby_names): ' +
        'a failover may lose what was acknowledged last.'
    : null;
}

/** Migrates the database at `url`, and says from which version to which. */
export async function migrateAt(url: string): Promise<{ from: number; to: number }> {
  const connections = connect(url, 1);
  try {
    await connections.seek();
    const from = await migratePostgres(connections);
    return { from, to: await connections.transaction(versionOf) };
  } catch (error) {
    throw cannotOpen(error);
  } finally {
    await connections.close();
  }
}

/**
 * Brings the database to the newest version, each migration in a transaction of its own. Safe beside
 * others who do the same: one waits.
 *
 * @returns the version before
 */
export async function migratePostgres(
  { query, transaction }: Connections,
  migrations: Migration[] = readMigrations(MIGRATIONS),
): Promise<number> {
  await checkServer(query);
  const before = await transaction(versionOf);
  for (let left = pendingMigrations(migrations, before).length; left > 0; ) {
    left = await transaction(async send => {
      const [next, ...others] = pendingMigrations(migrations, await versionOf(send));
      if (next === undefined) return 0;
      await send("SELECT set_config('statement_timeout', '0', true)");
      await send(next.sql);
      await send('UPDATE punctual_version SET version = $1', [next.number]);
      return others.length;
    });
  }
  return before;
}

/** The version, and the lock on it to the end of the transaction. */
async function versionOf(send: Query): Promise<number> {
  await send("SELECT pg_advisory_xact_lock(hashtext('punctual version'))");
  await send(`
    CREATE TABLE IF NOT EXISTS punctual_version (version integer NOT NULL);
    INSERT INTO punctual_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM punctual_version)`);
  return (await send('SELECT version FROM punctual_version'))[0]!.version as number;
}

async function checkServer(query: Query): Promise<void> {
  const [row] = await query(`
    SELECT current_setting('server_version_num')::integer / 10000 AS version,
      current_setting('server_encoding') AS encoding`);
  const { version, encoding } = row as { version: number; encoding: string };
  if (version < OLDEST_SERVER) {
    throw unusable(`the server is PostgreSQL ${version}, and ${OLDEST_SERVER} is the oldest`);
  }
  if (encoding !== 'UTF8') throw unusable(`its encoding is ${encoding}, and must be UTF8`);
}

/** What is wrong with the url is not repeated: it carries a password. */
function connect(url: string, size: number): Connections {
  try {
    return new Connections(url, size);
  } catch {
    throw unusable('its url is not one that PostgreSQL knows');
  }
}

function cannotOpen(error: unknown): unknown {
  const { code, cause } = error as { code?: string; cause?: unknown };
  if (code !== 'store_unavailable' || cause === undefined) return error;
  return unusable(reasonOf(cause), cause);
}

/** Where a name has several addresses, each has failed in its own way. */
function reasonOf(cause: unknown): string {
  const { message, errors } = cause as { message?: string; errors?: Error[] };
  return message || errors?.map(error => error.message).join(', ') || 'it does not answer';
}

function unusable(why: string, cause?: unknown): PunctualError {
  const sentence = `The PostgreSQL database of DATABASE_URL cannot be used: ${why}.`;
  return new PunctualError('store_unavailable', sentence, { cause });
}
