import { callerFrom, clientFrom, keyFrom } from '../client-rows.ts';
import type { ClientStore } from '../store.ts';
import type { Announcer } from './announcer.ts';
import type { Query, Statement, Value } from './connection.ts';

const insertClient = `
  INSERT INTO clients (id, name, signing_secret, created_at) VALUES ($1, $2, $3, $4)`;
const listClients = 'SELECT * FROM clients ORDER BY client_key';
const findClient = 'SELECT * FROM clients WHERE id = $1';
const rotateSecret = `
  UPDATE clients SET signing_secret = $2, rotated_at = $3::bigint,
    old_secret = CASE
      WHEN $4::bigint <= $3 THEN NULL
      WHEN old_secret_until > $3 THEN old_secret
      ELSE signing_secret END,
    old_secret_until = CASE WHEN $4 > $3 THEN $4 END
  WHERE id = $1 AND ($5::boolean OR old_secret_until IS NULL OR old_secret_until <= $3)
  RETURNING client_key`;
const endOverlap = `
  UPDATE clients SET old_secret = NULL, old_secret_until = NULL
  WHERE id = $1 AND old_secret_until IS NOT NULL
  RETURNING client_key`;
const forgetOldSecrets = `
  UPDATE clients SET old_secret = NULL, old_secret_until = NULL WHERE old_secret_until <= $1`;
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

export function postgresClients(query: Query, announcer: Announcer): ClientStore {
  /** @returns whether there was such a client */
  async function changeSecrets(statement: string, values: Value[]): Promise<boolean> {
    const [client] = await query(statement, values);
    if (client !== undefined) announcer.rotated(client.client_key as number);
    return client !== undefined;
  }

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
    rotateSecret(clientId, { signingSecret, rotatedAt, oldUntil, replacesNew }) {
      const values = [clientId, signingSecret, rotatedAt, oldUntil, String(replacesNew)];
      return changeSecrets(rotateSecret, values);
    },
    endOverlap: clientId => changeSecrets(endOverlap, [clientId]),
    async forgetOldSecrets(now) {
      await query(forgetOldSecrets, [now]);
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
