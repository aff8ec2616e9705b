#!/usr/bin/env node
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownRuntime, runWith } from './own-runtime.js';
import { endWithStarter } from './starter.js';

// Plain JavaScript that any Node can read: an old one hands over to the Node that the package brings.
if (Number(process.versions.node.split('.')[0]) < 26) {
  const binary = ownRuntime();
  if (binary !== null) runWith(binary);
  else {
    process.stderr.write(
      `Punctual needs Node 26 or newer, and this is Node ${process.versions.node}. npm brings one for ` +
        'Linux and macOS unless optional packages are left out: install again with --include=optional.\n',
    );
    process.exitCode = 1;
  }
} else {
  // A service stops as at a signal, unless it stops already: a second signal would cut that short. Other commands end.
  endWithStarter(() => process.emit('starterGone') || process.kill(process.pid, 'SIGTERM'));
  // What was compiled is kept for the next start (docs/operations.md, "Restart").
  keepCompiled();
  // Names are looked up by libuv's threads, half of them at most: four would let two slow names hold up all others.
  process.env.UV_THREADPOOL_SIZE ||= '128';
  // A checkout runs its sources as they are; the package has them compiled.
  const isCheckout = existsSync(new URL('../src/cli/main.ts', import.meta.url));
  try {
    const { main } = await import(isCheckout ? '../src/cli/main.ts' : '../dist/cli/main.js');
    await main(process.argv);
  } catch (error) {
    if (!isCheckout || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      'This checkout lacks the packages that it is made of, as with NODE_ENV=production: ' +
        'type "npm ci --include=dev".\n',
    );
    process.exitCode = 1;
  }
}

/**
 * In a folder that nobody else can write to: what stands there is run. Without one, or where it is read-only or
 * full, a start compiles what it needs. Threads find it in the environment.
 */
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  const folder = join(
    process.env.CACHE_DIRECTORY || tmpdir(),
    `punctual-${process.getuid?.() ?? 'user'}`,
  );
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    const isOurs =
      process.getuid === undefined || (uid === process.getuid() && (mode & 0o177777) === 0o40700);
    if (!isOurs) return;
  } catch {
    return;
  }
  process.env.NODE_COMPILE_CACHE = folder;
  module.enableCompileCache?.(folder);
}
