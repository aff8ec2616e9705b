import { SESSION_MS } from '../../domain/access/session.ts';
import { SESSION } from '../columns.ts';
import type { ClientStore } from '../contract/clients.ts';
import { callerFrom, clientFrom, foundSessionFrom, keyFrom } from '../rows/clients.ts';
import type { Connections, Statement, Value } from './connection.ts';
import type { Notifier } from './notifier.ts';

/** One that is resumed may call at once, while what was put off comes back. */
const MAY_CALL = '(clients.suspended_at IS NULL OR clients.resumed_at IS NOT NULL)';

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
  WHERE id = $1 AND deleted_at IS NULL AND ($5::boolean OR old_secret_until IS NULL OR old_secret_until <= $3)
  RETURNING client_key`;
const endOverlap = `
  UPDATE clients SET old_secret = NULL, old_secret_until = NULL
  WHERE id = $1 AND old_secret_until IS NOT NULL
  RETURNING client_key`;
const forgetOldSecrets = `
  UPDATE clients SET old_secret = NULL, old_secret_until = NULL WHERE old_secret_until <= $1`;
const beginOverlaps = `
  UPDATE clients SET old_secret_until = old_secret_until - rotated_at + $1::bigint, rotated_at = $1
  WHERE old_secret_until > $1 AND rotated_at > $1
  RETURNING client_key`;
/**
 * Keys of one client are made and revoked one after the other. Each statement behind this one sees what the
 * one before has done: without it a key could be made by a key that is being revoked.
 */
const lockKeys = 'SELECT 1 FROM clients WHERE id = $1 FOR NO KEY UPDATE';
const rename = 'UPDATE clients SET name = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING 1';
const suspend = `
  UPDATE clients SET suspended_at = coalesce(suspended_at, $2), resumed_at = NULL
  WHERE id = $1 AND deleted_at IS NULL RETURNING 1`;
const resume = `
  UPDATE clients SET resumed_at = $2
  WHERE id = $1 AND deleted_at IS NULL AND suspended_at IS NOT NULL AND resumed_at IS NULL
  RETURNING 1`;
const remove = `
  UPDATE clients SET deleted_at = coalesce(deleted_at, $2::bigint),
    suspended_at = coalesce(suspended_at, $2), resumed_at = NULL,
    signing_secret = '', old_secret = NULL, old_secret_until = NULL
  WHERE id = $1 RETURNING client_key`;
const revokeKeys = `
  UPDATE api_keys SET revoked_at = $1 WHERE client_key = $2 AND revoked_at IS NULL`;
const endCallbacks = `
  UPDATE outbox SET state = 'failed', body = NULL
  WHERE client_key = $1 AND kind = 'callback' AND state = 'waiting'`;
const replaceSecret = `
  UPDATE clients SET
    signing_secret = CASE WHEN signing_secret = $2 THEN $3 ELSE signing_secret END,
    old_secret = CASE WHEN old_secret = $2 THEN $3 ELSE old_secret END
  WHERE id = $1 AND (signing_secret = $2 OR old_secret = $2) RETURNING 1`;
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
const insertSession = `
  WITH gone AS (DELETE FROM sessions WHERE expires_at < $5)
  INSERT INTO sessions (hash, key_id, expires_at, id, created_at, last_used_at)
  SELECT $1, id, $3, $4, $5, $6 FROM api_keys WHERE id = $2 AND revoked_at IS NULL
  RETURNING 1`;
const findSession: Statement = {
  name: 'find_session',
  text: `
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key,
      sessions.id AS session_id, sessions.created_at, sessions.last_used_at
    FROM sessions JOIN api_keys ON api_keys.id = sessions.key_id JOIN clients USING (client_key)
    WHERE sessions.hash = $1 AND sessions.id IS NOT NULL AND api_keys.revoked_at IS NULL
      AND ${MAY_CALL}`,
};
const noteSessionUse = 'UPDATE sessions SET last_used_at = $2 WHERE hash = $1';
const listSessions = `
  SELECT sessions.id, sessions.hash, sessions.key_id, sessions.created_at, sessions.last_used_at
  FROM clients JOIN api_keys USING (client_key) JOIN sessions ON sessions.key_id = api_keys.id
  WHERE clients.id = $1 AND sessions.id IS NOT NULL AND api_keys.revoked_at IS NULL
  ORDER BY sessions.id DESC LIMIT $2`;
const endSessions = `
  DELETE FROM sessions
  WHERE key_id IN (
      SELECT api_keys.id FROM clients JOIN api_keys USING (client_key) WHERE clients.id = $1)
    AND ($2::text IS NULL OR id = $2)
  RETURNING hash`;

export function postgresClients(
  { query, transaction }: Pick<Connections, 'query' | 'transaction'>,
  notifier: Notifier,
): ClientStore {
  /** @returns whether there was such a client */
  async function changeSecrets(statement: string, values: Value[]): Promise<boolean> {
    const [client] = await query(statement, values);
    if (client !== undefined) notifier.rotated(client.client_key as number);
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
      const begun = await query(beginOverlaps, [now]);
      for (const { client_key } of begun) notifier.rotated(client_key as number);
    },
    async rename(clientId, name) {
      return (await query(rename, [clientId, name])).length === 1;
    },
    async suspend(clientId, now) {
      return (await query(suspend, [clientId, now])).length === 1;
    },
    async resume(clientId, now) {
      return (await query(resume, [clientId, now])).length === 1;
    },
    delete(clientId, now) {
      return transaction(async send => {
        const [row] = await send(remove, [clientId, now]);
        if (row === undefined) return null;
        const key = row.client_key as number;
        await send(endSessions, [clientId, null]);
        await send(revokeKeys, [now, key]);
        await send(endCallbacks, [key]);
        return key;
      });
    },
    async replaceSecret(clientId, from, to) {
      return (await query(replaceSecret, [clientId, from, to])).length === 1;
    },
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
    async insertSession({ id, hash, keyId, createdAt, lastUsedAt }) {
      const values = [hash, keyId, createdAt + SESSION_MS, id, createdAt, lastUsedAt];
      return (await query(insertSession, values)).length === 1;
    },
    async findSession(hash) {
      const [row] = await query(findSession, [hash]);
      return row ? foundSessionFrom(row) : null;
    },
    async noteSessionUse(hash, usedAt) {
      await query(noteSessionUse, [hash, usedAt]);
    },
    async listSessions(clientId, limit) {
      return (await query(listSessions, [clientId, limit])).map(SESSION.fromRow);
    },
    async endSessions(clientId, id) {
      const ended = await query(endSessions, [clientId, id ?? null]);
      return ended.map(row => row.hash as string);
    },
  };
}
