import { DATA_KEY } from '../columns.ts';
import type { DataKeyStore } from '../contract/data-keys.ts';
import type { Query } from './connection.ts';

const list = 'SELECT * FROM data_keys ORDER BY id';
const insert = `
  INSERT INTO data_keys (${DATA_KEY.list()}) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING RETURNING 1`;
const rewrap = 'UPDATE data_keys SET wrapped = $1 WHERE id = $2';

export function postgresDataKeys(query: Query): DataKeyStore {
  return {
    async list() {
      return (await query(list)).map(DATA_KEY.fromRow);
    },
    async insert(key) {
      return (await query(insert, DATA_KEY.cells(key))).length === 1;
    },
    async rewrap(id, wrapped) {
      await query(rewrap, [wrapped, id]);
    },
  };
}
