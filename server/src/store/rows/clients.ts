import type { Row } from '../columns.ts';
import type { ApiKey, Caller, Client, FoundSession } from '../contract/clients.ts';
import { oldSecretFrom } from './row.ts';

/** Rows of clients and keys, as both backends read them. */

export function clientFrom(row: Row): Client {
  const client: Client = {
    id: row.id as string,
    name: row.name as string,
    signingSecret: row.signing_secret as string,
    createdAt: row.created_at as number,
  };
  if (row.rotated_at != null) client.rotatedAt = row.rotated_at as number;
  // Between `resume` and the return of its rows it may call already.
  if (row.suspended_at != null && row.resumed_at == null) {
    client.suspendedAt = row.suspended_at as number;
  }
  if (row.deleted_at != null) client.deletedAt = row.deleted_at as number;
  if (row.old_secret != null) client.oldSecret = oldSecretFrom(row);
  return client;
}

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

export function foundSessionFrom(row: Row): FoundSession {
  return {
    caller: { ...callerFrom(row), sessionId: row.session_id as string },
    createdAt: row.created_at as number,
    lastUsedAt: row.last_used_at as number,
  };
}
