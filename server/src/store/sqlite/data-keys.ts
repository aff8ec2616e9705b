import type { DatabaseSync } from 'node:sqlite';
import { DATA_KEY, type Row } from '../columns.ts';
import type { DataKeyStore } from '../contract/data-keys.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteDataKeys(database: DatabaseSync, commits: GroupCommit): DataKeyStore {
  const list = database.prepare('SELECT * FROM data_keys ORDER BY id');
  const insert = database.prepare(
    `INSERT INTO data_keys (${DATA_KEY.list()}) VALUES (${DATA_KEY.marks()}) ON CONFLICT DO NOTHING`,
  );
  const rewrap = database.prepare('UPDATE data_keys SET wrapped = ? WHERE id = ?');
  return {
    async list() {
      return (list.all() as Row[]).map(DATA_KEY.fromRow);
    },
    insert(key) {
      return commits.write(() => insert.run(...DATA_KEY.cells(key)).changes === 1);
    },
    async rewrap(id, wrapped) {
      await commits.write(() => rewrap.run(wrapped, id));
    },
  };
}
