import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { lockSqlite } from '../../src/store/sqlite/lock.ts';
import { migrateAt, openSqlite } from '../../src/store/sqlite/open.ts';
import { childOn } from '../support/store/child.ts';
import { inOwnFolder } from '../support/store/folder.ts';
import { thrownBy } from '../support/thrown.ts';

/** Files that Punctual meets where its database is to be: another program's, without rights, damaged, locked. */

let folder: string;
let path: string;
inOwnFolder((own, database) => {
  folder = own;
  path = database;
});

/** Every file of the folder, but the index that any reader of a `-wal` makes. */
const filesOf = () =>
  Object.fromEntries(
    readdirSync(folder)
      .filter(file => !file.endsWith('-shm'))
      .map(file => [file, readFileSync(join(folder, file), 'base64')]),
  );

describe("another program's database is refused, and left as it is", () => {
  const foreign: Record<string, (database: DatabaseSync) => void> = {
    'with a table': database => database.exec('CREATE TABLE notes (a)'),
    'with a version of its own': database =>
      database.exec('CREATE TABLE notes (a); PRAGMA user_version = 3'),
    'with a later version than ours': database =>
      database.exec('CREATE TABLE clients (a); PRAGMA user_version = 9999'),
    'with a version and nothing else': database => database.exec('PRAGMA user_version = 1'),
    'with a view': database => database.exec('CREATE VIEW two AS SELECT 2'),
    'with a write-ahead log': database =>
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (a)'),
  };
  for (const [name, make] of Object.entries(foreign)) {
    test(name, async () => {
      const database = new DatabaseSync(path);
      make(database);
      database.close();
      const before = filesOf();
      for (const open of [lockSqlite, openSqlite, migrateAt]) {
        const error = await thrownBy(() => open(path));
        assert.equal(error.code, 'store_unusable');
        assert.equal(
          error.message,
          `The database ${path} is one of another program, and was left as it is: name another file in DATABASE_URL.`,
        );
        assert.deepEqual(filesOf(), before);
      }
    });
  }

  test('whose program was killed, with its log', async () => {
    const code = `
      const { DatabaseSync } = await import('node:sqlite');
      new DatabaseSync(path).exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (a)');
      process.kill(process.pid, 'SIGKILL');`;
    await childOn(path, code).heardAll();
    const before = filesOf();
    assert.equal((await thrownBy(() => lockSqlite(path))).code, 'store_unusable');
    assert.deepEqual(filesOf(), before);
  });
});

describe('a file that may not be written is named', () => {
  /** Opens it as a user without rights of its own, and says what went wrong. */
  const refused = (open: string) =>
    childOn(
      path,
      `if (process.getuid() === 0) process.setuid(65534);
       try { ${open}; say('opened'); } catch ({ code, message }) { say([code, message]); }`,
    ).heard();
  const OPEN = 'await openSqlite(path).check(true)';
  const LOCK = 'lockSqlite(path)';

  /** One that anybody may write; and the log, as of a service that was killed. */
  async function usable(): Promise<void> {
    const code = `
      await openSqlite(path).installation.pause(1);
      lockSqlite(path);
      process.kill(process.pid, 'SIGKILL');`;
    await childOn(path, code).heardAll();
    chmodSync(folder, 0o777);
    for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o666);
  }

  test('nothing is wrong with one that may be', async () => {
    await usable();
    assert.equal(await refused(OPEN), 'opened');
  });

  for (const [end, open] of [
    ['', OPEN],
    ['-wal', OPEN],
    ['-shm', OPEN],
    ['.engine', LOCK],
  ] as const) {
    test(`the file punctual.db${end}`, async () => {
      await usable();
      chmodSync(path + end, 0o444);
      const [code, message] = (await refused(open)) as [string, string];
      assert.equal(code, 'store_unusable');
      assert.match(message, /^The database .* cannot be (opened|written to): /);
      assert.ok(message.endsWith(`: this user may not write ${path}${end} (EACCES).`), message);
    });
  }

  test('the folder, with a database in it and without', async () => {
    await openSqlite(path).close();
    chmodSync(path, 0o666);
    chmodSync(folder, 0o555);
    const ends = `: this user may not write ${folder} (EACCES).`;
    const [code, message] = (await refused(OPEN)) as [string, string];
    assert.deepEqual([code, message.endsWith(ends)], ['store_unusable', true], message);
    path = join(folder, 'deeper', 'punctual.db');
    const [codeWithout, without] = (await refused(OPEN)) as [string, string];
    assert.deepEqual([codeWithout, without.endsWith(ends)], ['store_unusable', true], without);
  });

  test('a folder in the place of a file, and a file in the place of a folder', async () => {
    mkdirSync(path);
    const inTheWay = await thrownBy(() => openSqlite(path));
    assert.equal(inTheWay.message, `The database ${path} cannot be opened: ${path} is a folder.`);
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const below = await thrownBy(() => openSqlite(join(file, 'a', 'punctual.db')));
    assert.match(below.message, / cannot be opened: .*file is no folder\.$/);
    for (const { code } of [inTheWay, below]) assert.equal(code, 'store_unusable');
  });
});

test('a damaged lock names itself, and not the database', async () => {
  await openSqlite(path).close();
  writeFileSync(`${path}.engine`, 'no database'.repeat(99));
  const error = await thrownBy(() => lockSqlite(path));
  assert.equal(error.code, 'store_unusable');
  assert.equal(
    error.message,
    `The lock ${path}.engine is damaged (file is not a database): delete it while no Punctual runs on its database.`,
  );
  rmSync(`${path}.engine`);
  lockSqlite(path).release();
});
