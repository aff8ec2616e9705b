import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  answering,
  freePort,
  messageOf,
  startProcess,
  startScript,
  stopProcess,
  temporaryFolder,
} from './processes.ts';

/**
 * The target of the requests, and the log of their arrivals: an nginx that answers 200 if one is
 * installed, else a server of our own. `ARRIVAL` in `arrivals.ts` describes a line of `log`.
 */
export interface Target {
  name: string;
  /** Of one of its hosts, counted from 0. */
  url(host?: number): string;
  log: string;
  stop(): Promise<void>;
}

/**
 * @param hosts number of its addresses. More than one are addresses of 127.0.0.0/8, which are all
 * loopback on Linux only.
 */
export async function startTarget(hosts = 1): Promise<Target> {
  const addresses = Array.from({ length: hosts }, (_, host) => addressOf(host));
  const port = await freePort();
  const log = join(temporaryFolder(), 'arrivals.log');
  const { stderr, error } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  const stop = error
    ? await startOwn({ addresses, port, log })
    : await startNginx({ addresses, port, log });
  return {
    name: error ? "the benchmark's own" : stderr.replace('nginx version: ', '').trim(),
    url: (host = 0) => `http://${addresses[host]}:${port}/`,
    log,
    stop,
  };
}

export interface TargetOptions {
  addresses: string[];
  port: number;
  /** The file to which each arrival adds a line. */
  log: string;
}

async function startNginx({ addresses, port, log }: TargetOptions): Promise<() => Promise<void>> {
  const folder = temporaryFolder();
  const listen = addresses.map(address => `listen ${address}:${port};`).join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr crit;
    events { worker_connections 8192; }
    http {
      log_format arrival '$msec $arg_s $http_punctual_scheduled_for';
      access_log ${log} arrival buffer=64k flush=100ms;
      keepalive_requests 1000000000; keepalive_timeout 75s;
      client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
      uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
      server { ${listen} location / { return 200 'ok'; } }
    }`,
  );
  // Killed outright, it would leave its worker behind.
  const child = startProcess(
    'nginx',
    ['-e', 'stderr', '-c', file],
    { stdio: 'inherit' },
    'SIGTERM',
  );
  await answering(`http://${addresses[0]}:${port}/`);
  return () => stopProcess(child);
}

async function startOwn(options: TargetOptions): Promise<() => Promise<void>> {
  const child = startScript('own-target.ts', options);
  await messageOf(child);
  return () => stopProcess(child);
}

/** A target that does not answer in time. */
export interface SlowTarget {
  url(host?: number): string;
  /** How many requests it had at once, at most, since it was last asked. */
  mostAtOnce(): Promise<number>;
  stop(): Promise<void>;
}

export interface SlowOptions {
  addresses: string[];
  port: number;
  /** When it answers, after the request; null: never. */
  afterMs: number | null;
}

/** @param hosts as in `startTarget`; its addresses are others than those of the target */
export async function startSlowTarget(hosts: number, afterMs: number | null): Promise<SlowTarget> {
  const addresses = Array.from({ length: hosts }, (_, host) => addressOf(SLOW_FROM + host));
  const port = await freePort();
  const child = startScript('slow-target.ts', { addresses, port, afterMs } satisfies SlowOptions);
  await messageOf(child);
  return {
    url: (host = 0) => `http://${addresses[host]}:${port}/`,
    async mostAtOnce() {
      child.send('mostAtOnce');
      return messageOf<number>(child);
    },
    stop: () => stopProcess(child),
  };
}

export interface MisbehavingOptions {
  address: string;
  /** Of the first kind; the others follow. */
  port: number;
}

/** Each kind of misbehaviour is an origin of its own. */
export interface MisbehavingTarget {
  kinds: number;
  url(kind: number): string;
  stop(): Promise<void>;
}

export async function startMisbehavingTarget(): Promise<MisbehavingTarget> {
  const address = addressOf(SLOW_FROM);
  const port = MISBEHAVING_FROM;
  const child = startScript('misbehaving-target.ts', {
    address,
    port,
  } satisfies MisbehavingOptions);
  const kinds = await messageOf<number>(child);
  return {
    kinds,
    url: kind => `http://${address}:${port + kind}/`,
    stop: () => stopProcess(child),
  };
}

const SLOW_FROM = 30_000;
/** Below the ports that the system gives out. */
const MISBEHAVING_FROM = 20_000;

function addressOf(host: number): string {
  return host === 0 ? '127.0.0.1' : `127.1.${host >> 8}.${host & 255}`;
}
