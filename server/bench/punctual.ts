import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '../test/support/store/postgres-server.ts';
import { answering, freePort, startProcess, stopProcess, temporaryFolder } from './processes.ts';

/** The client that the scenes use; further ones are made by `addClient`. */
export const CREDENTIALS = { ClientId: 'bench', ApiKey: 'key-of-the-benchmark' };

const BIN = join(import.meta.dirname, '../bin/punctual.js');
/** The flags with which the image and the unit start Node (docs/operations.md, "Running"). */
export const NODE_FLAGS = ['--v8-pool-size=0'];

/** The database that keeps the schedules. */
export interface Database {
  url: string;
  /** The file of an embedded store, with all that stands beside it. */
  bytes(): number | null;
  stop(): Promise<void>;
}

export type StoreKind = 'sqlite' | 'postgres';

/** @param folder on the disk to be measured */
export async function startDatabase(kind: StoreKind, folder?: string): Promise<Database> {
  if (kind === 'postgres') {
    const server = await startPostgres({ durable: true });
    const url = await server.createDatabase();
    return { url, bytes: () => null, stop: () => server.stop() };
  }
  const path = join(temporaryFolder(folder), 'punctual.db');
  const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);
  return {
    url: `sqlite:${path}`,
    bytes: () => sizeOf(path) + sizeOf(`${path}-wal`),
    async stop() {},
  };
}

/** A further client of a database that a node has made. */
export async function addClient(database: Database, name: string): Promise<typeof CREDENTIALS> {
  const out = await runCommand(database, ['client', 'create', '--name', name, '--json']);
  const { clientId, apiKey } = JSON.parse(out);
  return { ClientId: clientId, ApiKey: apiKey };
}

/** A command of Punctual, beside the nodes. @returns what it has printed */
export async function runCommand({ url }: Database, args: string[]): Promise<string> {
  const options = { env: { ...process.env, DATABASE_URL: url } };
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...args], options);
  return stdout;
}

/** A node in a process of its own, as an operator runs it. */
export class Punctual {
  readonly url: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #flags: string[];
  #child: ChildProcess | null = null;

  private constructor(url: string, environment: NodeJS.ProcessEnv, flags: string[]) {
    this.url = url;
    this.#environment = environment;
    this.#flags = flags;
  }

  /**
   * @param settings beyond those that every scene has
   * @param flags of Node
   */
  static async start(
    database: Database,
    settings: Record<string, string> = {},
    flags: string[] = [],
  ): Promise<Punctual> {
    const port = await freePort();
    const environment = {
      ...process.env,
      PORT: String(port),
      DATABASE_URL: database.url,
      PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
      PUNCTUAL_CLIENT_ID: CREDENTIALS.ClientId,
      PUNCTUAL_API_KEY: CREDENTIALS.ApiKey,
      PUNCTUAL_LOG_LEVEL: 'error',
      ...settings,
    };
    const punctual = new Punctual(`http://127.0.0.1:${port}`, environment, flags);
    await punctual.start();
    return punctual;
  }

  /** @returns how long it took until it was ready, ms */
  async start(): Promise<number> {
    const startedAt = performance.now();
    this.#child = startProcess(process.execPath, [...NODE_FLAGS, ...this.#flags, BIN, 'serve'], {
      env: this.#environment,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await answering(`${this.url}/readyz`);
    return performance.now() - startedAt;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await stopProcess(this.#child!, signal);
  }

  async metrics(): Promise<(name: string) => number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return name => {
      const line = text.split('\n').find(candidate => candidate.startsWith(`${name} `));
      return line ? Number(line.slice(name.length + 1)) : 0;
    };
  }

  /** Of this process, MB; the most so far where the system tells it. */
  async memoryMb(): Promise<number> {
    const file = `/proc/${this.#child!.pid}/status`;
    if (!existsSync(file)) {
      return (await this.metrics())('process_resident_memory_bytes') / 2 ** 20;
    }
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(file, 'utf8'))![1]) / 1_024;
  }
}

/** A metric, of all nodes together. */
export async function sumOf(nodes: Punctual[], name: string): Promise<number> {
  const metrics = await Promise.all(nodes.map(node => node.metrics()));
  return metrics.reduce((sum, metric) => sum + metric(name), 0);
}

/** The run statuses that no scene wants. */
export async function unwantedOf(nodes: Punctual[]): Promise<string> {
  const counts = await Promise.all(
    ['failed', 'skipped', 'missed'].map(async status => ({
      status,
      count: await sumOf(nodes, `punctual_runs_total{status="${status}"}`),
    })),
  );
  const some = counts.filter(({ count }) => count > 0);
  return some.map(({ status, count }) => `${count} ${status}`).join(', ') || 'none';
}
