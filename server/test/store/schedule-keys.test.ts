import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, test } from 'node:test';
import { ScheduleKeys } from '../../src/store/sqlite/schedule-keys.ts';

const BLOCK = 1_024;

describe('keys of schedules', () => {
  let database: DatabaseSync;
  let keys: ScheduleKeys;

  beforeEach(() => {
    database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE schedules (schedule_key INTEGER PRIMARY KEY)');
    keys = new ScheduleKeys(database);
  });

  function insert(interval: string, timezone = 'UTC'): number {
    const key = keys.next(interval, timezone);
    database.prepare('INSERT INTO schedules VALUES (?)').run(key);
    return key;
  }

  test('those of one interval and zone are neighbours, in whatever order they come', () => {
    const [a, b, c] = [insert('* * * * *'), insert('0 * * * *'), insert('* * * * *', 'Asia/Tokyo')];
    assert.equal(insert('* * * * *'), a + 1);
    assert.equal(insert('0 * * * *'), b + 1);
    assert.equal(insert('* * * * *', 'Asia/Tokyo'), c + 1);
    assert.equal(insert('* * * * *'), a + 2);
  });

  test('one interval with many schedules goes on behind what others have', () => {
    const all = Array.from({ length: 3 * BLOCK }, (_, at) => insert(at % 3 ? 'often' : 'seldom'));
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.every(key => key > 0));
  });

  test('after a restart no key is used twice', () => {
    const before = [insert('a'), insert('b')];
    keys = new ScheduleKeys(database);
    const after = [insert('a'), insert('b'), insert('c')];
    assert.equal(new Set([...before, ...after]).size, 5);
    assert.ok(Math.min(...after) > Math.max(...before));
  });

  test('what a transaction took that failed is not given to another interval', () => {
    database.exec('BEGIN');
    const failed = insert('a');
    database.exec('ROLLBACK');
    assert.notEqual(Math.floor(insert('b') / BLOCK), Math.floor(failed / BLOCK));
    assert.equal(insert('a'), failed + 1);
  });

  test('it goes on behind keys that were given before there were blocks', () => {
    database.exec('INSERT INTO schedules VALUES (1), (5000)');
    assert.ok(insert('a') > 5_000);
  });
});
