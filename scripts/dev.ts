import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { endWithStarter } from '../server/bin/starter.js';

/**
 * `npm run dev`: `punctual dev`, started again whenever a source of the server changes.
 *
 * Not `node --watch`: that sends messages of its own through the ports of every worker thread.
 */
const ROOT = resolve(import.meta.dirname, '..');
/** An editor writes several files at once. */
const SETTLED_MS = 150;

let child: ChildProcess | null = null;
let timer: NodeJS.Timeout | undefined;
let isEnding = false;
/** The running one has older sources. */
let isChanged = false;

function start(): void {
  const command = [join(ROOT, 'server/bin/punctual.js'), 'dev', ...process.argv.slice(2)];
  child = spawn(process.execPath, command, { stdio: 'inherit' });
  child.once('exit', code => {
    child = null;
    if (isEnding) process.exit(code ?? 0);
    if (isChanged) start();
    else process.stdout.write('It has ended, and starts again at the next change.\n');
  });
  isChanged = false;
}

function restart(): void {
  process.stdout.write('The sources have changed: it starts again.\n');
  isChanged = true;
  if (child === null) start();
  else child.kill('SIGTERM');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isEnding = true;
    if (child === null) process.exit(0);
    child.kill(signal);
  });
}
endWithStarter(() => isEnding || process.kill(process.pid, 'SIGTERM'));
watch(join(ROOT, 'server/src'), { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(restart, SETTLED_MS);
});
start();
