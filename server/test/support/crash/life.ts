import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Life } from '../../../sim/model/evidence.ts';

export interface LifeOptions {
  /** `bin/punctual.js` of the sources to run. */
  bin: string;
  /** Where it is run, so that it finds no settings and no data of anybody else. */
  folder: string;
  environment: Record<string, string>;
}

/** One process of the service, from its start to the end that the test gives it. */
export class Process {
  readonly life: Life = { spawnedAt: Date.now(), readyAt: null, end: null };
  /** Its base url, once it listens. */
  readonly ready: Promise<string>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** The last lines that it wrote, for when it dies by itself. */
  readonly lines: string[] = [];

  constructor({ bin, folder, environment }: LifeOptions) {
    this.#child = spawn(process.execPath, [bin, 'serve'], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#child, 'exit');
    alive.set(this.#child, folder);
    void this.#exited.then(() => alive.delete(this.#child));
    this.ready = new Promise((resolve, reject) => {
      const note = (line: string) => {
        this.lines.push(line);
        if (this.lines.length > 20) this.lines.shift();
        const url = urlOf(line);
        if (url === null) return;
        this.life.readyAt = Date.now();
        resolve(url);
      };
      createInterface(this.#child.stdout!).on('line', note);
      createInterface(this.#child.stderr!).on('line', note);
      void this.#exited.then(() => reject(this.#fault('ended before it listened')));
    });
    // Where it is killed on purpose before it listens, nobody waits for this.
    this.ready.catch(() => {});
  }

  /** As the power button does it, but that what was written stays written. */
  async kill(): Promise<void> {
    if (this.#hasExited) throw this.#fault('ended by itself');
    const from = Date.now();
    this.#child.kill('SIGKILL');
    await this.#exited;
    this.life.end = { how: 'killed', from, to: Date.now() };
  }

  /** SIGSTOP freezes it as a machine does that is suspended; SIGCONT lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** As an operator does it. */
  async stop(): Promise<void> {
    if (this.#hasExited) throw this.#fault('ended by itself');
    const from = Date.now();
    this.#child.kill('SIGTERM');
    await this.#exited;
    this.life.end = { how: 'stopped', from, to: Date.now() };
    if (this.#child.exitCode !== 0) throw this.#fault('did not stop gracefully');
  }

  /** Leaves nothing running, whatever happened. */
  async dispose(): Promise<void> {
    if (this.#hasExited) return;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #fault(what: string): Error {
    const { exitCode, signalCode } = this.#child;
    const how = `(exit code ${exitCode}, signal ${signalCode})`;
    return new Error(`The service ${what} ${how}. It wrote:\n${this.lines.join('\n')}`);
  }
}

/** A test that is ended from outside, by its runner or by hand, takes its service and its files with it. */
const alive = new Map<ChildProcess, string>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const [child, folder] of alive) {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
    process.kill(process.pid, signal);
  });
}

function urlOf(line: string): string | null {
  if (!line.includes('"listening"')) return null;
  return (JSON.parse(line) as { url: string }).url;
}
