import type { DatabaseSync } from 'node:sqlite';
import type { DataKeyStore } from '../contract/data-keys.ts';
import { dataKeyFrom } from '../rows/clients.ts';
import type { Row } from '../rows/row.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteDataKeys(database: DatabaseSync, commits: GroupCommit): DataKeyStore {
  const list = database.prepare('SELECT * FROM data_keys ORDER BY id');
  const insert = database.prepare(
    'INSERT INTO data_keys (id, wrapped, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const rewrap = database.prepare('UPDATE data_keys SET wrapped = ? WHERE id = ?');
  return {
    async list() {
      return (list.all() as Row[]).map(dataKeyFrom);
    },
    insert({ id, wrapped, createdAt }) {
      return commits.write(() => insert.run(id, wrapped, createdAt).changes === 1);
    },
    async rewrap(id, wrapped) {
      await commits.write(() => rewrap.run(wrapped, id));
    },
  };
}
