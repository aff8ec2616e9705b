import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Other processes on the same database: what two of them do to each other cannot be played in one. */

const source = (file: string) =>
  JSON.stringify(new URL(`../../../src/store/sqlite/${file}`, import.meta.url).href);
const PRELUDE = `
  import { lockSqlite } from ${source('lock.ts')};
  import { openSqlite } from ${source('open.ts')};
  const [path, ...args] = process.argv.slice(1);
  const say = value => process.stdout.write(JSON.stringify(value) + '\\n');
`;

const running = new Set<ChildProcess>();

export interface Child {
  process: ChildProcess;
  /** The next value that it says, or null when it has ended. */
  heard(): Promise<unknown>;
  /** All that it still says until its end. */
  heardAll(): Promise<unknown[]>;
}

/**
 * Runs `code` in a process of its own, with `openSqlite`, `lockSqlite`, `path`, `args` and `say`.
 *
 * @param limit a POSIX shell command that sets a limit before it starts
 */
export function childOn(path: string, code: string, args: string[] = [], limit = ''): Child {
  const node = [process.execPath, '--input-type=module', '-e', PRELUDE + code, path, ...args];
  const child =
    limit === ''
      ? spawn(node[0]!, node.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
      : spawn('/bin/sh', ['-c', `${limit} && exec "$0" "$@"`, ...node], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
  running.add(child);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const heard = async () => {
    const { value, done } = await lines.next();
    return done ? null : JSON.parse(value);
  };
  const heardAll = async () => {
    const values: unknown[] = [];
    for (let value = await heard(); value !== null; value = await heard()) values.push(value);
    return values;
  };
  return { process: child, heard, heardAll };
}

/** After each test: one that failed leaves no process behind. */
export function endChildren(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

export async function killed({ process: child }: Child): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
