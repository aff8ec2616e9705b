import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { withReason } from '../../src/domain/errors.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { aClient } from '../support/store/backend.ts';
import { inOwnFolder } from '../support/store/folder.ts';
import { thrownBy } from '../support/thrown.ts';

/** Each write waits five seconds for the lock, in real time. */

let path: string;
inOwnFolder((_folder, database) => {
  path = database;
});

test('a write lock of another process is named with its file, but not to callers', async () => {
  const store = openSqlite(path);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  try {
    const checked = await thrownBy(() => store.check(true));
    assert.equal(checked.code, 'store_unavailable');
    assert.equal(
      checked.message,
      `The database ${path} cannot be written to: another process holds its lock.`,
    );
    const refused = await thrownBy(() => aClient(store));
    assert.equal(refused.message, 'The store cannot be written to at the moment.');
    assert.equal(
      withReason(refused),
      `The store cannot be written to at the moment: ${path}: another process holds its lock.`,
    );
  } finally {
    other.close();
    await store.close();
  }
});
