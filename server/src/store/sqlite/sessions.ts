import type { DatabaseSync } from 'node:sqlite';
import { SESSION_MS } from '../../domain/access/session.ts';
import { type Row, SESSION } from '../columns.ts';
import type { SessionStore } from '../contract/sessions.ts';
import { MAY_CALL } from '../rows/keys.ts';
import { foundSessionFrom } from '../rows/sessions.ts';
import type { GroupCommit } from './group-commit.ts';

export function sqliteSessions(database: DatabaseSync, commits: GroupCommit): SessionStore {
  const pruneSessions = database.prepare('DELETE FROM sessions WHERE expires_at < ?');
  const insertSession = database.prepare(`
    INSERT INTO sessions (hash, key_id, expires_at, id, created_at, last_used_at)
    SELECT :hash, id, :expiresAt, :id, :createdAt, :lastUsedAt FROM api_keys
    WHERE id = :keyId AND revoked_at IS NULL`);
  const findSession = database.prepare(`
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key,
      sessions.id AS session_id, sessions.created_at, sessions.last_used_at
    FROM sessions JOIN api_keys ON api_keys.id = sessions.key_id JOIN clients USING (client_key)
    WHERE sessions.hash = ? AND sessions.id IS NOT NULL AND api_keys.revoked_at IS NULL
      AND ${MAY_CALL}`);
  const noteSessionUse = database.prepare('UPDATE sessions SET last_used_at = ? WHERE hash = ?');
  const listSessions = database.prepare(`
    SELECT sessions.* FROM clients JOIN api_keys USING (client_key)
      JOIN sessions ON sessions.key_id = api_keys.id
    WHERE clients.id = ? AND sessions.id IS NOT NULL AND api_keys.revoked_at IS NULL
    ORDER BY sessions.id DESC LIMIT ? + 0`);
  const endSessions = database.prepare(`
    DELETE FROM sessions
    WHERE key_id IN (
        SELECT api_keys.id FROM clients JOIN api_keys USING (client_key) WHERE clients.id = :clientId)
      AND (:id IS NULL OR id = :id)
    RETURNING hash`);

  return {
    insertSession({ id, hash, keyId, createdAt, lastUsedAt }) {
      const values = { id, hash, keyId, createdAt, lastUsedAt, expiresAt: createdAt + SESSION_MS };
      return commits.write(() => {
        pruneSessions.run(createdAt);
        return insertSession.run(values).changes === 1;
      });
    },
    async findSession(hash) {
      const row = findSession.get(hash) as Row | undefined;
      return row ? foundSessionFrom(row) : null;
    },
    async noteSessionUse(hash, usedAt) {
      await commits.write(() => noteSessionUse.run(usedAt, hash));
    },
    async listSessions(clientId, limit) {
      return (listSessions.all(clientId, limit) as Row[]).map(SESSION.fromRow);
    },
    endSessions(clientId, id) {
      const values = { clientId, id: id ?? null };
      return commits.write(() => (endSessions.all(values) as Row[]).map(row => row.hash as string));
    },
  };
}
