import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { PunctualError } from '../../src/domain/errors.ts';
import { GroupCommit } from '../../src/store/sqlite/group-commit.ts';
import { GroupRead } from '../../src/store/sqlite/group-read.ts';
import { migrateSqlite, openSqlite } from '../../src/store/sqlite/open.ts';
import { sqliteSchedules } from '../../src/store/sqlite/schedules.ts';
import { aClient, aSchedule, NOON, stored } from '../support/store/backend.ts';
import { childOn, killed } from '../support/store/child.ts';
import { inOwnFolder } from '../support/store/folder.ts';

let path: string;
inOwnFolder((_folder, database) => {
  path = database;
});

/** Notes what ends and begins transactions, and fails where it is told to. */
class Watched extends DatabaseSync {
  readonly transactions: string[] = [];
  failing = '';
  override exec(sql: string): void {
    if (sql === this.failing) throw Object.assign(new Error('disk I/O error'), { errcode: 778 });
    super.exec(sql);
    if (/^(BEGIN|COMMIT)/.test(sql)) this.transactions.push(sql);
  }
}

const unavailable = { name: 'PunctualError', code: 'store_unavailable' };

describe('group commit', () => {
  let database: Watched;
  let commits: GroupCommit;
  beforeEach(() => {
    database = new Watched(path);
    database.exec('CREATE TABLE kept (value UNIQUE)');
    commits = new GroupCommit(database);
  });
  afterEach(() => database.close());
  const write = (value: unknown) =>
    commits.write(() => database.prepare('INSERT INTO kept VALUES (?)').run(`${value}`).changes);
  const kept = () =>
    database
      .prepare('SELECT value FROM kept')
      .all()
      .map(({ value }) => value);

  test('writers of one turn share one commit; those of two turns have two', async () => {
    await Promise.all(['a', 'b', 'c'].map(write));
    assert.deepEqual(database.transactions, ['BEGIN IMMEDIATE', 'COMMIT']);
    await write('d');
    assert.equal(database.transactions.length, 4);
    assert.deepEqual(kept(), ['a', 'b', 'c', 'd']);
  });

  test('each writer is answered with what its own work gave, and only after the commit', async () => {
    const answers = ['a', 'b'].map(value =>
      commits.write(() => value).then(answer => [answer, database.transactions.at(-1)]),
    );
    assert.deepEqual(await Promise.all(answers), [
      ['a', 'COMMIT'],
      ['b', 'COMMIT'],
    ]);
  });

  test("a writer that throws takes back its own changes and nobody else's", async () => {
    const why = new Error('why');
    const bad = commits.write(() => {
      database.exec("INSERT INTO kept VALUES ('bad')");
      throw why;
    });
    const all = await Promise.allSettled([write('a'), bad, write('b')]);
    assert.deepEqual(
      all.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await assert.rejects(bad, why);
    assert.deepEqual(kept(), ['a', 'b']);
    assert.equal(commits.failure, null);
  });

  test('a row that breaks a constraint is no fault of the store', async () => {
    await write('a');
    await assert.rejects(write('a'), error => !(error instanceof PunctualError));
    assert.equal(commits.failure, null);
  });

  test('a commit that fails rejects all who were in it, keeps nothing, and says so until one goes well', async () => {
    database.failing = 'COMMIT';
    const all = await Promise.allSettled(['a', 'b'].map(write));
    for (const one of all) {
      assert.equal(one.status, 'rejected');
      const { code, cause } = one.reason as PunctualError;
      assert.deepEqual(
        [code, (cause as Error).message],
        ['store_unavailable', `${database.location()}: disk I/O error`],
      );
    }
    assert.deepEqual(kept(), []);
    assert.notEqual(commits.failure, null);
    database.failing = '';
    await write('c');
    assert.deepEqual([kept(), commits.failure], [['c'], null]);
  });

  test('a database that is locked rejects the writers, and they can try again', async () => {
    const other = new DatabaseSync(path, { timeout: 0 });
    other.exec('BEGIN IMMEDIATE');
    const impatient = new DatabaseSync(path, { timeout: 0 });
    const own = new GroupCommit(impatient);
    const insert = () => own.write(() => impatient.exec("INSERT INTO kept VALUES ('a')"));
    await assert.rejects(insert(), unavailable);
    other.exec('COMMIT');
    await insert();
    assert.deepEqual(kept(), ['a']);
    other.close();
    impatient.close();
  });
});

describe('closing', () => {
  test('writes under way are finished, later ones rejected; closing again is nothing', async () => {
    const store = openSqlite(path);
    const { clientRowId } = await aClient(store);
    const schedule = aSchedule();
    const underWay = store.schedules.insert(clientRowId, [{ schedule, start: null }]);
    await store.close();
    await underWay;
    await assert.rejects(store.schedules.insert(clientRowId, []), unavailable);
    await assert.rejects(store.check(), unavailable);
    await store.close();
    const again = openSqlite(path);
    assert.ok(await again.schedules.find(clientRowId, schedule.id));
    await again.close();
  });
});

describe('a full disk', () => {
  test('a write that finds no room leaves nothing behind, reads go on, and so do writes with room again', async () => {
    const store = openSqlite(path);
    const caller = await aClient(store);
    await stored(store, caller);
    await store.close();
    const database = new DatabaseSync(path);
    migrateSqlite(database);
    const commits = new GroupCommit(database);
    const schedules = sqliteSchedules(database, commits, new GroupRead(database));
    const { page_count: pages } = database.prepare('PRAGMA page_count').get()!;
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const batch = Array.from({ length: 50 }, () => ({
      schedule: aSchedule({ label: 'x'.repeat(500) }),
      start: { first: NOON, second: null },
    }));
    const insert = () => schedules.insert(caller.clientRowId, batch);
    await assert.rejects(insert(), error => {
      const { code, cause } = error as PunctualError;
      assert.deepEqual(
        [code, (cause as Error).message],
        ['store_unavailable', `${database.location()}: database or disk is full`],
      );
      return true;
    });
    assert.notEqual(commits.failure, null);
    assert.equal((await schedules.list(caller.clientRowId, {}, 100)).schedules.length, 1);
    database.exec('PRAGMA max_page_count = 100000');
    await insert();
    assert.equal(commits.failure, null);
    assert.equal((await schedules.list(caller.clientRowId, {}, 100)).schedules.length, 51);
    assert.equal(database.prepare('PRAGMA integrity_check').get()!.integrity_check, 'ok');
    database.close();
  });

  test('a file that may not grow: writes and check say so, and both go well when it may', {
    skip: process.platform === 'win32' && 'ulimit is a POSIX shell command',
  }, async () => {
    // The log of writes grows with each; once it is taken into the database it starts anew.
    const code = `
        import { DatabaseSync } from 'node:sqlite';
        const store = openSqlite(path);
        const client = { id: 'a', name: 'x'.repeat(3_000), signingSecret: '', createdAt: 1 };
        const tried = async work => { try { await work(); return 'done'; } catch (error) { return error.code; } };
        say(await tried(() => store.check()));
        let made = 0;
        let last = 'done';
        while (last === 'done' && made < 10_000) {
          last = await tried(() => store.clients.insertClient({ ...client, id: String(made) }));
          if (last === 'done') made += 1;
        }
        say(last);
        // The check writes one page, for which there may be room where there was none for a client.
        let checked;
        for (let tries = 0; tries < 9 && checked !== 'store_unavailable'; tries += 1) {
          await tried(() => store.clients.insertClient({ ...client, id: String(made) }));
          checked = await tried(() => store.check());
        }
        say(checked);
        say((await store.clients.listClients()).length === made);
        const beside = new DatabaseSync(path);
        beside.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        beside.close();
        say(await tried(() => store.check()));
        say(await tried(() => store.clients.insertClient(client)));
        say((await store.clients.listClients()).length === made + 1);
        await store.close();`;
    const child = childOn(path, code, [], 'ulimit -f 2048');
    assert.deepEqual(await child.heardAll(), [
      'done',
      'store_unavailable',
      'store_unavailable',
      true,
      'done',
      'done',
      true,
    ]);
  });
});

describe('several processes on one database', () => {
  test('what was acknowledged is there after SIGKILL', async () => {
    const code = `
      const store = openSqlite(path);
      for (let id = 0; ; id += 1) {
        await store.clients.insertClient({ id: String(id), name: '', signingSecret: '', createdAt: 1 });
        say(id);
      }`;
    const writer = childOn(path, code);
    let last: unknown;
    for (let heard = 0; heard < 50; heard += 1) last = await writer.heard();
    await killed(writer);
    for (const value of await writer.heardAll()) last = value;
    const store = openSqlite(path);
    const ids = (await store.clients.listClients()).map(({ id }) => Number(id));
    assert.deepEqual(
      ids.slice(0, Number(last) + 1),
      Array.from({ length: Number(last) + 1 }, (_, id) => id),
    );
    assert.ok(ids.length <= Number(last) + 2, 'no more than the one that was under way');
    await store.close();
  });

  test('two that write all the time wait for each other, and neither fails', async () => {
    const store = openSqlite(path);
    const code = `
      const store = openSqlite(path);
      say('ready');
      for (let id = 0; id < 100; id += 1) {
        await store.clients.insertClient({ id: args[0] + id, name: '', signingSecret: '', createdAt: 1 });
      }
      await store.close();
      say('done');`;
    const children = ['a', 'b'].map(name => childOn(path, code, [name]));
    for (const child of children) assert.equal(await child.heard(), 'ready');
    for (let id = 0; id < 100; id += 1) {
      await store.clients.insertClient({
        id: `own${id}`,
        name: '',
        signingSecret: '',
        createdAt: 1,
      });
    }
    for (const child of children) assert.deepEqual(await child.heardAll(), ['done']);
    assert.equal((await store.clients.listClients()).length, 300);
    await store.close();
  });

  test('a key that another process revokes is refused at once', async () => {
    const store = openSqlite(path);
    const caller = await aClient(store);
    const { hash } = (await store.keys.listKeys(caller.clientId))[0]!;
    const code = `
      const store = openSqlite(path);
      const revocation = { revokedAt: 1, withDescendants: false };
      say(await store.keys.revokeKey(...args, revocation));
      await store.close();`;
    const args = [caller.clientId, caller.keyId];
    assert.deepEqual(await childOn(path, code, args).heardAll(), [[caller.keyId]]);
    assert.equal(await store.keys.findCaller(hash), null);
    await store.close();
  });
});
