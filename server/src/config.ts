import { parseAllowTargets } from './domain/schedule/target.ts';
import {
  apiKey,
  credentialsOf,
  database,
  integer,
  invalid,
  oneOf,
  optionalToken,
  publicUrl,
  quote,
  secretKeys,
  signingSecret,
  text,
  threads,
} from './setting-checks.ts';
import type { Database } from './store/open.ts';

/**
 * Every setting, once: its name in the environment, default, unit and check. `readConfig` below puts it into its
 * group. The table in docs/configuration.md is this table (a test compares them).
 */
export const SETTINGS = {
  HOST: setting('127.0.0.1', 'address', 'Address to listen on.', text),
  PORT: setting('8080', 'port', 'Port to listen on; 0 takes any free one.', integer(0, 65_535)),
  DATABASE_URL: setting(
    'sqlite:./data/punctual.db',
    'url',
    'The store: `sqlite:` and a path for the embedded one, or a `postgres://` url.',
    database,
  ),
  PUNCTUAL_URL: setting(
    '',
    'url',
    'The url at which callers and targets reach this installation, such as `https://punctual.example.com`. Set it the same on all nodes.',
    publicUrl,
  ),
  PUNCTUAL_ALLOW_TARGETS: setting(
    '',
    'list',
    'Targets beyond public addresses: networks in CIDR form, host names or `*`, separated by commas. Metadata services are never opened.',
    parseAllowTargets,
  ),
  PUNCTUAL_CLIENT_ID: setting(
    '',
    'text',
    'With `PUNCTUAL_API_KEY`: the start creates this client if it is missing.',
    optionalToken,
  ),
  PUNCTUAL_API_KEY: setting(
    '',
    'text',
    'With `PUNCTUAL_CLIENT_ID`: the start creates this key if it is missing. At least 20 characters.',
    apiKey,
  ),
  PUNCTUAL_SIGNING_SECRET: setting(
    '',
    'secret',
    'With the two above: the signing secret of this client, if this start creates it (`whsec_` and 24 to 64 bytes in base64).',
    signingSecret,
  ),
  PUNCTUAL_SECRET_KEY: setting(
    '',
    'keys',
    'Encrypts signing secrets and those of destinations at rest: one or more keys of 32 bytes in base64, separated by commas. The first encrypts, all decrypt.',
    secretKeys,
  ),
  PUNCTUAL_SECRET_KEY_FILE: setting(
    '',
    'path',
    'A file with the value of `PUNCTUAL_SECRET_KEY`. If both are unset: `secret.key` beside an embedded database, if it exists.',
    text,
  ),
  PUNCTUAL_MAX_CONNECTIONS: setting(
    '5000',
    'connections',
    'Maximum connections of callers at the same moment. One more is closed without an answer.',
    integer(1, 1_000_000),
  ),
  PUNCTUAL_MAX_IN_FLIGHT: setting(
    '2000',
    'firings',
    'Maximum firings whose time has come and that are not yet settled.',
    integer(1, 100_000),
  ),
  PUNCTUAL_MAX_IN_FLIGHT_PER_HOST: setting(
    '500',
    'firings',
    'Maximum of these to one host for one client. Further ones wait; other hosts go on.',
    integer(1, 100_000),
  ),
  PUNCTUAL_CONNECTIONS_PER_ORIGIN: setting(
    '128',
    'connections',
    'Maximum connections to one scheme, host and port.',
    integer(1, 10_000),
  ),
  PUNCTUAL_MAX_ORIGINS: setting(
    '1000',
    'origins',
    'Maximum origins with open connections per sender thread. The least recently used are closed first.',
    integer(1, 100_000),
  ),
  PUNCTUAL_ROLE: setting(
    'all',
    'role',
    'all, api or engine: the parts that this node runs. Other than all on PostgreSQL only.',
    oneOf('all', 'api', 'engine'),
  ),
  PUNCTUAL_PAUSED: setting(
    'false',
    'yes or no',
    'true: this node fires nothing, whatever the store says. For restores and copies of production.',
    oneOf('true', 'false'),
  ),
  PUNCTUAL_LEASE_SECONDS: setting(
    '10',
    'seconds',
    'On PostgreSQL: after this time the other nodes take over the requests in flight of a node that died or froze. Set it the same on all nodes.',
    integer(2, 600),
  ),
  PUNCTUAL_KEEP_RUNS_DAYS: setting(
    '30',
    'days',
    'How long history is kept, in days of UTC. Failed runs are kept at least as long as the others.',
    integer(1, 36_500),
  ),
  PUNCTUAL_KEEP_FAILED_RUNS_DAYS: setting(
    '90',
    'days',
    'How long failed runs are kept.',
    integer(1, 36_500),
  ),
  PUNCTUAL_ZONEINFO: setting(
    '',
    'path',
    'A folder of TZif files, such as `/usr/share/zoneinfo`. Its time zone rules replace the built-in ones.',
    text,
  ),
  PUNCTUAL_SENDER_THREADS: setting(
    'auto',
    'threads',
    'Threads that send requests, beside the main one. 0: the main thread sends. `auto`: 0 on one core, 2 on more.',
    threads,
  ),
  PUNCTUAL_STOP_SECONDS: setting(
    '30',
    'seconds',
    'How long a graceful stop waits for requests in flight.',
    integer(0, 3_600),
  ),
  PUNCTUAL_LOG_LEVEL: setting(
    'info',
    'level',
    'trace, debug, info, warn, error or silent.',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
} as const;

export type Role = 'all' | 'api' | 'engine';

/** The settings. Those of one room form a group, which is handed through whole; the room's own type describes them. */
export type Config = ReturnType<typeof readConfig>;

/**
 * Reads the settings from `environment`; an empty value counts as unset.
 *
 * @param defaults what a command sets where the environment is silent
 * @throws PunctualError `setting_invalid` with one sentence that names the setting
 */
export function readConfig(
  environment: Record<string, string | undefined>,
  defaults: Partial<Record<keyof typeof SETTINGS, string>> = {},
) {
  const read = <Name extends keyof typeof SETTINGS>(name: Name) => {
    const { fallback, check } = SETTINGS[name];
    const value = environment[name] || (defaults[name] ?? fallback);
    return check(value, name) as ReturnType<(typeof SETTINGS)[Name]['check']>;
  };
  const database = leased(read('DATABASE_URL'), read('PUNCTUAL_LEASE_SECONDS'));
  const runsDays = read('PUNCTUAL_KEEP_RUNS_DAYS');
  return {
    host: read('HOST'),
    port: read('PORT'),
    /** Without a slash at its end; null where it is unset. */
    publicUrl: read('PUNCTUAL_URL'),
    database,
    role: checkRole(read('PUNCTUAL_ROLE'), database),
    /** Whether this node fires nothing, whatever the store says. */
    paused: read('PUNCTUAL_PAUSED') === 'true',
    /** A client and key that shall exist at start. */
    credentials: credentialsOf(
      read('PUNCTUAL_CLIENT_ID'),
      read('PUNCTUAL_API_KEY'),
      read('PUNCTUAL_SIGNING_SECRET'),
    ),
    /** The keys themselves, or the file that holds them; `''`: no file is named. */
    secretKeys: { keys: read('PUNCTUAL_SECRET_KEY'), file: read('PUNCTUAL_SECRET_KEY_FILE') },
    allowTargets: read('PUNCTUAL_ALLOW_TARGETS'),
    api: { connections: read('PUNCTUAL_MAX_CONNECTIONS') },
    engine: {
      maxInFlight: read('PUNCTUAL_MAX_IN_FLIGHT'),
      maxInFlightPerHost: read('PUNCTUAL_MAX_IN_FLIGHT_PER_HOST'),
      /** Slots of manual runs and callbacks together. */
      outboxSlots: 200,
      retention: {
        runsDays,
        failedRunsDays: Math.max(runsDays, read('PUNCTUAL_KEEP_FAILED_RUNS_DAYS')),
      },
    },
    sender: {
      connectionsPerOrigin: read('PUNCTUAL_CONNECTIONS_PER_ORIGIN'),
      maxOrigins: read('PUNCTUAL_MAX_ORIGINS'),
      maxLookups: maxLookupsOf(environment),
      /** In all, kept ones too; only a limit of the process lowers it. */
      maxConnections: Number.MAX_SAFE_INTEGER,
    },
    /** Null: as many as the cores make worth while. */
    senderThreads: read('PUNCTUAL_SENDER_THREADS'),
    /** The folder with the rules of time zones; `''`: the built-in ones. */
    zoneinfo: read('PUNCTUAL_ZONEINFO'),
    stopMs: read('PUNCTUAL_STOP_SECONDS') * 1_000,
    logLevel: read('PUNCTUAL_LOG_LEVEL'),
    /** Whether the environment asks for traces, in the words of OpenTelemetry. */
    traced: isTraced(environment),
  };
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
function isTraced(environment: Record<string, string | undefined>): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = environment;
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' ||
    environment.OTEL_TRACES_EXPORTER === 'none';
  return Boolean(all || own) && !isOff;
}

/**
 * The number of lookups that the system's resolver can do at once. It gets half of libuv's threads
 * (https://docs.libuv.org/en/v1.x/threadpool.html, `UV__WORK_SLOW_IO`). Some of these are for the
 * names of the database and of the trace collector.
 */
function maxLookupsOf({ UV_THREADPOOL_SIZE: size }: Record<string, string | undefined>): number {
  // libuv would take what is no number for 1, without a word.
  const threads = size ? integer(1, MOST_THREADS)(size, 'UV_THREADPOOL_SIZE') : DEFAULT_THREADS;
  return Math.max(1, Math.floor((threads + 1) / 2) - LOOKUPS_OF_OTHERS);
}

const DEFAULT_THREADS = 4;
const MOST_THREADS = 1_024;
const LOOKUPS_OF_OTHERS = 4;

/** Names that look like settings and are none: a typing error would go unnoticed otherwise. */
export function unknownSettings(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment).filter(
    name => name.startsWith('PUNCTUAL_') && !Object.hasOwn(SETTINGS, name),
  );
}

/** Names of proxies, which most programs go through, and Punctual does not: it judges the address that it connects to. */
export function ignoredProxies(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment).filter(
    name => /^(?:https?|all)_proxy$/i.test(name) && environment[name] !== '',
  );
}

interface Setting<Value> {
  fallback: string;
  unit: string;
  about: string;
  check: (value: string, name: string) => Value;
}

function setting<Value>(
  fallback: string,
  unit: string,
  about: string,
  check: Setting<Value>['check'],
): Setting<Value> {
  return { fallback, unit, about, check };
}

function leased(database: Database, leaseSeconds: number): Database {
  return database.kind === 'postgres' ? { ...database, leaseMs: leaseSeconds * 1_000 } : database;
}

/** The API and the engine of an embedded store share its process. */
function checkRole(role: Role, { kind }: Database): Role {
  if (role === 'all' || kind === 'postgres') return role;
  throw invalid(`PUNCTUAL_ROLE must be all on the embedded store, not ${quote(role)}.`);
}
