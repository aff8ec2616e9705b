import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** The command line as a user runs it: a process of its own, in an empty folder. */

const COMMAND = join(import.meta.dirname, '../../../bin/punctual.js');

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Folder {
  path: string;
  /** Runs a command to its end. */
  run(args: string[], environment?: Record<string, string>): Promise<Ended>;
  /** Starts a command and resolves when its output matches. It is killed with the test. */
  start(args: string[], until: RegExp, environment?: Record<string, string>): Promise<Running>;
}

export interface Running {
  child: ChildProcess;
  /** What it has printed so far. */
  out(): string;
  err(): string;
  /** Asks it to stop, and resolves to its exit code. */
  stop(): Promise<number | null>;
}

/** @param context of a test, or `{ after }` of a suite whose tests share the folder */
export function emptyFolder(context: { after(end: () => Promise<void>): void }): Folder {
  const path = mkdtempSync(join(tmpdir(), 'punctual-service-'));
  const running: ChildProcess[] = [];
  context.after(async () => {
    for (const child of running) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(path, { recursive: true, force: true });
  });

  function launch(args: string[], environment: Record<string, string> = {}) {
    const env = { PATH: process.env.PATH, PORT: '0', ...environment };
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd: path, env });
    running.push(child);
    let out = '';
    let err = '';
    child.stdout.on('data', chunk => {
      out += chunk;
    });
    child.stderr.on('data', chunk => {
      err += chunk;
    });
    return { child, out: () => out, err: () => err };
  }

  return {
    path,
    async run(args, environment) {
      const { child, out, err } = launch(args, environment);
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, out: out(), err: err() };
    },
    async start(args, until, environment) {
      const { child, out, err } = launch(args, environment);
      while (!until.test(out())) {
        if (child.exitCode !== null) throw new Error(`it ended: ${err()}${out()}`);
        await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
      }
      const stop = async () => {
        if (child.exitCode !== null) return child.exitCode;
        child.kill('SIGTERM');
        const [code] = (await once(child, 'close')) as [number | null];
        return code;
      };
      return { child, out, err, stop };
    },
  };
}

/** The same, with a store that is empty. */
export async function folderWithStore(
  context: TestContext,
  environment?: Record<string, string>,
): Promise<Folder> {
  const folder = emptyFolder(context);
  const { code, err } = await folder.run(['migrate'], environment);
  if (code !== 0) throw new Error(err);
  return folder;
}

/** The url that `punctual serve` logs when it listens. */
export function urlOf(out: string): string {
  return /"url":"([^"]+)"/.exec(out)![1]!;
}
