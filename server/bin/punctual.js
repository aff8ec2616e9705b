#!/usr/bin/env node
// Plain JavaScript that any Node can read: an old one gets a sentence instead of a syntax error.
const major = Number(process.versions.node.split('.')[0]);
if (major < 26) {
  process.stderr.write(
    `Punctual needs Node 26 or newer, and this is Node ${process.versions.node}. ` +
      'In a checkout, "npm ci" brings it: start Punctual with "npm start" or "npx punctual".\n',
  );
  process.exit(1);
}
// Names are looked up by libuv's threads, half of them at most: four would let two slow names hold up all others.
process.env.UV_THREADPOOL_SIZE ??= '128';
const { main } = await import('../src/cli/main.ts');
await main(process.argv);
