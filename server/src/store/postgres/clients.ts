import { callerFrom, clientFrom, keyFrom } from '../client-rows.ts';
import type { ClientStore } from '../store.ts';
import type { Query, Statement } from './connection.ts';

const insertClient = `
  INSERT INTO clients (id, name, signing_secret, created_at) VALUES ($1, $2, $3, $4)`;
const listClients = 'SELECT * FROM clients ORDER BY client_key';
const findClient = 'SELECT * FROM clients WHERE id = $1';
const insertKey = `
  INSERT INTO api_keys (id, client_key, hash, name, created_at)
  SELECT $1, client_key, $2, $3, $4 FROM clients WHERE id = $5 RETURNING 1`;
const listKeys = `
  SELECT api_keys.*, clients.id AS client_id FROM api_keys JOIN clients USING (client_key)
  WHERE clients.id = $1 ORDER BY api_keys.id`;
const revokeKey = `
  UPDATE api_keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2 RETURNING 1`;
const findCaller: Statement = {
  name: 'find_caller',
  text: `
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key
    FROM api_keys JOIN clients USING (client_key)
    WHERE api_keys.hash = $1 AND api_keys.revoked_at IS NULL`,
};
const insertSession = `
  WITH gone AS (DELETE FROM sessions WHERE expires_at < $4)
  INSERT INTO sessions (hash, key_id, expires_at)
  SELECT $1, id, $2 FROM api_keys WHERE id = $3 RETURNING 1`;
const findSession: Statement = {
  name: 'find_session',
  text: `
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key
    FROM sessions JOIN api_keys ON api_keys.id = sessions.key_id JOIN clients USING (client_key)
    WHERE sessions.hash = $1 AND sessions.expires_at >= $2 AND api_keys.revoked_at IS NULL`,
};
const deleteSession = 'DELETE FROM sessions WHERE hash = $1 RETURNING 1';

export function postgresClients(query: Query): ClientStore {
  return {
    async insertClient({ id, name, signingSecret, createdAt }) {
      await query(insertClient, [id, name, signingSecret, createdAt]);
    },
    async listClients() {
      return (await query(listClients)).map(clientFrom);
    },
    async findClient(id) {
      const [row] = await query(findClient, [id]);
      return row ? clientFrom(row) : null;
    },
    async insertKey({ id, clientId, hash, name = '', createdAt }) {
      return (await query(insertKey, [id, hash, name, createdAt, clientId])).length === 1;
    },
    async listKeys(clientId) {
      return (await query(listKeys, [clientId])).map(keyFrom);
    },
    async revokeKey(keyId, revokedAt) {
      return (await query(revokeKey, [revokedAt, keyId])).length === 1;
    },
    async findCaller(keyHash) {
      const [row] = await query(findCaller, [keyHash]);
      return row ? callerFrom(row) : null;
    },
    async insertSession({ hash, keyId, expiresAt }, now) {
      return (await query(insertSession, [hash, expiresAt, keyId, now])).length === 1;
    },
    async findSession(hash, now) {
      const [row] = await query(findSession, [hash, now]);
      return row ? callerFrom(row) : null;
    },
    async deleteSession(hash) {
      return (await query(deleteSession, [hash])).length === 1;
    },
  };
}
