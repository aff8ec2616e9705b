import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { openThreaded } from '../../src/store/sqlite/worker/client.ts';
import { skipUnlessLong } from '../support/long.ts';
import { storeContract } from './contract/contract.ts';

const THREADED = ['SQLite, written to by a thread of its own', openThreaded] as const;
// A service writes by a thread; the store within it is held in every run through that one.
const stores = skipUnlessLong ? [THREADED] : [THREADED, ['SQLite', openSqlite] as const];

for (const [name, open] of stores) {
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
