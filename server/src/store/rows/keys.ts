import type { Row } from '../columns.ts';
import type { ApiKey, Caller } from '../contract/keys.ts';

/** Rows of keys, as both backends read them. */

/** SQL: the client may call. One that is resumed may call at once, while what was put off comes back. */
export const MAY_CALL = '(clients.suspended_at IS NULL OR clients.resumed_at IS NOT NULL)';

export function keyFrom(row: Row): ApiKey {
  const key: ApiKey = {
    id: row.id as string,
    clientId: row.client_id as string,
    hash: row.hash as string,
    createdAt: row.created_at as number,
  };
  if (row.name !== '') key.name = row.name as string;
  if (row.created_by !== null) key.createdBy = row.created_by as string;
  if (row.revoked_at !== null) key.revokedAt = row.revoked_at as number;
  return key;
}

export function callerFrom(row: Row): Caller {
  return {
    clientId: row.client_id as string,
    clientRowId: row.client_key as number,
    keyId: row.key_id as string,
  };
}
