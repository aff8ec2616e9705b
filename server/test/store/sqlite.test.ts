import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { storeContract } from './contract.ts';

storeContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-'));
  const path = join(folder, 'punctual.db');
  // That FULL survives a power cut is proved by the test that cuts the power.
  const options = { synchronous: 'NORMAL' } as const;
  let store = openSqlite(path, options);
  return {
    store,
    async reopen() {
      await store.close();
      store = openSqlite(path, options);
      return store;
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
