import { PunctualError } from './domain/errors.ts';
import { type AllowTargets, parseAllowTargets } from './domain/target.ts';
import { type Database, serversOf } from './store/open.ts';

/**
 * Every setting, once: its name in the environment, default, unit and check. The table in the
 * README is this table (a test compares them).
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
  PUNCTUAL_ALLOW_TARGETS: setting(
    '',
    'list',
    'Targets beyond public addresses: networks in CIDR form, host names or `*`, separated by commas. Metadata services are never opened.',
    parseAllowTargets,
  ),
  PUNCTUAL_CLIENT_ID: setting(
    '',
    'text',
    'With `PUNCTUAL_API_KEY`: this client exists at start.',
    optionalToken,
  ),
  PUNCTUAL_API_KEY: setting(
    '',
    'text',
    'With `PUNCTUAL_CLIENT_ID`: this key exists at start; at least 20 characters.',
    apiKey,
  ),
  PUNCTUAL_MAX_CONNECTIONS: setting(
    '5000',
    'connections',
    'Connections of callers at the same moment; one more is closed without an answer.',
    integer(1, 1_000_000),
  ),
  PUNCTUAL_MAX_IN_FLIGHT: setting(
    '2000',
    'firings',
    'Firings whose time has come and that are not yet settled, at most.',
    integer(1, 100_000),
  ),
  PUNCTUAL_MAX_IN_FLIGHT_PER_HOST: setting(
    '500',
    'firings',
    'Of these, to one host for one client, at most; others wait, and other hosts go on.',
    integer(1, 100_000),
  ),
  PUNCTUAL_CONNECTIONS_PER_ORIGIN: setting(
    '128',
    'connections',
    'Connections to one scheme, host and port, at most.',
    integer(1, 10_000),
  ),
  PUNCTUAL_MAX_ORIGINS: setting(
    '1000',
    'origins',
    'Origins with open connections, at most, for each thread that sends; the longest unused are closed.',
    integer(1, 100_000),
  ),
  PUNCTUAL_ROLE: setting(
    'all',
    'role',
    'all, api or engine: what this node does. Other than all on PostgreSQL only.',
    oneOf('all', 'api', 'engine'),
  ),
  PUNCTUAL_LEASE_SECONDS: setting(
    '10',
    'seconds',
    'On PostgreSQL: after this time the other nodes take over what a node that died or froze had in flight. The same on all nodes.',
    integer(2, 600),
  ),
  PUNCTUAL_KEEP_RUNS_DAYS: setting(
    '30',
    'days',
    'How long history is kept, in days of UTC; failed runs at least as long as the others.',
    integer(1, 36_500),
  ),
  PUNCTUAL_KEEP_FAILED_RUNS_DAYS: setting(
    '90',
    'days',
    'How long failed runs are kept.',
    integer(1, 36_500),
  ),
  PUNCTUAL_SENDER_THREADS: setting(
    'auto',
    'threads',
    'Threads that send requests, beside the main one; 0: the main thread does. `auto`: 0 on one core, 2 on more.',
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

export interface Config {
  host: string;
  port: number;
  database: Database;
  allowTargets: AllowTargets;
  /** A client and key that shall exist at start. */
  credentials: { clientId: string; apiKey: string } | null;
  maxConnections: number;
  maxInFlight: number;
  maxInFlightPerHost: number;
  connectionsPerOrigin: number;
  maxOrigins: number;
  role: Role;
  keepRunsDays: number;
  keepFailedRunsDays: number;
  /** Null: as many as the cores make worth while. */
  senderThreads: number | null;
  stopMs: number;
  logLevel: string;
  /** Whether the environment asks for traces, in the words of OpenTelemetry. */
  traced: boolean;
}

/**
 * Reads the settings from `environment`; an empty value counts as unset.
 *
 * @param defaults what a command sets where the environment is silent
 * @throws PunctualError `setting_invalid` with one sentence that names the setting
 */
export function readConfig(
  environment: Record<string, string | undefined>,
  defaults: Partial<Record<keyof typeof SETTINGS, string>> = {},
): Config {
  const read = <Name extends keyof typeof SETTINGS>(name: Name) => {
    const { fallback, check } = SETTINGS[name];
    const value = environment[name] || (defaults[name] ?? fallback);
    return check(value, name) as ReturnType<(typeof SETTINGS)[Name]['check']>;
  };
  const database = leased(read('DATABASE_URL'), read('PUNCTUAL_LEASE_SECONDS'));
  const keepRunsDays = read('PUNCTUAL_KEEP_RUNS_DAYS');
  return {
    host: read('HOST'),
    port: read('PORT'),
    database,
    role: checkRole(read('PUNCTUAL_ROLE'), database),
    keepRunsDays,
    keepFailedRunsDays: Math.max(keepRunsDays, read('PUNCTUAL_KEEP_FAILED_RUNS_DAYS')),
    allowTargets: read('PUNCTUAL_ALLOW_TARGETS'),
    credentials: credentialsOf(read('PUNCTUAL_CLIENT_ID'), read('PUNCTUAL_API_KEY')),
    maxConnections: read('PUNCTUAL_MAX_CONNECTIONS'),
    maxInFlight: read('PUNCTUAL_MAX_IN_FLIGHT'),
    maxInFlightPerHost: read('PUNCTUAL_MAX_IN_FLIGHT_PER_HOST'),
    connectionsPerOrigin: read('PUNCTUAL_CONNECTIONS_PER_ORIGIN'),
    maxOrigins: read('PUNCTUAL_MAX_ORIGINS'),
    senderThreads: read('PUNCTUAL_SENDER_THREADS'),
    stopMs: read('PUNCTUAL_STOP_SECONDS') * 1_000,
    logLevel: read('PUNCTUAL_LOG_LEVEL'),
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

/** Names that look like settings and are none: a typing error would go unnoticed otherwise. */
export function unknownSettings(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment).filter(
    name => name.startsWith('PUNCTUAL_') && !Object.hasOwn(SETTINGS, name),
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

function credentialsOf(clientId: string, apiKey: string): Config['credentials'] {
  if (clientId === '' && apiKey === '') return null;
  if (clientId !== '' && apiKey !== '') return { clientId, apiKey };
  throw invalid('PUNCTUAL_CLIENT_ID and PUNCTUAL_API_KEY must be set together.');
}

function leased(database: Database, leaseSeconds: number): Database {
  return database.kind === 'postgres' ? { ...database, leaseMs: leaseSeconds * 1_000 } : database;
}

/** The API and the engine of an embedded store share its process. */
function checkRole(role: Role, { kind }: Database): Role {
  if (role === 'all' || kind === 'postgres') return role;
  throw invalid(`PUNCTUAL_ROLE must be all on the embedded store, not ${quote(role)}.`);
}

function text(value: string): string {
  return value;
}

function integer(least: number, most: number) {
  return (value: string, name: string): number => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= least && number <= most) return number;
    throw invalid(`${name} must be a whole number from ${least} to ${most}, not ${quote(value)}.`);
  };
}

function threads(value: string, name: string): number | null {
  if (value === 'auto') return null;
  if (/^\d+$/.test(value) && Number(value) <= 64) return Number(value);
  throw invalid(`${name} must be auto or a whole number from 0 to 64, not ${quote(value)}.`);
}

function oneOf<Value extends string>(...values: Value[]) {
  return (value: string, name: string): Value => {
    const known = values.find(each => each === value);
    if (known !== undefined) return known;
    throw invalid(`${name} must be one of ${values.join(', ')}, not ${quote(value)}.`);
  };
}

/** Sent as a header's value, so no blanks and nothing beyond ASCII. Never quoted: it may be a key. */
function optionalToken(value: string, name: string): string {
  if (/^[\x21-\x7e]{0,200}$/.test(value)) return value;
  throw invalid(`${name} must be 1 to 200 printable ASCII characters without blanks.`);
}

/**
 * Only its SHA-256 is kept, and nothing limits guesses: that takes a key that cannot be guessed. Twenty
 * random characters of base64 are 120 bits.
 */
function apiKey(value: string, name: string): string {
  const key = optionalToken(value, name);
  if (key === '' || key.length >= LEAST_KEY_CHARACTERS) return key;
  throw invalid(
    `${name} must have at least ${LEAST_KEY_CHARACTERS} characters, and has ${key.length}: a random ` +
      'key comes from "openssl rand -base64 32".',
  );
}

const LEAST_KEY_CHARACTERS = 20;

/** @param name what the value was given as, for the sentence */
export function database(value: string, name: string): Database {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(value)?.[1];
  if (path) return { kind: 'sqlite', path };
  if (isPostgresUrl(value)) return { kind: 'postgres', url: value };
  // The value may carry a password: it is not repeated.
  throw invalid(
    `${name} must be sqlite: and a path, such as sqlite:./data/punctual.db, or a url that begins ` +
      'with postgres://.',
  );
}

function isPostgresUrl(value: string): boolean {
  try {
    return serversOf(value).length > 0;
  } catch {
    return false;
  }
}

function quote(value: string): string {
  return JSON.stringify(value.slice(0, 60));
}

function invalid(sentence: string): PunctualError {
  return new PunctualError('setting_invalid', sentence);
}
