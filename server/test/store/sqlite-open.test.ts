import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ENGINE_LEVEL } from '../../src/domain/schedule/level.ts';
import { readMigrations } from '../../src/store/migrate.ts';
import { GroupCommit } from '../../src/store/sqlite/group-commit.ts';
import { GroupRead } from '../../src/store/sqlite/group-read.ts';
import { type Boot, lockSqlite } from '../../src/store/sqlite/lock.ts';
import { migrateAt, migrateSqlite, openSqlite } from '../../src/store/sqlite/open.ts';
import { sqliteOutbox } from '../../src/store/sqlite/outbox.ts';
import { sqliteQueue } from '../../src/store/sqlite/queue.ts';
import { sqliteRuns } from '../../src/store/sqlite/runs.ts';
import { sqliteSchedules } from '../../src/store/sqlite/schedules.ts';
import { childOn, killed } from '../support/store/child.ts';
import { inOwnFolder } from '../support/store/folder.ts';
import { thrownBy } from '../support/thrown.ts';

let folder: string;
let path: string;
inOwnFolder((own, database) => {
  folder = own;
  path = database;
});

describe('opening a database', () => {
  test('makes it, with the folders above it, at the newest version', async () => {
    path = join(folder, 'a', 'b', 'punctual.db');
    await openSqlite(path).close();
    const { length } = readMigrations(
      join(import.meta.dirname, '../../src/store/sqlite/migrations'),
    );
    assert.deepEqual(migrateAt(path), { from: length, to: length });
  });

  test('needs no file for what it sorts: no folder for temporary files may be writable', {
    skip: process.platform !== 'linux',
  }, async t => {
    const exec = t.mock.method(DatabaseSync.prototype, 'exec');
    const store = openSqlite(path);
    const database = exec.mock.calls[0]!.this as DatabaseSync;
    const rows = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 400000)
      SELECT n, hex(zeroblob(200)) AS wide FROM numbers ORDER BY n DESC`;
    const sorted = database.prepare(rows).iterate();
    assert.equal(sorted.next().value!.n, 400_000);
    const open = readdirSync('/proc/self/fd').map(number => {
      try {
        return readlinkSync(`/proc/self/fd/${number}`);
      } catch {
        return '';
      }
    });
    assert.deepEqual(
      open.filter(name => name.includes('etilqs_')),
      [],
    );
    sorted.return!();
    await store.close();
  });

  test('one of a newer Punctual is refused with a sentence, and left as it is', async () => {
    const newer = new DatabaseSync(path);
    newer.exec(`
      CREATE TABLE clients (a); CREATE TABLE schedules (a); CREATE TABLE queue (a);
      PRAGMA user_version = 999`);
    const error = await thrownBy(() => openSqlite(path));
    assert.equal(error.code, 'store_newer');
    assert.match(
      error.message,
      /^The database is at version 999, and this Punctual knows versions up to \d+: start the newer Punctual that wrote it, or restore a backup\.$/,
    );
    assert.equal((await thrownBy(() => migrateAt(path))).code, 'store_newer');
    assert.equal(newer.prepare('PRAGMA user_version').get()!.user_version, 999);
    // The file is let go of: nobody else is on it.
    newer.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    newer.close();
  });

  test('what is no database, or cannot be opened, is said in a sentence', async () => {
    writeFileSync(
      path,
      'This is a text, and long enough to be taken for a page of something.'.repeat(99),
    );
    const inTheWay = join(path, 'punctual.db');
    mkdirSync(join(folder, 'folder'));
    for (const wrong of [path, inTheWay, join(folder, 'folder')]) {
      for (const open of [openSqlite, migrateAt]) {
        const error = await thrownBy(() => open(wrong));
        assert.equal(error.code, 'store_unusable');
        assert.match(error.message, /^The database .* cannot be opened: .*\.$/);
      }
    }
  });
});

describe('one engine on one database', () => {
  test('a second one is refused with a sentence, in the same process', async () => {
    const lock = lockSqlite(path);
    const error = await thrownBy(() => lockSqlite(path));
    assert.equal(error.code, 'store_in_use');
    assert.match(
      error.message,
      /^Another Punctual is already running on the database .*: stop it first, or give this one another DATABASE_URL\.$/,
    );
    lock.release();
    lock.release();
    lockSqlite(path).release();
  });

  test('and in another process, until that one ends, even by SIGKILL', async () => {
    // Whoever locks need not keep what they got: the garbage collector does not end a lock.
    const holder = childOn(
      path,
      `import { setFlagsFromString } from 'node:v8';
       import { runInNewContext } from 'node:vm';
       setFlagsFromString('--expose-gc');
       lockSqlite(path);
       await new Promise(setImmediate);
       runInNewContext('gc')();
       await new Promise(setImmediate);
       say("locked");
       process.stdin.resume();`,
    );
    assert.equal(await holder.heard(), 'locked');
    assert.equal((await thrownBy(() => lockSqlite(path))).code, 'store_in_use');
    await killed(holder);
    lockSqlite(path).release();
  });

  test('beside it the database can be used: the command line needs no lock', async () => {
    const lock = lockSqlite(path);
    const store = openSqlite(path);
    await store.clients.insertClient({ id: 'a', name: '', signingSecret: '', createdAt: 1 });
    await store.close();
    lock.release();
  });

  describe('says until when the engine before may have sent', () => {
    const boot = { at: 0, id: 7 };
    const markedAt = Date.parse('2026-03-01T12:00:00.000Z');
    /** As the next engine hears it. */
    const heard = (next: Boot = boot) => {
      const lock = lockSqlite(path, next);
      lock.release();
      return lock.sentUntil;
    };
    const marked = (at = markedAt) => {
      heard();
      const lock = lockSqlite(path, boot);
      lock.noteSentUntil(at);
      lock.release();
    };

    test('to the millisecond, again and again', () => {
      for (let ms = 0; ms < 1_000; ms += 37) {
        marked(markedAt + ms);
        assert.deepEqual([heard(), heard()], [markedAt + ms, markedAt + ms]);
      }
    });

    test('also of one that was killed, and where somebody only looked at the database since', async () => {
      heard();
      const code = `lockSqlite(path, { at: 0, id: 7 }).noteSentUntil(${markedAt}); say("marked"); process.stdin.resume();`;
      const holder = childOn(path, code);
      assert.equal(await holder.heard(), 'marked');
      await killed(holder);
      lockSqlite(path).release();
      assert.equal(heard(), markedAt);
    });

    test('and nothing where the machine was started since, or it is another machine', () => {
      for (const other of [
        { ...boot, id: 8 },
        { ...boot, id: -8 },
        { ...boot, at: markedAt },
      ]) {
        marked();
        assert.equal(heard(other), null);
      }
      marked();
      assert.equal(heard({ ...boot, at: markedAt - 1 }), markedAt);
    });

    test('nor at the first start, nor where the file is gone', () => {
      assert.equal(heard({ at: 0, id: 0 }), null);
      const lock = lockSqlite(path, boot);
      rmSync(`${path}.engine`);
      lock.noteSentUntil(markedAt);
      lock.release();
      assert.equal(heard(), null);
    });
  });

  test('another database has another lock', () => {
    const locks = [lockSqlite(path), lockSqlite(`${path}2`)];
    for (const lock of locks) lock.release();
  });

  test('a folder that cannot be used is not taken for another engine', async () => {
    writeFileSync(path, '');
    const error = await thrownBy(() => lockSqlite(join(path, 'punctual.db')));
    assert.equal(error.code, 'store_unusable');
    writeFileSync(`${path}.engine`, 'no database'.repeat(99));
    assert.equal((await thrownBy(() => lockSqlite(path))).code, 'store_unusable');
  });
});

describe('migrations', () => {
  const first = {
    number: 1,
    name: '0001',
    sql: 'CREATE TABLE a (x); INSERT INTO a VALUES (1)',
    worksWith: 1,
  };
  const second = {
    number: 2,
    name: '0002',
    sql: 'UPDATE a SET x = x + 1; CREATE TABLE b (y)',
    worksWith: 1,
  };
  const broken = { number: 3, name: '0003', sql: 'DROP TABLE a; CREATE TABLE b (y)', worksWith: 1 };
  const x = (database: DatabaseSync) => database.prepare('SELECT x FROM a').get()!.x;

  test('each is applied once, in order, from whatever version there is', () => {
    const database = new DatabaseSync(path);
    assert.equal(migrateSqlite(database, [first]), 0);
    assert.equal(migrateSqlite(database, [first, second]), 1);
    assert.equal(migrateSqlite(database, [first, second]), 2);
    assert.equal(x(database), 2);
    database.close();
  });

  test('one that fails leaves the database at the version before, with all that was in it', () => {
    const database = new DatabaseSync(path);
    migrateSqlite(database, [first]);
    assert.throws(() => migrateSqlite(database, [first, second, broken]), /already exists/);
    assert.equal(x(database), 1);
    assert.equal(migrateSqlite(database, [first, second]), 1);
    assert.equal(x(database), 2);
    database.close();
  });

  test('a number is never left out, nor given twice', () => {
    for (const name of ['0001-a.sql', '0003-b.sql']) writeFileSync(join(folder, name), '');
    assert.throws(() => readMigrations(folder), /0003-b\.sql/);
  });

  test('processes that open a new database at the same moment migrate it once, and all go on', async () => {
    for (let round = 0; round < 2; round += 1) {
      const database = join(folder, `new-${round}`, 'punctual.db');
      const open = `
        say('ready');
        process.stdin.once('data', async () => {
          const store = openSqlite(path);
          await store.clients.insertClient({ id: args[0], name: '', signingSecret: '', createdAt: 1 });
          await store.close();
          say('done');
          process.exit();
        });`;
      const children = [1, 2, 3, 4, 5].map(id => childOn(database, open, [`${id}`]));
      for (const child of children) assert.equal(await child.heard(), 'ready');
      for (const child of children) child.process.stdin!.write('go\n');
      for (const child of children) assert.deepEqual(await child.heardAll(), ['done']);
      const store = openSqlite(database);
      assert.equal((await store.clients.listClients()).length, 5);
      await store.close();
    }
  });

  test('a process that meets another one in the middle of it waits', async () => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const open = "say('opening'); await openSqlite(path).close(); say('opened');";
    const child = childOn(path, open);
    assert.equal(await child.heard(), 'opening');
    // Nothing tells that it waits: SQLite refuses it without waiting, in less than a millisecond.
    await setTimeout(50);
    other.exec('COMMIT');
    other.close();
    assert.equal(await child.heard(), 'opened');
  });

  test('all of them together make the schema that is kept in test/data', () => {
    const database = new DatabaseSync(path);
    migrateSqlite(database);
    const rows = database
      .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name')
      .all();
    database.close();
    const dump = rows.map(({ sql }) => `${sql};\n`).join('\n');
    const file = join(import.meta.dirname, '../data/schema.sql');
    // After a migration on purpose: PUNCTUAL_WRITE_SCHEMA=1 node --test <this file>
    if (process.env.PUNCTUAL_WRITE_SCHEMA || !existsSync(file)) writeFileSync(file, dump);
    assert.equal(dump, readFileSync(file, 'utf8'));
  });
});

describe('what is asked all the time', () => {
  test('never reads a whole table, nor all that a client has to find a few', () => {
    const asked: string[] = [];
    class Listening extends DatabaseSync {
      override prepare(sql: string): StatementSync {
        asked.push(sql);
        return super.prepare(sql);
      }
    }
    const database = new Listening(path);
    migrateSqlite(database);
    const commits = new GroupCommit(database);
    const plansOf = (make: () => unknown): string[] => {
      asked.length = 0;
      make();
      return [...asked].flatMap(sql =>
        database
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all()
          .map(({ detail }) => String(detail)),
      );
    };
    const plans = [
      () => sqliteSchedules(database, commits, new GroupRead(database)),
      () => sqliteQueue(database, commits, ENGINE_LEVEL),
      () => sqliteOutbox(database, commits),
    ].flatMap(plansOf);
    const history = plansOf(() => sqliteRuns(database, commits, new GroupRead(database)));
    // An index on a part of a table is as short as that part.
    const ofPart =
      /INDEX (queue_due|queue_in_flight|queue_retrying|outbox_due|outbox_in_flight|outbox_manual|outbox_asked_for|outbox_further|outbox_awaiting|queue_awaiting)\b/;
    const scans = [...plans, ...history].filter(
      step => /^SCAN (queue|schedules|runs|outbox)/.test(step) && !ofPart.test(step),
    );
    assert.deepEqual(scans, []);
    for (const index of [
      'runs_by_status',
      'queue_in_flight',
      'queue_retrying',
      'outbox_manual',
      'outbox_asked_for',
      'outbox_further',
      'outbox_by_run',
    ]) {
      assert.ok(
        history.some(step => step.includes(`INDEX ${index}`)),
        index,
      );
    }
    database.close();
  });
});
