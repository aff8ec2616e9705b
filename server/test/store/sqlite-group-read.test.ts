import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { GroupRead } from '../../src/store/sqlite/group-read.ts';

describe('reads of one turn', () => {
  let folder: string;
  let database: DatabaseSync;
  let beside: DatabaseSync;
  let reads: GroupRead;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'punctual-'));
    const path = join(folder, 'kept.db');
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE kept (value)');
    beside = new DatabaseSync(path);
    reads = new GroupRead(database);
  });
  afterEach(() => {
    beside.close();
    if (database.isOpen) database.close();
    rmSync(folder, { recursive: true });
  });
  const count = () => database.prepare('SELECT count(*) AS count FROM kept').get()!.count;
  const write = () => beside.exec('INSERT INTO kept VALUES (1)');

  test('share one look: what is written between two of them is seen by neither', async () => {
    const seen = await Promise.all([
      reads.read(count),
      reads.read(write),
      reads.read(count),
      reads.read(() => database.isTransaction),
    ]);
    assert.deepEqual(seen, [0, undefined, 0, true]);
    assert.equal(database.isTransaction, false);
    assert.equal(await reads.read(count), 1);
  });

  test('the look begins after the last of them asked', async () => {
    const first = reads.read(count);
    write();
    assert.deepEqual(await Promise.all([first, reads.read(count)]), [1, 1]);
  });

  test('one that throws fails alone', async () => {
    const [before, failed, after] = await Promise.allSettled([
      reads.read(count),
      reads.read(() => {
        throw new Error('no such row');
      }),
      reads.read(count),
    ]);
    assert.deepEqual([before.status, after.status], ['fulfilled', 'fulfilled']);
    assert.match(String((failed as PromiseRejectedResult).reason), /no such row/);
    assert.equal(database.isTransaction, false);
  });

  test('a database that cannot be read rejects all of them, and nothing else', async () => {
    const waiting = [reads.read(count), reads.read(count)];
    database.close();
    const settled = await Promise.allSettled(waiting);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });
});
