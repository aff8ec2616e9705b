import type { DatabaseSync } from 'node:sqlite';
import { SESSION_MS } from '../../domain/access/session.ts';
import { type Row, SESSION } from '../columns.ts';
import type { ClientStore } from '../contract/clients.ts';
import { callerFrom, clientFrom, foundSessionFrom, keyFrom } from '../rows/clients.ts';
import type { GroupCommit } from './group-commit.ts';

/** One that is resumed may call at once, while what was put off comes back. */
const MAY_CALL = '(clients.suspended_at IS NULL OR clients.resumed_at IS NOT NULL)';

export function sqliteClients(database: DatabaseSync, commits: GroupCommit): ClientStore {
  const insertClient = database.prepare(
    'INSERT INTO clients (id, name, signing_secret, created_at) VALUES (?, ?, ?, ?)',
  );
  const listClients = database.prepare('SELECT * FROM clients ORDER BY client_key');
  const findClient = database.prepare('SELECT * FROM clients WHERE id = ?');
  const rotateSecret = database.prepare(`
    UPDATE clients SET signing_secret = :signingSecret, rotated_at = :rotatedAt,
      old_secret = CASE
        WHEN :oldUntil <= :rotatedAt THEN NULL
        WHEN old_secret_until > :rotatedAt THEN old_secret
        ELSE signing_secret END,
      old_secret_until = CASE WHEN :oldUntil > :rotatedAt THEN :oldUntil END
    WHERE id = :id AND deleted_at IS NULL
      AND (:replacesNew OR old_secret_until IS NULL OR old_secret_until <= :rotatedAt)`);
  const endOverlap = database.prepare(`
    UPDATE clients SET old_secret = NULL, old_secret_until = NULL
    WHERE id = ? AND old_secret_until IS NOT NULL`);
  const forgetOldSecrets = database.prepare(
    'UPDATE clients SET old_secret = NULL, old_secret_until = NULL WHERE old_secret_until <= ?',
  );
  const beginOverlaps = database.prepare(`
    UPDATE clients SET old_secret_until = old_secret_until - rotated_at + :now, rotated_at = :now
    WHERE old_secret_until > :now AND rotated_at > :now`);
  const oldSecrets = database.prepare(`
    SELECT 1 FROM clients WHERE old_secret_until <= :now
    UNION ALL SELECT 1 FROM clients WHERE old_secret_until > :now AND rotated_at > :now LIMIT 1`);
  const rename = database.prepare(
    'UPDATE clients SET name = ? WHERE id = ? AND deleted_at IS NULL',
  );
  const suspend = database.prepare(`
    UPDATE clients SET suspended_at = coalesce(suspended_at, ?), resumed_at = NULL
    WHERE id = ? AND deleted_at IS NULL`);
  const resume = database.prepare(`
    UPDATE clients SET resumed_at = ?
    WHERE id = ? AND deleted_at IS NULL AND suspended_at IS NOT NULL AND resumed_at IS NULL`);
  const remove = database.prepare(`
    UPDATE clients SET deleted_at = coalesce(deleted_at, :now),
      suspended_at = coalesce(suspended_at, :now), resumed_at = NULL,
      signing_secret = '', old_secret = NULL, old_secret_until = NULL
    WHERE id = :id RETURNING client_key`);
  const revokeKeys = database.prepare(`
    UPDATE api_keys SET revoked_at = ? WHERE client_key = ? AND revoked_at IS NULL`);
  const endCallbacks = database.prepare(`
    UPDATE outbox SET state = 'failed', body = NULL
    WHERE client_key = ? AND kind = 'callback' AND state = 'waiting'`);
  const replaceSecret = database.prepare(`
    UPDATE clients SET
      signing_secret = CASE WHEN signing_secret = :from THEN :to ELSE signing_secret END,
      old_secret = CASE WHEN old_secret = :from THEN :to ELSE old_secret END
    WHERE id = :id AND (signing_secret = :from OR old_secret = :from)`);
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
    ORDER BY sessions.id DESC LIMIT ?`);
  const endSessions = database.prepare(`
    DELETE FROM sessions
    WHERE key_id IN (
        SELECT api_keys.id FROM clients JOIN api_keys USING (client_key) WHERE clients.id = :clientId)
      AND (:id IS NULL OR id = :id)
    RETURNING hash`);

  /** The bytes of a plain secret are not left behind in the page (https://sqlite.org/pragma.html#pragma_secure_delete). */
  function wiping<Result>(work: () => Result): Result {
    database.exec('PRAGMA secure_delete = ON');
    try {
      return work();
    } finally {
      database.exec('PRAGMA secure_delete = OFF');
    }
  }

  return {
    async insertClient({ id, name, signingSecret, createdAt }) {
      await commits.write(() => insertClient.run(id, name, signingSecret, createdAt));
    },
    async listClients() {
      return (listClients.all() as Row[]).map(clientFrom);
    },
    async findClient(id) {
      const row = findClient.get(id) as Row | undefined;
      return row ? clientFrom(row) : null;
    },
    rotateSecret(id, { replacesNew, ...rotation }) {
      const values = { id, ...rotation, replacesNew: Number(replacesNew) };
      return commits.write(() => rotateSecret.run(values).changes === 1);
    },
    endOverlap(id) {
      return commits.write(() => endOverlap.run(id).changes === 1);
    },
    async forgetOldSecrets(now) {
      // A commit waits for the disk: it is for those that have something to write.
      if (oldSecrets.get({ now }) === undefined) return;
      await commits.write(() => {
        forgetOldSecrets.run(now);
        beginOverlaps.run({ now });
      });
    },
    rename(id, name) {
      return commits.write(() => rename.run(name, id).changes === 1);
    },
    suspend(id, now) {
      return commits.write(() => suspend.run(now, id).changes === 1);
    },
    resume(id, now) {
      return commits.write(() => resume.run(now, id).changes === 1);
    },
    delete(id, now) {
      return commits.write(() => {
        const row = wiping(() => remove.get({ id, now })) as Row | undefined;
        if (row === undefined) return null;
        const key = row.client_key as number;
        endSessions.run({ clientId: id, id: null });
        revokeKeys.run(now, key);
        endCallbacks.run(key);
        return key;
      });
    },
    replaceSecret(id, from, to) {
      return commits.write(() => wiping(() => replaceSecret.run({ id, from, to })).changes === 1);
    },
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
