import { benchCommand } from './command.ts';

/**
 * `npm run bench -- <scene>`: each scene of docs/performance.md by its name. It starts its own
 * target, database and nodes, and stops them.
 */

await benchCommand().parseAsync();
// At once: a hook of the embedded PostgreSQL would end the process with 0 where it comes to its end by itself.
process.exit();
