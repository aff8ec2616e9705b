import type { KeyStore } from '../contract/keys.ts';
import { callerFrom, keyFrom, MAY_CALL } from '../rows/keys.ts';
import type { Connections, Statement } from './connection.ts';

/**
 * Keys of one client are made and revoked one after the other. Each statement behind this one sees what the
 * one before has done: without it a key could be made by a key that is being revoked.
 */
const lockKeys = 'SELECT 1 FROM clients WHERE id = $1 FOR NO KEY UPDATE';
const insertKey = `
  INSERT INTO api_keys (id, client_key, hash, name, created_at, created_by)
  SELECT $1, client_key, $2, $3, $4, $6 FROM clients
  WHERE id = $5 AND deleted_at IS NULL AND ($6::text IS NULL OR EXISTS (
    SELECT 1 FROM api_keys AS maker
    WHERE maker.id = $6 AND maker.client_key = clients.client_key AND maker.revoked_at IS NULL))
  RETURNING 1`;
const listKeys = `
  SELECT api_keys.*, clients.id AS client_id FROM api_keys JOIN clients USING (client_key)
  WHERE clients.id = $1 ORDER BY api_keys.id`;
const findKey = `
  SELECT api_keys.*, clients.id AS client_id FROM api_keys JOIN clients USING (client_key)
  WHERE api_keys.id = $1`;
const revokeKey = `
  WITH RECURSIVE revoked (id) AS (
    SELECT api_keys.id FROM api_keys JOIN clients USING (client_key)
    WHERE api_keys.id = $2 AND clients.id = $1
    UNION
    SELECT made.id FROM revoked JOIN api_keys AS made ON made.created_by = revoked.id
    WHERE $4::boolean)
  UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3)
  WHERE id IN (SELECT id FROM revoked)
  RETURNING id`;
const findCaller: Statement = {
  name: 'find_caller',
  text: `
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key
    FROM api_keys JOIN clients USING (client_key)
    WHERE api_keys.hash = $1 AND api_keys.revoked_at IS NULL AND ${MAY_CALL}`,
};

export function postgresKeys({
  query,
  transaction,
}: Pick<Connections, 'query' | 'transaction'>): KeyStore {
  return {
    async insertKey({ id, clientId, hash, name = '', createdAt, createdBy = null }) {
      const values = [id, hash, name, createdAt, clientId, createdBy];
      const made = await transaction(async send => {
        await send(lockKeys, [clientId]);
        return send(insertKey, values);
      });
      return made.length === 1;
    },
    async listKeys(clientId) {
      return (await query(listKeys, [clientId])).map(keyFrom);
    },
    async findKey(keyId) {
      const [row] = await query(findKey, [keyId]);
      return row ? keyFrom(row) : null;
    },
    async revokeKey(clientId, keyId, { revokedAt, withDescendants }) {
      const values = [clientId, keyId, revokedAt, String(withDescendants)];
      const revoked = await transaction(async send => {
        await send(lockKeys, [clientId]);
        return send(revokeKey, values);
      });
      return revoked.map(row => row.id as string);
    },
    async findCaller(keyHash) {
      const [row] = await query(findCaller, [keyHash]);
      return row ? callerFrom(row) : null;
    },
  };
}
