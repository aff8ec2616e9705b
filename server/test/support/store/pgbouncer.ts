import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, runOn } from './postgres-server.ts';

/** A real pgBouncer in transaction mode: whoever asks gets another session with each transaction. */
export interface Pgbouncer {
  /** The way through it to the database at `url`. */
  through(url: string): string;
  /** Runs a command of its console. */
  command(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** @returns why it cannot be run here, or null */
export function whyNoPgbouncer(): string | null {
  try {
    execFileSync(BINARY, ['--version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'pgbouncer is not installed: NOTHING IS TESTED behind a pooler (apt-get install pgbouncer)';
  }
}

const BINARY = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';
/** The longest that it may take to start, where others keep the machine busy. */
const START_MS = 30_000;
/** It refuses to run as root. */
const NOBODY = 65_534;

/** @param settings of its configuration, besides */
export async function startPgbouncer(
  postgresPort: number,
  settings: Record<string, string | number> = {},
): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  writeFileSync(join(folder, 'users.txt'), '"postgres" "password"\n');
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    admin_users: 'postgres',
    pool_mode: 'transaction',
    default_pool_size: 3,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const databases = `* = host=127.0.0.1 port=${postgresPort}`;
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    ['[databases]', databases, '[pgbouncer]', ...lines, ''].join('\n'),
  );
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(BINARY, ['-q', join(folder, 'pgbouncer.ini')], {
    ...identity,
    stdio: 'ignore',
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const console = `postgres://postgres:password@127.0.0.1:${port}/pgbouncer`;
  const startedAt = performance.now();
  for (;;) {
    try {
      await runOn(console, 'SHOW VERSION');
      break;
    } catch (error) {
      if (performance.now() - startedAt > START_MS || child.exitCode !== null) throw error;
      await sleep(10);
    }
  }
  return {
    through: url => url.replace(/@[^/]+/, `@127.0.0.1:${port}`),
    command: sql => runOn(console, sql),
    async stop() {
      process.off('exit', end);
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true });
    },
  };
}
