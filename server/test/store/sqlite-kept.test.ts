import assert from 'node:assert/strict';
import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { judgeLoss } from '../../src/findings.ts';
import type { Loss } from '../../src/store/contract/installation.ts';
import { backUp } from '../../src/store/sqlite/backup.ts';
import { GroupCommit } from '../../src/store/sqlite/group-commit.ts';
import { sqliteKeptMark } from '../../src/store/sqlite/kept-mark.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { childOn } from '../support/store/child.ts';
import { inOwnFolder } from '../support/store/folder.ts';

/** A store that has lost what it acknowledged says so; one that has lost nothing never does. */

let folder: string;
let path: string;
inOwnFolder((own, database) => {
  folder = own;
  path = database;
});

/** An engine that makes a client and is killed; the process that killed it left its files as they were. */
async function killedEngine(more = ''): Promise<void> {
  const code = `
    const store = openSqlite(path);
    await store.installation.beginKeeping(Date.now());
    await store.clients.insertClient({ id: crypto.randomUUID(), name: '', signingSecret: '', createdAt: 1 });
    ${more}
    process.kill(process.pid, 'SIGKILL');`;
  await childOn(path, code).heardAll();
}

/** The loss as doctor sees it, as the next start does, as doctor does after it, and as the start after that. */
async function told(): Promise<(Loss | null)[]> {
  const losses: (Loss | null)[] = [];
  for (const ask of ['lastLoss', 'beginKeeping', 'lastLoss', 'beginKeeping'] as const) {
    const store = openSqlite(path);
    losses.push(await store.installation[ask](Date.now()));
    await store.close();
  }
  return losses;
}
const NOTHING = [null, null, null, null];
const keptUntil = () => Number(readFileSync(`${path}.kept`, 'utf8').split(' ')[0]);

describe('a loss is told of', () => {
  test('where the -wal of a new store is gone', async () => {
    await killedEngine();
    const loss = { since: null, until: keptUntil() };
    rmSync(`${path}-wal`);
    assert.deepEqual(await told(), [loss, loss, loss, null]);
  });

  test('where the -wal of a store with data is gone: from where the database ends', async () => {
    const store = openSqlite(path);
    await store.installation.beginKeeping(Date.now());
    await store.close();
    const since = keptUntil();
    await killedEngine();
    const until = keptUntil();
    assert.ok(until > since);
    rmSync(`${path}-wal`);
    assert.deepEqual((await told())[1], { since, until });
  });

  test('where it is cut', async () => {
    await killedEngine();
    truncateSync(`${path}-wal`, statSync(`${path}-wal`).size / 2);
    assert.ok((await told())[1]);
  });

  test('where an older copy was put into the same file', async () => {
    await openSqlite(path).close();
    copyFileSync(path, join(folder, 'older'));
    await openAndClose();
    copyFileSync(join(folder, 'older'), path);
    assert.ok((await told())[1]);
  });

  test('in a sentence', () => {
    assert.deepEqual(judgeLoss({ since: 1_000, until: 2_000 }), {
      check: 'loss',
      state: 'problem',
      sentence:
        'The store lost what was acknowledged until 1970-01-01T00:00:02.000Z, and goes on from ' +
        '1970-01-01T00:00:01.000Z. Its -wal was gone or cut, or an older copy was in its place.',
    });
  });
});

async function openAndClose(): Promise<void> {
  const store = openSqlite(path);
  await store.installation.beginKeeping(Date.now());
  await store.close();
}

describe('no loss is told of', () => {
  test('after a plain kill, also where somebody looked at the database in between', async () => {
    await killedEngine();
    assert.deepEqual(await told(), NOTHING);
    await killedEngine();
    await openSqlite(path).close();
    assert.deepEqual(await told(), NOTHING);
  });

  test('after a clean end', async () => {
    await openAndClose();
    assert.deepEqual(await told(), NOTHING);
  });

  test('of a backup, in a new file or in the same one, nor of any copy in a new file', async () => {
    await openAndClose();
    const copy = join(folder, 'copy.db');
    backUp(path, copy);
    copyFileSync(path, join(folder, 'plain.db'));
    await killedEngine();
    for (const end of ['-wal', '-shm']) rmSync(path + end);
    copyFileSync(copy, path);
    assert.deepEqual(await told(), NOTHING);
    renameSync(join(folder, 'plain.db'), path);
    assert.deepEqual(await told(), NOTHING);
  });

  test('of a mark that is gone, cut, or cannot be written', async () => {
    for (const spoil of [
      () => rmSync(`${path}.kept`),
      () => writeFileSync(`${path}.kept`, ''),
      () => writeFileSync(`${path}.kept`, '99999999999999'),
    ]) {
      await openAndClose();
      spoil();
      assert.deepEqual(await told(), NOTHING);
    }
  });

  test('of a commit that failed: the mark never goes ahead of the database', async t => {
    await openSqlite(path).close();
    let isFailing = false;
    class Failing extends DatabaseSync {
      override exec(sql: string): void {
        if (isFailing && sql === 'COMMIT') throw new Error('disk I/O error');
        super.exec(sql);
      }
    }
    const database = new Failing(path);
    const commits = new GroupCommit(database);
    let now = performance.now();
    t.mock.method(performance, 'now', () => now);
    await sqliteKeptMark(database, commits).beginKeeping(Date.now());
    const before = keptUntil();
    now += 2_000;
    isFailing = true;
    await assert.rejects(commits.write(() => {}));
    isFailing = false;
    await commits.write(() => {});
    assert.equal(keptUntil(), before);
    database.close();
    assert.deepEqual(await told(), NOTHING);
  });
});

test('writes that come together are marked a second later, by one commit', async () => {
  await openAndClose();
  const before = keptUntil();
  const code = `
    const { existsSync, readFileSync, statSync } = await import('node:fs');
    const store = openSqlite(path);
    await store.installation.beginKeeping(Date.now());
    const mark = () => readFileSync(path + '.kept', 'utf8');
    const first = mark();
    for (let count = 0; count < 5; count += 1) await store.installation.pause(count);
    say(mark() === first);
    while (mark() === first) await new Promise(resolve => setTimeout(resolve, 20));
    const size = statSync(path + '-wal').size;
    await new Promise(resolve => setTimeout(resolve, 1_500));
    say(statSync(path + '-wal').size === size);
    process.exit();`;
  assert.deepEqual(await childOn(path, code).heardAll(), [true, true]);
  assert.ok(keptUntil() > before);
});
