import { ENGINE_LEVEL } from '../../domain/schedule/level.ts';
import type { Store } from '../contract/store.ts';
import { storeUnavailable } from '../fault.ts';
import { postgresBreakers } from './breakers.ts';
import { postgresCalendars } from './calendars.ts';
import { postgresClients } from './clients.ts';
import { postgresCompletions } from './completions.ts';
import { Connections, type Query, readClock, type Statement } from './connection.ts';
import { postgresDataKeys } from './data-keys.ts';
import { postgresDestinations } from './destinations.ts';
import { postgresEngines } from './engines.ts';
import { cannotOpen, unusable } from './fault.ts';
import { postgresHealth } from './health.ts';
import { postgresIdempotency } from './idempotency.ts';
import { postgresInstallation } from './installation.ts';
import { postgresKeys } from './keys.ts';
import { migratePostgres } from './migrating.ts';
import { NotificationListener } from './notifications/listener.ts';
import { Notifier } from './notifications/notifier.ts';
import { postgresOutbox } from './outbox.ts';
import { prepareDays } from './partitions.ts';
import { postgresQueue } from './queue.ts';
import { limitReads } from './read-limit.ts';
import { postgresRuns } from './runs.ts';
import { postgresSchedules } from './schedules.ts';
import { postgresSessions } from './sessions.ts';
import { postgresStats } from './stats.ts';
import { postgresSuspensions } from './suspensions.ts';
import { refuseUnended } from './transfer/marker.ts';
import { postgresVersions } from './versions.ts';
import { postgresZoneRules } from './zone-rules.ts';

export { readClock } from './connection.ts';

const OLDEST_SERVER = 14;

export interface PostgresOptions {
  /** Connections at the same moment, at most; 10 unless told otherwise. */
  connections?: number;
  /** How long a claim holds without `renew`, ms; 10,000 unless told otherwise. */
  leaseMs?: number;
  /** The node that claims: a UUID, by default a new one. */
  node?: string;
  /** Of the engine on it (domain/schedule/level.ts); this release's unless told otherwise. */
  level?: number;
}

/** Connections of a node that look through much at once: all others are for what fires. */
const MOST_LOOKS = 3;

/**
 * Opens (and migrates) the store in the database at `url`, as `pg` understands it, TLS options
 * included. Any number of nodes may share it.
 *
 * @throws PunctualError `store_moved`, `store_newer`, `store_unavailable`, `store_unusable`
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { connections: size = 10, leaseMs = 10_000, node = crypto.randomUUID() } = options;
  const { level = ENGINE_LEVEL } = options;
  const connections = await connectAndMigrate(url, size, async opened => {
    await refuseUnended(opened.query);
    await prepareDays(opened);
  });
  const { query } = connections;
  const most = Math.max(1, Math.min(MOST_LOOKS, size - 2));
  const look = limitReads(query, most, connections.unlessSilent);
  const lease = { node, leaseMs };
  const notifier = new Notifier(query, node);
  return {
    clients: postgresClients(connections, notifier),
    keys: postgresKeys(connections),
    sessions: postgresSessions(query),
    schedules: postgresSchedules(connections, look, notifier),
    versions: postgresVersions(query),
    runs: postgresRuns(connections, look),
    queue: postgresQueue(connections, lease, notifier, level),
    outbox: postgresOutbox(connections, lease, notifier, level),
    completions: postgresCompletions(connections, notifier),
    stats: postgresStats(query, look),
    health: postgresHealth(query, look),
    breakers: postgresBreakers(query),
    dataKeys: postgresDataKeys(query),
    installation: postgresInstallation(query),
    suspensions: postgresSuspensions(connections, lease, level),
    idempotency: postgresIdempotency(query),
    calendars: postgresCalendars(connections),
    destinations: postgresDestinations(connections, notifier),
    zoneRules: postgresZoneRules(query, look),
    cluster: {
      ...postgresEngines(query, lease),
      leaseMs,
      now: () => readClock(query),
      warning: () => (connections.hasStandby ? warningOf(query) : Promise.resolve(null)),
      async looked(awakeSince, blindAfterMs) {
        const [row] = await query(lookAtClock, [awakeSince, blindAfterMs]);
        return row!.unseen_until as number;
      },
      listen: listener => new NotificationListener({ connections, node, listener }),
    },
    async check() {
      const [row] = await query(`
        SELECT current_setting('transaction_read_only') AS read_only
        FROM (SELECT 1 FROM clients LIMIT 1) AS readable RIGHT JOIN (SELECT 1) AS one ON true`);
      if (row!.read_only === 'on') throw storeUnavailable(new Error('read only'));
    },
    async size() {
      const [row] = await query('SELECT pg_database_size(current_database()) AS bytes');
      return { bytes: row!.bytes as number, freeBytes: null, disk: null };
    },
    pool: () => connections.use,
    async close() {
      await notifier.close();
      await connections.close();
    },
  };
}

/**
 * Once a second from each node: it waits for no disk, and for no standby. Nothing that is yet to come has passed
 * unseen: this clock may have been set back, and a node may not have seen it yet.
 */
const lookAtClock: Statement = {
  name: 'watch_look',
  text: `
    WITH clock AS MATERIALIZED (
      SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
    UPDATE watch SET looked_at = clock.now,
      unseen_until = least(clock.now,
        CASE WHEN least($1::bigint, clock.now) - looked_at > $2::bigint THEN $1 ELSE unseen_until END)
    FROM clock
    WHERE watch_key = 1
    RETURNING unseen_until, set_config('synchronous_commit', 'off', true)`,
};

/** A standby that is not synchronous lacks the last acknowledged writes when it takes over. */
async function warningOf(query: Query): Promise<string | null> {
  const [row] = await query(`
    SELECT current_setting('synchronous_standby_names') = ''
      OR current_setting('synchronous_commit') IN ('off', 'local') AS alone`);
  return row!.alone
    ? 'DATABASE_URL names several servers, and no standby is synchronous (synchronous_standby_names): ' +
        'a failover may lose what was acknowledged last.'
    : null;
}

/**
 * @param prepare what else is to be done before it is used
 * @throws PunctualError `store_newer`, `store_unavailable`, `store_unusable`
 */
export async function connectAndMigrate(
  url: string,
  size: number,
  prepare?: (connections: Connections) => Promise<void>,
): Promise<Connections> {
  const connections = connect(url, size);
  try {
    await migrate(connections);
    await prepare?.(connections);
    return connections;
  } catch (error) {
    await connections.close();
    throw cannotOpen(error);
  }
}

/** Migrates the database at `url`, and says from which version to which. */
export async function migrateAt(url: string): Promise<{ from: number; to: number }> {
  const connections = connect(url, 1);
  try {
    return await migrate(connections);
  } catch (error) {
    throw cannotOpen(error);
  } finally {
    await connections.close();
  }
}

/** Whether Punctual has made its tables there. */
export async function hasPostgresStore(url: string): Promise<boolean> {
  const connections = connect(url, 1);
  try {
    await connections.seek();
    const [row] = await connections.query("SELECT to_regclass('punctual_version') AS there");
    return row!.there !== null;
  } catch (error) {
    throw cannotOpen(error);
  } finally {
    await connections.close();
  }
}

async function migrate(connections: Connections): Promise<{ from: number; to: number }> {
  await connections.seek();
  await checkServer(connections.query);
  return migratePostgres(connections.server);
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

/** The error does not repeat the url, because it carries a password. */
function connect(url: string, size: number): Connections {
  try {
    return new Connections(url, size);
  } catch {
    throw unusable('its url is not one that PostgreSQL knows');
  }
}
