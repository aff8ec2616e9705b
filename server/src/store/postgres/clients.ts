import type { ClientStore } from '../contract/clients.ts';
import { clientFrom } from '../rows/clients.ts';
import type { Connections, Value } from './connection.ts';
import type { Notifier } from './notifications/notifier.ts';

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
const endSessions = `
  DELETE FROM sessions WHERE key_id IN (SELECT id FROM api_keys WHERE client_key = $1)`;
const revokeKeys = `
  UPDATE api_keys SET revoked_at = $1 WHERE client_key = $2 AND revoked_at IS NULL`;
const endCallbacks = `
  UPDATE outbox SET state = 'failed', body = NULL
  WHERE client_key = $1 AND kind = 'callback' AND state = 'waiting'`;
const wipeDestinations = `
  UPDATE destinations SET secrets = NULL WHERE client_key = $1 AND secrets IS NOT NULL`;
const replaceSecret = `
  UPDATE clients SET
    signing_secret = CASE WHEN signing_secret = $2 THEN $3 ELSE signing_secret END,
    old_secret = CASE WHEN old_secret = $2 THEN $3 ELSE old_secret END
  WHERE id = $1 AND (signing_secret = $2 OR old_secret = $2) RETURNING 1`;
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
        await send(endSessions, [key]);
        await send(revokeKeys, [now, key]);
        await send(endCallbacks, [key]);
        await send(wipeDestinations, [key]);
        return key;
      });
    },
    async replaceSecret(clientId, from, to) {
      return (await query(replaceSecret, [clientId, from, to])).length === 1;
    },
  };
}
