import type { DatabaseSync } from 'node:sqlite';
import { callerFrom, clientFrom, keyFrom } from '../client-rows.ts';
import type { Row } from '../rows.ts';
import type { ClientStore } from '../store.ts';
import type { Commits } from './commit.ts';

export function sqliteClients(database: DatabaseSync, commits: Commits): ClientStore {
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
    WHERE id = :id
      AND (:replacesNew OR old_secret_until IS NULL OR old_secret_until <= :rotatedAt)`);
  const endOverlap = database.prepare(`
    UPDATE clients SET old_secret = NULL, old_secret_until = NULL
    WHERE id = ? AND old_secret_until IS NOT NULL`);
  const forgetOldSecrets = database.prepare(
    'UPDATE clients SET old_secret = NULL, old_secret_until = NULL WHERE old_secret_until <= ?',
  );
  const oldSecretsUntil = database.prepare(
    'SELECT 1 FROM clients WHERE old_secret_until <= ? LIMIT 1',
  );
  const insertKey = database.prepare(`
    INSERT INTO api_keys (id, client_key, hash, name, created_at)
    SELECT ?, client_key, ?, ?, ? FROM clients WHERE id = ?`);
  const listKeys = database.prepare(`
    SELECT api_keys.*, clients.id AS client_id FROM api_keys JOIN clients USING (client_key)
    WHERE clients.id = ? ORDER BY api_keys.id`);
  const revokeKey = database.prepare(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?',
  );
  const findCaller = database.prepare(`
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key
    FROM api_keys JOIN clients USING (client_key)
    WHERE api_keys.hash = ? AND api_keys.revoked_at IS NULL`);
  const pruneSessions = database.prepare('DELETE FROM sessions WHERE expires_at < ?');
  const insertSession = database.prepare(`
    INSERT INTO sessions (hash, key_id, expires_at) SELECT ?, id, ? FROM api_keys WHERE id = ?`);
  const findSession = database.prepare(`
    SELECT api_keys.id AS key_id, clients.id AS client_id, clients.client_key
    FROM sessions JOIN api_keys ON api_keys.id = sessions.key_id JOIN clients USING (client_key)
    WHERE sessions.hash = ? AND sessions.expires_at >= ? AND api_keys.revoked_at IS NULL`);
  const deleteSession = database.prepare('DELETE FROM sessions WHERE hash = ?');

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
      if (oldSecretsUntil.get(now) === undefined) return;
      await commits.write(() => forgetOldSecrets.run(now));
    },
    insertKey({ id, clientId, hash, name = '', createdAt }) {
      return commits.write(() => insertKey.run(id, hash, name, createdAt, clientId).changes === 1);
    },
    async listKeys(clientId) {
      return (listKeys.all(clientId) as Row[]).map(keyFrom);
    },
    revokeKey(keyId, revokedAt) {
      return commits.write(() => revokeKey.run(revokedAt, keyId).changes === 1);
    },
    async findCaller(keyHash) {
      const row = findCaller.get(keyHash) as Row | undefined;
      return row ? callerFrom(row) : null;
    },
    insertSession({ hash, keyId, expiresAt }, now) {
      return commits.write(() => {
        pruneSessions.run(now);
        return insertSession.run(hash, expiresAt, keyId).changes === 1;
      });
    },
    async findSession(hash, now) {
      const row = findSession.get(hash, now) as Row | undefined;
      return row ? callerFrom(row) : null;
    },
    deleteSession(hash) {
      return commits.write(() => deleteSession.run(hash).changes === 1);
    },
  };
}
