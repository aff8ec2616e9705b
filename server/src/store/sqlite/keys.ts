import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import type { KeyStore } from '../contract/keys.ts';
import { callerFrom, keyFrom, MAY_CALL } from '../rows/keys.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteKeys(database: DatabaseSync, commits: GroupCommit): KeyStore {
  const insertKey = database.prepare(`
    INSERT INTO api_keys (id, client_key, hash, name, created_at, created_by)
    SELECT :id, client_key, :hash, :name, :createdAt, :createdBy FROM clients
    WHERE id = :clientId AND deleted_at IS NULL AND (:createdBy IS NULL OR EXISTS (
      SELECT 1 FROM api_keys AS maker
      WHERE maker.id = :createdBy AND maker.client_key = clients.client_key
        AND maker.revoked_at IS NULL))`);
  const listKeys = database.prepare(`
    SELECT api_keys.*, clients.id AS client_id FROM api_keys JOIN clients USING (client_key)
    WHERE clients.id = ? ORDER BY api_keys.id`);
  const findKey = database.prepare(`
    SELECT api_keys.*, clients.id AS client_id FROM api_keys JOIN clients USING (client_key)
    WHERE api_keys.id = ?`);
  const revokeKey = database.prepare(`
    WITH RECURSIVE revoked (id) AS (
      SELECT api_keys.id FROM api_keys JOIN clients USING (client_key)
      WHERE api_keys.id = :keyId AND clients.id = :clientId
      UNION
      SELECT made.id FROM revoked JOIN api_keys AS made ON made.created_by = revoked.id
      WHERE :withDescendants)
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, :revokedAt)
    WHERE id IN (SELECT id FROM revoked)
    RETURNING id`);
  const findCaller = database.prepare(`
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key
    FROM api_keys JOIN clients USING (client_key)
    WHERE api_keys.hash = ? AND api_keys.revoked_at IS NULL AND ${MAY_CALL}`);

  return {
    insertKey({ id, clientId, hash, name = '', createdAt, createdBy = null }) {
      const values = { id, clientId, hash, name, createdAt, createdBy };
      return commits.write(() => insertKey.run(values).changes === 1);
    },
    async listKeys(clientId) {
      return (listKeys.all(clientId) as Row[]).map(keyFrom);
    },
    async findKey(keyId) {
      const row = findKey.get(keyId) as Row | undefined;
      return row ? keyFrom(row) : null;
    },
    revokeKey(clientId, keyId, { revokedAt, withDescendants }) {
      const values = { clientId, keyId, revokedAt, withDescendants: Number(withDescendants) };
      return commits.write(() => (revokeKey.all(values) as Row[]).map(row => row.id as string));
    },
    async findCaller(keyHash) {
      const row = findCaller.get(keyHash) as Row | undefined;
      return row ? callerFrom(row) : null;
    },
  };
}
