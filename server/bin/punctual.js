#!/usr/bin/env node
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Plain JavaScript that any Node can read: an old one gets a sentence instead of a syntax error.
const major = Number(process.versions.node.split('.')[0]);
if (major < 26) {
  process.stderr.write(
    `Punctual needs Node 26 or newer, and this is Node ${process.versions.node}. ` +
      'In a checkout, "npm ci" brings it: start Punctual with "npm start" or "npx punctual".\n',
  );
  process.exit(1);
}
// What was compiled is kept for the next start (docs/operations.md, "Restart").
keepCompiled();
// Names are looked up by libuv's threads, half of them at most: four would let two slow names hold up all others.
process.env.UV_THREADPOOL_SIZE ??= '128';
const { main } = await import('../src/cli/main.ts');
await main(process.argv);

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
