import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { openThreaded } from '../../src/store/sqlite/worker/client.ts';
import { skipUnlessLong } from '../support/long.ts';
import { storeContract } from './contract/contract.ts';

const WRITING = (path: string, level?: number) => openSqlite(path, 'write', level);
const PLAIN = ['SQLite', WRITING] as const;
// A service writes by a thread. Each test starts one, which costs more than all else that it does.
const THREADED = ['SQLite, written to by a thread of its own', openThreaded] as const;
const stores = skipUnlessLong ? [PLAIN] : [PLAIN, THREADED];

// To make the tables anew for each test costs more than most of them.
const folderOfNew = mkdtempSync(join(tmpdir(), 'punctual-'));
const newStore = join(folderOfNew, 'punctual.db');
await openSqlite(newStore).close();
after(() => rmSync(folderOfNew, { recursive: true }));

for (const [name, open] of stores) {
  storeContract(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'punctual-'));
    const path = join(folder, 'punctual.db');
    copyFileSync(newStore, path);
    let store = open(path);
    return {
      store,
      async reopen(level) {
        await store.close();
        store = open(path, level);
        return store;
      },
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
}
