import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The processes and folders that a benchmark makes. However it ends, by a signal too, none of them
 * stays behind.
 */
const children = new Map<ChildProcess, NodeJS.Signals>();
const folders = new Set<string>();

process.once('exit', () => {
  for (const [child, signal] of children) child.kill(signal);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** @param last the signal that ends it where nothing can be waited for any more */
export function startProcess(
  command: string,
  args: string[],
  options: SpawnOptions,
  last: NodeJS.Signals = 'SIGKILL',
): ChildProcess {
  const child = spawn(command, args, options);
  children.set(child, last);
  child.once('exit', () => children.delete(child));
  return child;
}

/** A script of this folder in a process of its own. It ends with this one. */
export function startScript(name: string, options: unknown): ChildProcess {
  const args = [join(import.meta.dirname, name), JSON.stringify(options)];
  return startProcess(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Returns the options given to `startScript`. Call it in the script. */
export function optionsOfScript<Options>(): Options {
  process.once('disconnect', () => process.exit());
  return JSON.parse(process.argv[2]!);
}

/** The next message of a script. @throws where it ends before */
export async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ending = new AbortController();
  const exited = once(child, 'exit', ending).then(([code]) => {
    throw new Error(`${child.spawnargs[1]} ended (${code}) before it said what it should`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', ending), exited]);
    return message as Message;
  } finally {
    ending.abort();
    exited.catch(() => {});
  }
}

export async function stopProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** @param base where it is made; the system's folder for such things where left out */
export function temporaryFolder(base = tmpdir()): string {
  const folder = mkdtempSync(join(base, 'punctual-bench-'));
  folders.add(folder);
  return folder;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves once `url` answers with a 2xx. @throws where it does not within `limitMs` */
export async function answering(url: string, limitMs = 60_000): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < limitMs) {
    const isUp = await fetch(url).then(
      response => response.ok,
      () => false,
    );
    if (isUp) return;
    await pause(10);
  }
  throw new Error(`${url} does not answer`);
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.max(0, ms)));
}

export function until(instant: number): Promise<void> {
  return pause(instant - Date.now());
}
