import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { openThreaded } from '../../src/store/sqlite/threaded.ts';
import { storeContract } from './contract.ts';

for (const [name, open] of [
  ['SQLite', openSqlite],
  ['SQLite, written to by a thread of its own', openThreaded],
] as const) {
  storeContract(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'punctual-'));
    const path = join(folder, 'punctual.db');
    let store = open(path);
    return {
      store,
      async reopen() {
        await store.close();
        store = open(path);
        return store;
      },
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
}
