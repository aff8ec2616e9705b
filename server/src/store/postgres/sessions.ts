import { SESSION_MS } from '../../domain/access/session.ts';
import { SESSION } from '../columns.ts';
import type { SessionStore } from '../contract/sessions.ts';
import { MAY_CALL } from '../rows/keys.ts';
import { foundSessionFrom } from '../rows/sessions.ts';
import type { Query, Statement } from './connection.ts';

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

export function postgresSessions(query: Query): SessionStore {
  return {
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
