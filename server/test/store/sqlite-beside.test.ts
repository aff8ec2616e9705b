import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { thisBoot } from '../../src/clock.ts';
import { readMigrations } from '../../src/store/migrate.ts';
import { lockEngine, migrateStore, openBeside } from '../../src/store/open.ts';
import { migrateSqlite, openDatabase } from '../../src/store/sqlite/open.ts';

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../src/store/sqlite/migrations'));

let folder: string;
let database: { kind: 'sqlite'; path: string };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'punctual-beside-'));
  database = { kind: 'sqlite', path: join(folder, 'punctual.db') };
});
afterEach(() => rmSync(folder, { recursive: true }));

function makeOlder(): void {
  const older = openDatabase(database.path);
  migrateSqlite(older, MIGRATIONS.slice(0, -1));
  older.close();
}

describe('a store beside a running service', () => {
  test('of an older release is left as it is: that one would not know what was done to it', async () => {
    makeOlder();
    const lock = lockEngine(database, thisBoot());
    for (const open of [openBeside, migrateStore]) {
      await assert.rejects(async () => open(database), { code: 'store_in_use' });
    }
    lock!.release();
    const { from, to } = await migrateStore(database);
    assert.deepEqual([from, to], [MIGRATIONS.length - 1, MIGRATIONS.length]);
  });

  test('of the same release is opened, and one that is not there is not made', async () => {
    const lock = lockEngine(database, thisBoot());
    await assert.rejects(openBeside(database), { code: 'store_missing' });
    await migrateStore(database);
    await (await openBeside(database)).close();
    lock!.release();
  });
});
