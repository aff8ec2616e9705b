import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { openThreaded } from '../../src/store/sqlite/worker/client.ts';
import { skipUnlessLong } from '../support/long.ts';
import { reusedBackends } from '../support/store/reused-backends.ts';
import { storeContract } from './contract/contract.ts';

const WRITING = (path: string, level?: number) => openSqlite(path, 'write', level);
const PLAIN = ['SQLite', WRITING] as const;
// As a service does: it takes twice as long.
const THREADED = ['SQLite, written to by a thread of its own', openThreaded] as const;
const stores = skipUnlessLong ? [PLAIN] : [PLAIN, THREADED];

const folder = mkdtempSync(join(tmpdir(), 'punctual-'));

for (const [name, open] of stores) {
  const newPlace = () => {
    const path = join(mkdtempSync(join(folder, 'store-')), 'punctual.db');
    return { open: (level?: number) => open(path, level), empty: () => emptied(path) };
  };
  storeContract(name, reusedBackends(newPlace));
}
after(() => rmSync(folder, { recursive: true }));

/** As small as a new one, too. */
function emptied(path: string): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  database.exec(
    `BEGIN; ${tables.map(({ name }) => `DELETE FROM ${name};`).join(' ')} COMMIT; VACUUM`,
  );
  database.close();
}
