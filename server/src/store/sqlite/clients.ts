import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../columns.ts';
import type { ClientStore } from '../contract/clients.ts';
import { clientFrom } from '../rows/clients.ts';
import type { GroupCommit } from './group-commit.ts';

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
  const endSessions = database.prepare(`
    DELETE FROM sessions WHERE key_id IN (SELECT id FROM api_keys WHERE client_key = ?)`);
  const revokeKeys = database.prepare(`
    UPDATE api_keys SET revoked_at = ? WHERE client_key = ? AND revoked_at IS NULL`);
  const endCallbacks = database.prepare(`
    UPDATE outbox SET state = 'failed', body = NULL
    WHERE client_key = ? AND kind = 'callback' AND state = 'waiting'`);
  const wipeDestinations = database.prepare(
    'UPDATE destinations SET secrets = NULL WHERE client_key = ? AND secrets IS NOT NULL',
  );
  const replaceSecret = database.prepare(`
    UPDATE clients SET
      signing_secret = CASE WHEN signing_secret = :from THEN :to ELSE signing_secret END,
      old_secret = CASE WHEN old_secret = :from THEN :to ELSE old_secret END
    WHERE id = :id AND (signing_secret = :from OR old_secret = :from)`);
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
        endSessions.run(key);
        revokeKeys.run(now, key);
        endCallbacks.run(key);
        wiping(() => wipeDestinations.run(key));
        return key;
      });
    },
    replaceSecret(id, from, to) {
      return commits.write(() => wiping(() => replaceSecret.run({ id, from, to })).changes === 1);
    },
  };
}
